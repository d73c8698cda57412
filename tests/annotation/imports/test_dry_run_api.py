"""The API without a format: what is recognised, and a dry run, which changes nothing."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from annotation.imports import checks
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Question, RememberedColumns

pytestmark = pytest.mark.django_db
FILES = Path(__file__).parent / "files"
CSV = "alpha;Frage\nx-1;Wer?\nx-1;Wann?\nx-2;Wer?\n;\n3;Wo?;zu viel\n"


@pytest.fixture
def post(client, project, rosa, monkeypatch):
    """Send a file to the API, as a researcher of the project."""
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)
    _, token = AuthToken.objects.create(rosa)

    def send(content, query="", name="a.csv", **fields):
        return client.post(
            reverse("api-import", args=[project.slug]) + query,
            {"file": SimpleUploadedFile(name, content), **fields},
            headers={"Authorization": f"Token {token}"},
        )

    return send


def test_a_dry_run_tells_what_the_file_is_and_changes_nothing(post, project):
    Question.objects.create(
        project=project, external_id="x-2", text="Wer?", split="dev", created_at=timezone.now()
    )
    before = AuditEntry.objects.count()
    mapping = json.dumps({"uses": {"alpha": "id"}})
    answer = post(CSV.encode(), "?dry_run=1", mapping=mapping)
    assert answer.status_code == 200
    found = answer.json()
    assert (found["format"], found["label"]) == ("mapped", "CSV with semicolons")
    assert found["mapping"]["uses"] == {"alpha": "id", "Frage": "question"}
    assert found["columns"][1] == {"name": "Frage", "use": "question"}
    assert [(each["line"], each["id"], each["here"]) for each in found["preview"][:3]] == [
        *((2, "x-1", False), (3, "x-1", False), (4, "x-2", True))
    ]
    assert found["counts"] == {
        **{"created": 1, "updated": 0, "unchanged": 0, "rejected": 2, "repeated": 1},
        "equal": 1,
    }
    assert found["equals"] == [{"line": 2, "id": "x-2"}]
    assert found["records_read"] == 4
    assert [each["line"] for each in found["problems"]] == [3, 6]
    assert found["repeats"] == [{"line": 4, "first": 2}]
    assert (Question.objects.count(), Job.objects.count()) == (1, 0)
    assert not RememberedColumns.objects.exists()
    assert AuditEntry.objects.count() == before


def test_a_file_without_a_format_is_imported_as_what_it_is(post, project):
    answer = post((FILES / "squad.json").read_bytes(), name="squad.json")
    assert answer.status_code == 202
    jobs_services.claim_and_run(job_id=answer.json()["id"], clock=timezone.now)
    job = Job.objects.get()
    assert (job.state, job.unit, job.result["created"]) == ("done", "records", 3)
    assert Question.objects.filter(project=project, split="dev", job=job).count() == 3


def test_a_mapping_is_remembered_when_it_is_used(post, project):
    uses = {"uses": {"alpha": "question", "Frage": "leave"}, "splits": {"x": "test"}}
    assert post(CSV.encode(), mapping=json.dumps(uses)).status_code == 202
    jobs_services.claim_and_run(job_id=Job.objects.get().pk, clock=timezone.now)
    assert Job.objects.get().result["repeated"] == 1
    texts = Question.objects.order_by("pk").values_list("text", "context")
    assert list(texts) == [("x-1", {}), ("x-2", {})]
    assert RememberedColumns.objects.get(project=project).mapping["splits"] == {"x": "test"}
    assert post(CSV.encode(), "?dry_run=1").json()["remembered"] is True


def test_a_large_file_is_not_read_whole_while_somebody_waits(post, monkeypatch):
    monkeypatch.setattr(checks, "CHECKED_BYTES", 10)
    found = post((FILES / "lines.txt").read_bytes(), "?dry_run=true").json()
    assert (found["counts"], len(found["preview"]), found["problems"]) == (None, 4, [])


def test_a_dry_run_of_a_format_that_is_named(post):
    found = post(b'{"question": "a"}\n', "?dry_run=1", format="jsonl", split="dev").json()
    assert (found["format"], found["counts"]["rejected"]) == ("jsonl", 1)
    assert found["problems"] == [
        {"line": 1, "reason": "“id” is missing.", "text": '{"question": "a"}'}
    ]


@pytest.mark.parametrize(
    ("content", "fields", "named", "problem"),
    [
        (b"PK\x03\x04", {}, "file", "It is a ZIP archive. Unpack it"),
        (b"a,b\n1,2\n", {}, "mapping", "Say which column holds the question."),
        (b"a\n", {"mapping": "{"}, "mapping", "Value must be valid JSON."),
        (b"a\n", {"mapping": "[]"}, "mapping", "A mapping is an object with “uses”"),
        (
            b'{"id": "a", "question": "b"}',
            {"format": "jsonl", "split": "dev", "mapping": '{"uses": {"id": "leave"}}'},
            *("mapping", "Leave the format out: a file of a format has no columns to map."),
        ),
        (b"[]", {}, "file", "The file holds no records."),
        (b"[{}]", {"format": "jsonl", "split": "dev"}, "file", "It is JSON without a record"),
        (b'[{"a": 1}]', {"format": "jsonl", "split": "dev"}, "file", "This looks like one JSON"),
    ],
)
def test_what_cannot_be_imported_is_said_for_its_field(post, content, fields, named, problem):
    answer = post(content, "?dry_run=1", **fields)
    assert answer.status_code == 400
    [(field, [sentence])] = answer.json().items()
    assert (field, sentence.startswith(problem)) == (named, True)
    assert not Job.objects.exists()


def test_who_may_not_import_may_not_try_it(client, project, ann):
    _, token = AuthToken.objects.create(ann)
    answer = client.post(
        reverse("api-import", args=[project.slug]) + "?dry_run=1",
        {"file": SimpleUploadedFile("a.csv", b"question\na\n")},
        headers={"Authorization": f"Token {token}"},
    )
    assert answer.status_code == 403
