"""The API: tokens, who sees what, lists, import with its job, export."""

import base64
import hashlib
import io
import json
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken
from rest_framework.test import APIClient

from accounts.pseudonyms import derive_pseudonym, question_code
from annotation.jobs import services as jobs_services
from annotation.models import Job, Project, Question
from tests import factories
from tests.annotation.exports.submissions import submit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    ids = []
    monkeypatch.setattr(jobs_services, "wake_workers", ids.append)
    return ids


@pytest.fixture
def api_as():
    """A client that sends a token of this person."""

    def api_as(user):
        client = APIClient()
        _, token = AuthToken.objects.create(user)
        client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
        return client

    return api_as


def to(name, *args):
    return reverse(f"api-{name}", args=args)


READS = ["project", "questions", "assignments"]


def test_without_a_token_nothing_is_seen(project):
    client = APIClient()
    for name, *args in [
        ["projects"],
        ["project", project.slug],
        ["questions", project.slug],
        ["schema"],
        ["export", project.slug, "annotations"],
        ["job", project.slug, 1],
    ]:
        response = client.get(to(name, *args))
        assert response.status_code == 401, name
        assert b"Authentication credentials were not provided" in response.content
    client.credentials(HTTP_AUTHORIZATION="Token ambit0000")
    assert client.get(to("projects")).status_code == 401


def test_an_expired_token_is_worth_nothing(rosa, project):
    token, text = AuthToken.objects.create(rosa)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {text}")
    assert client.get(to("projects")).status_code == 200
    token.expiry = timezone.now()
    token.save()
    assert client.get(to("projects")).status_code == 401


def test_a_signed_in_browser_may_read_and_needs_csrf_to_write(rosa, project):
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(rosa)
    assert client.get(to("projects")).status_code == 200
    response = client.post(to("import", project.slug), {})
    assert response.status_code == 403
    assert "CSRF" in response.json()["detail"]


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("project", []),
        ("questions", []),
        ("assignments", []),
        ("job", [1]),
        ("export", ["annotations"]),
    ],
)
def test_strangers_learn_nothing(api_as, stan, project, name, args):
    response = api_as(stan).get(to(name, project.slug, *args))
    assert response.status_code == 404
    assert response["Content-Type"] == "application/json"
    absent = api_as(stan).get(to(name, "no-such-project", *args))
    assert (response.status_code, response.json()) == (absent.status_code, absent.json())


@pytest.mark.parametrize(
    ("method", "name", "args"),
    [
        ("get", "questions", []),
        ("post", "import", []),
        ("get", "job", [1]),
        ("post", "job-cancel", [1]),
        ("get", "export", ["annotations"]),
    ],
)
def test_annotators_are_told_that_it_is_for_staff(api_as, ann, project, method, name, args):
    response = getattr(api_as(ann), method)(to(name, project.slug, *args))
    assert response.status_code == 403
    assert response.json() == {"detail": "Only researchers and admins of this project can do this."}


def test_projects_are_those_one_works_in(api_as, ann, project):
    factories.make_project()
    [found] = api_as(ann).get(to("projects")).json()["results"]
    assert found["slug"] == project.slug
    one = api_as(ann).get(to("project", project.slug)).json()
    assert one == found
    assert one["snapshot"] == project.snapshot.name
    assert one["reference_date"] == "2017-12-31"
    assert [(each["split"], each["people"]) for each in one["policies"]] == [
        ("dev", 2),
        ("test", 2),
        ("train", 1),
    ]


def test_questions_by_split_and_state_a_page_at_a_time(api_as, rosa, project):
    for n in range(5):
        factories.make_question(project, f"what is {n}", external_id=f"-{n}")
    factories.make_question(project, split="train", state="excluded")
    client = api_as(rosa)
    page = client.get(to("questions", project.slug), {"split": "dev", "page_size": 3}).json()
    assert [each["id"] for each in page["results"]] == ["-0", "-1", "-2"]
    assert page["results"][0]["question"] == "what is 0"
    assert page["results"][0]["prompt"] == "What is 0?"
    rest = client.get(page["next"]).json()
    assert [each["id"] for each in rest["results"]] == ["-3", "-4"]
    assert rest["next"] is None
    found = client.get(to("questions", project.slug), {"state": "excluded"}).json()["results"]
    assert len(found) == 1
    response = client.get(to("questions", project.slug), {"split": "nope"})
    assert response.status_code == 400
    assert "nope" in response.json()["split"][0]


@pytest.mark.parametrize("position", ["abc", "\0", "-1", "9" * 30])
def test_a_made_up_cursor_is_refused(api_as, rosa, project, position):
    cursor = base64.b64encode(f"p={position}".encode()).decode()
    address = reverse("api-questions", args=[project.slug])
    response = api_as(rosa).get(address, {"cursor": cursor})
    assert response.status_code == 404
    assert response.json() == {"detail": "Invalid cursor"}


def test_assignments_under_pseudonyms(api_as, rosa, ann, ben, project):
    task = factories.make_task(project)
    factories.make_assignment(task, ann, state="submitted")
    factories.make_assignment(task, ben)
    found = api_as(rosa).get(to("assignments", project.slug)).json()["results"]
    assert [each["person"] for each in found] == [
        derive_pseudonym(person, scope=project.slug) for person in (ann, ben)
    ]
    assert found[0]["question"] == task.question.external_id
    assert ann.email not in json.dumps(found)
    # An annotator sees their own, and nobody else's.
    [mine] = api_as(ann).get(to("assignments", project.slug)).json()["results"]
    assert mine == found[0] | {"question": question_code(task.question_id)}
    assert "draft" not in mine
    by_state = api_as(rosa).get(to("assignments", project.slug), {"state": "active"}).json()
    assert [each["id"] for each in by_state["results"]] == [found[1]["id"]]


@pytest.mark.parametrize("name", ["questions", "assignments"])
def test_queries_of_lists_are_constant(api_as, rosa, project, name, django_assert_num_queries):
    client = api_as(rosa)

    def queries():
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        with CaptureQueriesContext(connection) as found:
            assert client.get(to(name, project.slug)).status_code == 200
        return len(found)

    def work():
        person = factories.make_member(project, "annotator")
        factories.make_assignment(factories.make_task(project), person)

    work()
    few = queries()
    for _ in range(5):
        work()
    assert queries() == few


def test_import_and_its_job(api_as, rosa, project, woken, django_capture_on_commit_callbacks):
    client = api_as(rosa)
    file = SimpleUploadedFile("q.jsonl", b'{"id": "a", "question": "who"}\n{\n')
    with django_capture_on_commit_callbacks(execute=True):
        response = client.post(
            to("import", project.slug), {"file": file, "format": "jsonl", "split": "dev"}
        )
    assert response.status_code == 202
    job = response.json()
    assert (job["state"], job["result"], job["file_name"]) == ("queued", None, "q.jsonl")
    assert woken == [job["id"]]
    jobs_services.claim_and_run(job_id=job["id"], clock=timezone.now)
    job = client.get(to("job", project.slug, job["id"])).json()
    assert (job["state"], job["done"], job["total"]) == ("done", 2, 2)
    assert job["result"]["created"] == 1
    assert job["result"]["errors"][0]["line"] == 2
    assert Question.objects.get().external_id == "a"
    response = client.post(to("job-cancel", project.slug, job["id"]))
    assert response.status_code == 409
    assert response.json() == {"detail": "This job is over: done."}


def test_stopping_a_job(api_as, rosa, project):
    client = api_as(rosa)
    file = SimpleUploadedFile("q.jsonl", b'{"id": "a", "question": "who"}')
    job = client.post(
        to("import", project.slug), {"file": file, "format": "jsonl", "split": "dev"}
    ).json()
    response = client.post(to("job-cancel", project.slug, job["id"]))
    assert (response.status_code, response.json()["state"]) == (200, "cancelled")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"file": ""}, "file"),
        ({"file": SimpleUploadedFile("q", b"")}, "file"),
        ({"format": "pdf"}, "format"),
        ({"split": ""}, "split"),
        ({"strict": "perhaps"}, "strict"),
    ],
)
def test_import_names_what_is_wrong(api_as, rosa, project, change, field):
    data = {"file": SimpleUploadedFile("q", b"{}"), "format": "jsonl", "split": "dev"} | change
    response = api_as(rosa).post(to("import", project.slug), data)
    assert response.status_code == 400
    assert list(response.json()) == [field]
    assert not Job.objects.exists()


def test_import_over_the_limit_and_of_json(api_as, rosa, project, settings):
    settings.IMPORT_MAX_BYTES = 1
    data = {"file": SimpleUploadedFile("q", b"{}"), "format": "jsonl", "split": "dev"}
    response = api_as(rosa).post(to("import", project.slug), data)
    assert response.status_code == 400
    assert "Cut it into several files." in response.json()["file"][0]
    response = api_as(rosa).post(to("import", project.slug), {}, format="json")
    assert response.status_code == 415


def test_a_closed_project_takes_no_questions(api_as, rosa, project):
    Project.objects.update(state="closed")
    response = api_as(rosa).post(to("import", project.slug))
    assert response.status_code == 409
    assert response.json()["detail"].startswith("This project is closed.")


@pytest.mark.parametrize("accept", ["*/*", "application/x-ndjson", "text/html"])
def test_export_streams(api_as, rosa, ann, project, accept):
    submit(factories.make_question(project, external_id="a"), ann, pairs=[("", ["1843"])])
    client = api_as(rosa)
    response = client.get(to("export", project.slug, "annotations"), HTTP_ACCEPT=accept)
    assert response.streaming
    assert response["Content-Type"] == "application/x-ndjson"
    assert json.loads(b"".join(response.streaming_content))["id"] == "a"
    response = client.get(to("export", project.slug, "ambignq-light"), {"split": "train"})
    assert json.loads(b"".join(response.streaming_content)) == []


def test_export_names_what_is_wrong(api_as, rosa, project):
    response = api_as(rosa).get(to("export", project.slug, "annotations"), {"split": "nope"})
    assert response.status_code == 400
    assert response.json() == {"split": "The split is train, dev or test."}
    response = api_as(rosa).get(
        to("export", project.slug, "skips"),
        {"person": "Ann", "since": "1 May", "until": "2026-02-30", "state": "x"},
    )
    assert response.status_code == 400
    assert sorted(response.json()) == ["person", "since", "state", "until"]
    assert response.json()["person"] == "No one who worked in this project has this pseudonym."
    assert api_as(rosa).get(to("export", project.slug, "pdf")).status_code == 404


def test_exports_are_filtered_and_come_with_a_manifest(api_as, rosa, ann, ben, project):
    for person in (ann, ben):
        submit(factories.make_question(project), person, pairs=[("", [person.name])])
    person = derive_pseudonym(ben, scope=project.slug)
    client = api_as(rosa)
    response = client.get(
        to("export-zip", project.slug, "annotations"), {"person": person, "since": "2026-03-01"}
    )
    assert response["Content-Type"] == "application/zip"
    held = zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))
    data, manifest = (held.read(name) for name in held.namelist())
    assert json.loads(data)["response"]["answer"] == ["Ben Baker"]
    assert json.loads(manifest)["filters"]["person"] == person
    assert json.loads(manifest)["sha256"] == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
@pytest.mark.parametrize("name", ["project", "questions", "assignments", "import"])
def test_nothing_else_can_be_done(api_as, rosa, project, method, name):
    response = getattr(api_as(rosa), method)(to(name, project.slug))
    assert response.status_code == 405
    assert response["Content-Type"] == "application/json"


def test_the_schema_and_its_page(client, client_as, rosa):
    assert client.get(to("docs")).status_code == 302
    page = client_as(rosa).get(to("docs")).content.decode()
    assert "http://" not in page
    assert "https://" not in page
    assert all(" src=" in tag for tag in re.findall(r"<script[^>]*>", page))
    schema = client_as(rosa).get(to("schema"), HTTP_ACCEPT="application/json").json()
    assert "/api/v1/projects/{slug}/imports/" in schema["paths"]


@pytest.mark.parametrize("method", ["get", "post", "delete"])
def test_other_addresses_are_not_found_in_json(api_as, rosa, method):
    response = getattr(api_as(rosa), method)("/api/v1/nothing/here")
    assert (response.status_code, response.json()) == (404, {"detail": "Not found."})


def test_a_request_over_the_limit_is_never_written(api_as, rosa, project, settings, monkeypatch):
    settings.IMPORT_MAX_BYTES = 1000
    monkeypatch.setattr("annotation.uploads.requests.FORM_BYTES", 1000)
    file = SimpleUploadedFile("q", b"x" * 3000)
    response = api_as(rosa).post(
        to("import", project.slug), {"file": file, "format": "jsonl", "split": "dev"}
    )
    assert response.status_code == 400
    assert "Cut it into several files." in response.json()["file"][0]


@pytest.mark.parametrize("size", ["0", "1001", "abc", "", "null", "-1", "٣"])
def test_a_page_size_that_is_none_is_refused(client_as, rosa, size):
    response = client_as(rosa).get("/api/v1/projects/", {"page_size": size})
    assert (response.status_code, *response.json()) == (400, "page_size")


def test_a_filter_without_a_value_is_refused(client_as, project, rosa):
    address = f"/api/v1/projects/{project.slug}/questions/"
    assert client_as(rosa).get(address, {"state": "imported"}).status_code == 200
    assert client_as(rosa).get(address, {"state": ""}).json() == {
        "state": "Give a value, or leave it out."
    }


def test_the_schema_is_given_whatever_version_is_asked_for(client_as, rosa):
    assert client_as(rosa).get("/api/v1/schema/?version=%0d%0aX").status_code == 200
