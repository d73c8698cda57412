"""What is the same everywhere in the API: pages of lists, and how many requests are answered."""

import pytest
from django.urls import get_resolver, reverse
from drf_spectacular.generators import SchemaGenerator
from rest_framework.throttling import UserRateThrottle
from rest_framework.views import APIView

pytestmark = pytest.mark.django_db
# Not rows of a table: what is registered, or a file.
# Views of the list of questions are bounded by number, and so are relations that come with Ambit.
WHOLE = {
    "made_relations_list",
    *("reports_list", "export_retrieve", "release_retrieve"),
    "projects_question_views_list",
}


def views():
    """Every class of views under /api/v1/, by the name of its URL."""
    found, waiting = {}, list(get_resolver().url_patterns)
    while waiting:
        entry = waiting.pop()
        waiting += getattr(entry, "url_patterns", [])
        view = getattr(getattr(entry, "callback", None), "view_class", None) or getattr(
            getattr(entry, "callback", None), "cls", None
        )
        if isinstance(view, type) and issubclass(view, APIView):
            found[entry.name] = view
    return found


def test_everybody_is_answered_as_often_everywhere():
    found = views()
    assert {"api-project", "api-work-read", "api-report", "api-agreement"} <= found.keys()
    for name, view in found.items():
        assert view.throttle_classes == [UserRateThrottle], name


def test_too_many_requests_are_refused_until_later(client_as, ann, ben, project, monkeypatch):
    monkeypatch.setattr(UserRateThrottle, "THROTTLE_RATES", {"user": "3/min"})
    client, address = client_as(ann), reverse("api-project", args=[project.slug])
    statuses = [client.get(address).status_code for _ in range(3)]
    refused = client.get(reverse("api-work-list"))
    assert (statuses, refused.status_code) == ([200] * 3, 429)
    assert 0 < int(refused["Retry-After"]) <= 60
    assert refused.json()["detail"]
    assert client_as(ben).get(address).status_code == 200


def test_every_list_of_rows_comes_in_pages():
    schema = SchemaGenerator().get_schema(request=None, public=True)
    lists, pages = set(), set()
    for path in schema["paths"].values():
        if "get" not in path:
            continue
        operation = path["get"]
        content = operation["responses"].get("200", {}).get("content", {})
        answer = content.get("application/json", {}).get("schema", {})
        parts = answer.get("$ref", "").rpartition("/")[2]
        answer = schema["components"]["schemas"].get(parts, answer)
        if answer.get("type") == "array":
            lists.add(operation["operationId"])
        elif "results" in answer.get("properties", {}) and "next" in answer["properties"]:
            pages.add(operation["operationId"])
            names = {parameter["name"] for parameter in operation["parameters"]}
            assert {"cursor", "page_size"} <= names
    assert lists <= WHOLE
    assert {"projects_list", "work_list", "studies_list", "scoring_jobs_list"} <= pages
