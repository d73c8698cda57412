"""Systems and their answers over the API."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import AuditEntry
from evaluation.models import System
from tests import factories
from tests.evaluation.factories import make_output, make_questions, make_study, make_system

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return factories.make_project()


@pytest.fixture
def system(project):
    system = make_system(project, "Reader", version="2", options={"top": "5"})
    for question in make_questions(project, 3):
        make_output(system, question, "1843", details={"answers": ["1843"]})
    return system


@pytest.fixture
def staff(project, client_as):
    return client_as(factories.make_member(project, "researcher"))


def address(name, system, *more):
    return reverse(name, args=[system.project.slug, system.pk, *more])


def test_systems_are_listed_with_how_many_answers_they_have(project, system, staff):
    empty = make_system(project, "Empty")
    make_system(factories.make_project(), "Elsewhere")
    listed = staff.get(reverse("api-systems", args=[project.slug])).json()
    assert [(row["id"], row["name"], row["answers"]) for row in listed["results"]] == [
        (empty.pk, "Empty", 0),
        (system.pk, "Reader", 3),
    ]
    one = staff.get(address("api-system", system)).json()
    assert one == listed["results"][1]
    assert (one["version"], one["kind"], one["options"]) == ("2", "model", {"top": "5"})


def test_its_answers_come_in_pages_with_what_is_scored(system, staff):
    first = staff.get(address("api-system-outputs", system), {"page_size": 2}).json()
    second = staff.get(first["next"]).json()
    rows = first["results"] + second["results"]
    assert [row["text"] for row in rows] == ["1843"] * 3
    assert len({row["question"] for row in rows}) == 3
    assert rows[0]["details"] == {"answers": ["1843"]}
    assert rows[0]["split"] == "dev"
    with CaptureQueriesContext(
        connection,
    ) as few:
        staff.get(address("api-system-outputs", system), {"page_size": 1})
    with CaptureQueriesContext(connection) as many:
        staff.get(address("api-system-outputs", system))
    assert len(few) == len(many)


def test_a_system_is_deleted_unless_a_study_uses_it(project, system, staff):
    draft = make_study(project, [system], state="draft", title="Pilot")
    refused = staff.delete(address("api-system", system))
    assert (refused.status_code, System.objects.count()) == (409, 1)
    assert "The study “Pilot” uses Reader 2." in refused.json()["detail"]
    draft.delete()
    assert staff.delete(address("api-system", system)).status_code == 204
    assert not System.objects.exists()
    assert AuditEntry.objects.filter(action="system_deleted").count() == 1


@pytest.mark.parametrize("name", ["api-system", "api-system-outputs"])
def test_the_system_of_another_project_is_not_there(system, client_as, name):
    other = factories.make_project()
    client = client_as(factories.make_member(other, "admin"))
    assert client.get(reverse(name, args=[other.slug, system.pk])).status_code == 404
    assert client.get(address(name, system)).status_code == 404


def test_its_answers_come_as_a_file_that_is_read_again(project, system, staff):
    reply = staff.get(address("api-system-file", system, "texts"))
    assert (
        reply["Content-Disposition"] == f'attachment; filename="{project.slug}-reader-2-texts.json"'
    )
    texts = json.loads(b"".join(reply.streaming_content))
    assert set(texts.values()) == {"1843"}
    assert len(texts) == 3
    none = staff.get(address("api-system-file", system, "texts"), {"split": "train"})
    assert json.loads(b"".join(none.streaming_content)) == {}
    # Answers in pairs have no file of their own.
    assert staff.get(address("api-system-file", system, "official")).status_code == 404
    refused = staff.get(address("api-system-file", system, "texts"), {"split": "live"})
    assert (refused.status_code, refused.json()) == (
        400,
        {"split": "The split is train, dev or test."},
    )
