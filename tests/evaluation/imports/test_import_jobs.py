"""Imports of answers and of judgments as jobs: refused at once, followed, stopped, all or none."""

import io
import json

import pytest
from django.core.files.base import ContentFile, File
from django.db import OperationalError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.imports.records import WrongFormat
from annotation.jobs import services as jobs_services
from annotation.models import Job
from evaluation.imports import files
from evaluation.judgments import judgment_files
from evaluation.judgments import services as judgments_services
from evaluation.judgments.import_jobs import start_judgments
from evaluation.models import Judgment, Output, Study, System
from evaluation.systems import formats
from evaluation.systems import services as systems_services
from evaluation.systems.import_jobs import start_outputs
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation import factories as studies
from tests.evaluation.judgments.test_judgment_files import ROW, post
from tests.evaluation.systems.test_system_pages import post as post_outputs
from tests.evaluation.systems.test_system_pages import run

ANSWERS = {"key-1": "One.", "key-2": "Two.", "key-3": "Three."}
KINDS = ("outputs", "judgments")


@pytest.fixture
def project(db):
    return make_project()


def make_project():
    project = asqa.make_project()
    studies.make_questions(project, 3)
    return project


@pytest.fixture
def rosa(project):
    return factories.make_member(project, "researcher", name="Rosa Reed")


@pytest.fixture
def staff(rosa, client_as):
    return client_as(rosa)


def content_of(kind):
    return json.dumps(ANSWERS if kind == "outputs" else [ROW, ROW | {"key": "key-2"}]).encode()


def start(kind, project, by, content=None, **fields):
    file = ContentFile(content or content_of(kind), name="given.json")
    given = {"project": project, "file": file, "file_name": "given.json", "by": by}
    given |= {"now": timezone.now(), **fields}
    if kind == "outputs":
        return start_outputs(**{"name": "Reader"} | given)
    return start_judgments(**{"title": "Elsewhere"} | given)


def go(job):
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def stored():
    return [model.objects.count() for model in (System, Output, Study, Judgment)]


WHOLE = {"outputs": [1, 3, 0, 0], "judgments": [2, 0, 1, 2]}


@pytest.mark.parametrize("kind", KINDS)
def test_an_upload_waits_for_a_worker_who_stores_it_and_deletes_the_file(
    kind, project, staff, django_capture_on_commit_callbacks
):
    send = post_outputs if kind == "outputs" else post
    content = ANSWERS if kind == "outputs" else content_of(kind)
    reply = send(staff, project, content)

    job = project.jobs.get()
    assert reply.headers["Location"] == reverse("job-detail", args=[project.slug, job.pk])
    assert "Waiting for a worker" in staff.get(reply.headers["Location"]).content.decode()
    assert stored() == [0, 0, 0, 0]
    storage, name = job.file.storage, job.file.name
    assert storage.exists(name)

    with django_capture_on_commit_callbacks(execute=True):
        job = run(reply)

    assert (job.state, job.done, job.total) == ("done", *[3 if kind == "outputs" else 2] * 2)
    assert stored() == WHOLE[kind]
    assert not storage.exists(name)
    page = staff.get(reply.headers["Location"]).content.decode()
    made = (
        reverse("system-view", args=[project.slug, System.objects.first().pk])
        if kind == "outputs"
        else reverse("study-view", args=[project.slug, Study.objects.get().pk])
    )
    assert made in page
    assert ("Score it now" in page) == (kind == "outputs")


def test_score_it_now_scores_the_split_of_the_answers(project, staff):
    job = run(post_outputs(staff, project, ANSWERS))
    assert job.result["splits"] == ["dev"]
    address = reverse("system-scores", args=[project.slug])
    assert staff.post(address, {"split": "dev"}).status_code == 302
    assert project.jobs.get(kind="score").options == {"split": "dev", "reader": ""}


def test_lines_that_do_not_match_are_named_on_the_page(project, staff):
    lines = [
        {"id": "key-1", "answer": "One."},
        {"id": "nope", "answer": "?"},
        {"id": "key-1", "answer": "Again."},
        {"id": "key-2", "answer": " "},
        {"id": "key-3"},
    ]
    content = "\n".join(map(json.dumps, lines)).encode()
    reply = post_outputs(staff, project, content)
    job = run(reply)

    assert job.result["errors"] == [
        {"line": 2, "reason": "“nope”: not the id of a question in this project."},
        {"line": 3, "reason": "“key-1”: twice in the file; the first answer counts."},
        {"line": 4, "reason": "“key-2”: no text."},
        {"line": 5, "reason": "“answer” is missing."},
    ]
    page = staff.get(reply.headers["Location"]).content.decode()
    assert "4 not matched" in page
    assert "Line 2: “nope”: not the id of a question in this project." in page


def test_bad_rows_are_named_on_the_page_and_nothing_is_imported(project, staff):
    content = json.dumps([ROW, *[ROW | {"key": "other"}] * 60]).encode()
    reply = post(staff, project, content)
    job = run(reply)

    assert (job.state, job.result["rejected"]) == ("failed", 60)
    page = staff.get(reply.headers["Location"]).content.decode()
    assert "60 rows of 61 cannot be imported, so nothing was." in page
    assert "</span>: key “other” is not the id of a question in this project." in page
    assert ">Row 2<" in page
    assert "And 40 more." in page
    assert "Import the other" not in page
    assert stored() == [0, 0, 0, 0]


def test_judgments_that_are_here_already_are_said_to_be(project, staff):
    run(post(staff, project, content_of("judgments")))
    before = stored()
    reply = post(staff, project, content_of("judgments"), "Another title")
    job = run(reply)

    assert job.state == "done"
    assert (job.result["again"], job.result["judgments"]) == (True, 0)
    assert job.result["study_id"] == Study.objects.get().pk
    page = staff.get(reply.headers["Location"]).content.decode()
    assert "The study “Elsewhere” has these judgments already. Nothing was imported." in page
    assert stored() == before


REFUSED = {
    b"PK\x03\x04": "The file is packed (zip). Unpack it first.",
    b"\xff\xfe{": "Save it as UTF-8.",
    b"<html>": "This looks like a web page or XML",
    b'[{"id": "a",\n "answer": "caf\xe9"}]': "Line 2 is not UTF-8. Save the file as UTF-8.",
    b'[{"id": "a",\n "answer": "\xe2\x82': "Line 2 is not UTF-8. Save the file as UTF-8.",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("content", REFUSED, ids=repr)
def test_what_a_look_at_the_file_shows_is_refused_before_there_is_a_job(
    kind, content, project, rosa
):
    with pytest.raises(WrongFormat) as refusal:
        start(kind, project, rosa, content)
    assert REFUSED[content] in str(refusal.value)
    assert not Job.objects.exists()


class Counted(io.BytesIO):
    """A file that counts how often it is asked."""

    asked = 0

    def read(self, *args):
        self.asked += 1
        return super().read(*args)

    def readline(self, *args):
        self.asked += 1
        return super().readline(*args)


@pytest.mark.parametrize("kind", KINDS)
def test_a_look_at_millions_of_blank_lines_is_short(kind, project, rosa):
    head = b"{}" if kind == "outputs" else ",".join(ROW).encode()
    content = Counted(head + b"\n" * 3_000_000)
    file = File(content, name="blank")
    start(kind, project, rosa, file=file)
    assert content.asked < 100


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_too_large_is_refused_at_once(kind, project, rosa, monkeypatch):
    monkeypatch.setattr("evaluation.systems.services.MOST_BYTES", 9)
    monkeypatch.setattr("evaluation.judgments.judgment_files.MOST_BYTES", 9)
    with pytest.raises(WrongFormat, match="The maximum is"):
        start(kind, project, rosa)


def test_more_records_than_can_be_taken_fail_with_a_sentence(project, rosa, monkeypatch):
    monkeypatch.setattr("evaluation.systems.matching.MOST_RECORDS", 2)
    monkeypatch.setattr("evaluation.judgments.judgment_files.MOST_ROWS", 1)
    for kind, words in (("outputs", "more than 2 records"), ("judgments", "more than 1 rows")):
        job = go(start(kind, project, rosa))
        assert (job.state, words in job.problem) == ("failed", True)
    assert stored() == [0, 0, 0, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_who_has_left_the_team_imports_nothing(kind, project, rosa):
    job = start(kind, project, rosa)
    project.memberships.filter(user=rosa).delete()
    assert go(job).state == "failed"
    assert job.problem.endswith("Nothing was imported.")
    assert stored() == [0, 0, 0, 0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at", ["while it reads", "while it stores"])
def test_whoever_stops_it_gets_nothing_of_it(kind, at, project, rosa, monkeypatch):
    job = start(kind, project, rosa)

    def ask_to_stop(*_):
        Job.objects.filter(pk=job.pk).update(cancel_asked_at=timezone.now())

    if at == "while it reads":
        reads = formats if kind == "outputs" else judgment_files
        count = reads.count_records
        monkeypatch.setattr(reads, "count_records", lambda *args: (ask_to_stop(), count(*args))[1])
    else:
        module = systems_services if kind == "outputs" else judgments_services
        monkeypatch.setattr(module.audit, "record_action", lambda *args, **fields: ask_to_stop())

    assert go(job).state == "cancelled"
    assert stored() == [0, 0, 0, 0]


class Killed(BaseException):
    """A worker that is killed: nothing of ours can catch it."""


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stop", [Killed, OperationalError])
def test_a_worker_lost_while_it_stores_leaves_nothing_and_the_next_stores_all(
    kind, stop, monkeypatch
):
    project = make_project()
    rosa = factories.make_member(project, "researcher")
    job = start(kind, project, rosa)
    module = systems_services if kind == "outputs" else judgments_services
    with monkeypatch.context() as broken:

        def fail(*_, **__):
            raise stop

        broken.setattr(module.audit, "record_action", fail)
        with pytest.raises(stop):
            jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    assert stored() == [0, 0, 0, 0]

    jobs_services.requeue_stale_jobs(now=timezone.now() + jobs_services.STALE_AFTER * 2)
    assert go(job).state == "done"
    assert (stored(), job.attempts) == (WHOLE[kind], 2)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_a_worker_lost_after_it_stored_leaves_the_next_nothing_to_do(kind, monkeypatch):
    project = make_project()
    job = start(kind, project, factories.make_member(project, "researcher"))
    with monkeypatch.context() as broken:

        def fail(**_):
            raise Killed

        broken.setattr(jobs_services, "end_job", fail)
        with pytest.raises(Killed):
            jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    assert stored() == WHOLE[kind]
    job.refresh_from_db()
    before = job.result

    jobs_services.requeue_stale_jobs(now=timezone.now() + jobs_services.STALE_AFTER * 2)
    assert go(job).state == "done"
    assert (stored(), job.result) == (WHOLE[kind], before)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", KINDS)
def test_progress_can_be_seen_while_it_reads(kind, monkeypatch):
    monkeypatch.setattr("evaluation.judgments.judgment_files.REPORT_EVERY", 1)
    monkeypatch.setattr("evaluation.systems.matching._BATCH", 1)
    project = make_project()
    job = start(kind, project, factories.make_member(project, "researcher"))
    seen = []

    def see(work, number):
        work.save(done=number)
        with transaction.atomic(durable=True):  # nothing is held back
            seen.append((Job.objects.get(pk=job.pk).done, job.total))

    monkeypatch.setattr(files, "save_place", see)
    go(job)
    assert [done for done, _ in seen][:2] == [1, 2]


# --- the API -----------------------------------------------------------------------------------


def send(client, kind, project, content, /, **fields):
    file = ContentFile(content, name="given.json")
    return client.post(reverse(f"api-{kind}", args=[project.slug]), {"file": file, **fields})


FIELDS = {"outputs": {"name": "Reader", "kind": "model"}, "judgments": {"title": "Elsewhere"}}


@pytest.mark.parametrize("kind", KINDS)
def test_the_api_answers_with_the_job(kind, project, staff):
    reply = send(staff, kind, project, content_of(kind), **FIELDS[kind])
    assert reply.status_code == 202
    job = project.jobs.get()
    assert (reply.json()["id"], reply.json()["kind"]) == (job.pk, kind)
    go(job)
    told = staff.get(reply.headers["Location"]).json()
    assert (told["state"], told["file_name"]) == ("done", "given.json")
    assert told["result"]["system_id" if kind == "outputs" else "study_id"]
    assert stored() == WHOLE[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_the_api_says_by_field_what_is_wrong(kind, project, staff):
    place = reverse(f"api-{kind}", args=[project.slug])
    assert staff.post(place, FIELDS[kind]).json() == {"file": "Choose a file."}
    packed = send(staff, kind, project, b"PK\x03\x04", **FIELDS[kind])
    assert (packed.status_code, packed.json()["file"]) == (
        400,
        "The file is packed (zip). Unpack it first.",
    )
    unnamed = send(
        staff, kind, project, content_of(kind), **FIELDS[kind] | {"name": "", "title": ""}
    )
    assert unnamed.status_code == 400
    assert list(unnamed.json()) == (["name"] if kind == "outputs" else ["title"])
    assert not project.jobs.exists()


def test_a_stranger_imports_nothing_by_the_api(project, client_as):
    stranger = client_as(factories.make_user())
    for kind in KINDS:
        assert send(stranger, kind, project, content_of(kind), **FIELDS[kind]).status_code == 404
