"""An import is undone while nobody has worked on what it created."""

import io
import json

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.imports import services as imports_services
from annotation.imports import undoing
from annotation.jobs import services as jobs_services
from annotation.long_answers.concerns import services as concerns_services
from annotation.models import Assignment, AuditEntry, Job, Question, Task
from annotation.work import assignments
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.annotation.work.helpers import in_parallel

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


def lines(*ids, text="who built bridge"):
    return b"".join(
        json.dumps({"id": each, "question": f"{text} {each}"}).encode() + b"\n" for each in ids
    )


@pytest.fixture
def imported(project, rosa, now):
    """Upload lines as Rosa and let a worker import them."""

    def run(content, into=project, **options):
        job = imports_services.start_import(
            project=into,
            file=ContentFile(content, name="bridges.jsonl"),
            file_name="bridges.jsonl",
            strict=True,
            by=rosa,
            now=now,
            **{"format": "jsonl", "split": "dev"} | options,
        )
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert job.state == "done"
        return job

    return run


def ids(project):
    return set(project.questions.values_list("external_id", flat=True))


def test_what_it_created_goes_and_what_it_updated_stays(project, rosa, imported, now):
    imported(lines("a", "b"))
    second = imported(lines("b", text="who paid for bridge") + lines("c", "d"))
    assert undoing.undo_import(job=second, by=rosa, now=now) == 2
    assert ids(project) == {"a", "b"}
    assert project.questions.get(external_id="b").text == "who paid for bridge b"
    assert Task.objects.count() == 2
    entry = AuditEntry.objects.get(action="import_undone")
    assert (entry.actor, entry.data["questions"]) == (rosa.pk, 2)
    with pytest.raises(Conflict, match="already been undone"):
        undoing.undo_import(job=second, by=rosa, now=now)


def test_not_once_somebody_has_taken_one(project, rosa, ann, imported, now):
    job = imported(lines("a", "b", "c"))
    turn = factories.make_assignment(Task.objects.first(), ann, "expired")
    with pytest.raises(Conflict, match="worked on 1 of the 3 questions"):
        undoing.undo_import(job=job, by=rosa, now=now)
    assert len(ids(project)) == 3
    job.refresh_from_db()
    assert job.undone_at is None
    turn.delete()
    assert undoing.undo_import(job=job, by=rosa, now=now) == 3


def test_not_while_another_import_runs(project, rosa, imported, now):
    job = imported(lines("a"))
    Job.objects.create(project=project, kind="import", created_by=rosa, created_at=now)
    with pytest.raises(Conflict, match="Another import"):
        undoing.undo_import(job=job, by=rosa, now=now)
    assert ids(project) == {"a"}


def test_only_staff_and_only_imports_that_are_over(project, rosa, ann, stan, imported, now):
    job = imported(lines("a"))
    for person in (ann, stan):
        with pytest.raises(Denied):
            undoing.undo_import(job=job, by=person, now=now)
    Job.objects.filter(pk=job.pk).update(state="running", ended_at=None)
    with pytest.raises(Conflict, match="still running"):
        undoing.undo_import(job=job, by=rosa, now=now)
    Job.objects.filter(pk=job.pk).update(state="done", ended_at=now, kind="contexts")
    with pytest.raises(Conflict, match="Only an import"):
        undoing.undo_import(job=job, by=rosa, now=now)
    assert ids(project) == {"a"}


def test_finished_work_that_was_imported_goes_too(rosa, imported, now):
    record = {
        "id": "a",
        "question": "who built the tunnel",
        "annotations": [{"type": "singleAnswer", "answer": ["Brunel"]}],
    }
    project = factories.make_project()
    factories.make_member(project, "researcher", user=rosa)
    content = json.dumps([record]).encode()
    job = imported(content, into=project, format="ambignq", finished=True)
    assert project.questions.get().state == "accepted"
    undoing.undo_import(job=job, by=rosa, now=now)
    assert not ids(project)


def test_a_question_with_a_concern_stays(rosa, ada, now):
    project = asqa.make_project()
    question = asqa.make_question(project)
    factories.make_member(project, "researcher", user=rosa)
    job = Job.objects.create(
        project=project,
        kind="import",
        state="done",
        created_by=rosa,
        created_at=now,
        ended_at=now,
    )
    Question.objects.filter(pk=question.pk).update(job=job)
    concerns_services.raise_as_staff(
        question=question, disambiguations=[0], reason="They mean the same.", by=rosa, now=now
    )
    with pytest.raises(Conflict, match="There is a concern"):
        undoing.undo_import(job=job, by=rosa, now=now)
    assert Question.objects.filter(pk=question.pk).exists()


def test_by_the_page(client_as, rosa, ann, project, imported):
    job = imported(lines("a", "b"))
    client = client_as(rosa)
    page = client.get(reverse("job-detail", args=[project.slug, job.pk])).content.decode()
    assert "Undo this import" in page
    address = reverse("import-undo", args=[project.slug, job.pk])
    shown = client.post(address, follow=True).content.decode()
    assert "2 questions were removed" in shown
    assert "<h1>This import was undone</h1>" in shown
    assert "questions are in" not in shown
    assert "Undo this import" not in shown
    assert (
        "No questions yet"
        in client.get(reverse("project-overview", args=[project.slug])).content.decode()
    )
    assert client.post(address).status_code == 409
    assert client_as(ann).post(address).status_code == 403


@pytest.mark.django_db(transaction=True)
def test_undo_and_somebody_who_takes_a_question_at_the_same_moment(project, rosa, imported):
    """Either the undo is refused, or the taker gets nothing: never work without its question."""
    people = [factories.make_member(project, "annotator", name=f"P{n} Person") for n in range(3)]
    outcomes = set()
    for round_ in range(12):
        job = imported(lines(f"r{round_}"))

        def undo(job=job):
            return undoing.undo_import(job=job, by=rosa, now=timezone.now())

        def take(person):
            return lambda: assignments.take_next(
                project=project, stage="generation", by=person, now=timezone.now()
            )

        undone, *taken = in_parallel([undo, *[take(each) for each in people]])
        got = [each for each in taken if isinstance(each, Assignment)]
        assert all(each is None or isinstance(each, Assignment) for each in taken), taken
        if isinstance(undone, Conflict):
            assert got
            assert Question.objects.filter(job=job).count() == 1
        else:
            assert undone == 1, undone
            assert not got
        outcomes.add(bool(got))
        Assignment.objects.all().delete()
        Question.objects.all().delete()
    assert outcomes <= {True, False}


def test_a_command_imports_without_a_job(project, rosa, now):
    imports_services.import_questions(
        project=project, file=io.BytesIO(lines("a")), format="jsonl", split="dev", by=rosa, now=now
    )
    assert project.questions.get().job is None
