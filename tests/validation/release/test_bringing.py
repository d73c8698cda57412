"""Questions straight from an AmbigQA project: the job, the page, the command."""

import io
import json
import threading

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.imports import services as imports_services
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Membership, Question
from tests import factories
from tests.annotation.long_answers import helpers
from tests.annotation.work.helpers import wait_for
from tests.validation.release.conftest import ambignq, pairs, record, single
from validation.copying import services as copying_services
from validation.release.import_adapter import AmbigNQImportAdapter

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def woken(monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


@pytest.fixture
def target(db, rosa):
    project = helpers.make_project(slug="long")
    factories.make_member(project, "researcher", user=rosa)
    return project


@pytest.fixture
def filled(project, bring_in):
    """Two questions that come over, and two that do not."""
    bring_in(
        ambignq(
            record(1, pairs(("Q1?", "a", "A"), ("Q2?", "b")), viewed_doc_titles=["Bridge 1"]),
            record(2, single("x")),
            record(3, pairs(*[(f"Q{n}?", "a") for n in range(7)])),
            record(4, pairs(("Q1|q1?", "a"), ("Q2?", "b")), single("x"), nq_doc_title="Bridge"),
        )
    )
    return project


@pytest.fixture
def start(target, filled, rosa, now):
    def start(split="dev", by=rosa, source=filled, into=target):
        return copying_services.start_bringing(
            project=into, source=source, split=split, by=by, now=now
        )

    return start


def run(job):
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def test_the_job_brings_what_is_ambiguous_over(
    start, target, rosa, django_capture_on_commit_callbacks
):
    job = start()
    name = str(job.file.name)
    with django_capture_on_commit_callbacks(execute=True):
        run(job)
    assert (job.state, job.problem, job.done, job.total) == ("done", "", 4, 4)
    assert job.result["created"] == 2
    assert job.result["left_out"] == {"not_ambiguous": 1, "too_many_disambiguations": 1}
    one, four = Question.objects.filter(project=target).order_by("pk")
    assert (one.external_id, one.text, one.split) == ("r1", "When was bridge 1 built?", "dev")
    assert one.context == {
        "qa_pairs": [
            {"question": "Q1?", "short_answers": ["a", "A"], "context": None, "wikipage": None},
            {"question": "Q2?", "short_answers": ["b"], "context": None, "wikipage": None},
        ],
        "wikipages": [{"title": "Bridge 1", "url": "https://en.wikipedia.org/wiki/Bridge%201"}],
    }
    assert four.context["qa_pairs"][0]["question"] == "Q1|q1?"
    assert four.context["wikipages"][0]["title"] == "Bridge"
    assert AuditEntry.objects.get(action="released").actor == rosa.pk
    assert not default_storage.exists(name)


def test_again_brings_what_was_accepted_since(start, filled, bring_in, target):
    run(start())
    bring_in(ambignq(record(5, pairs(("Q?", "a"), ("R?", "b")))))
    job = run(start())
    assert (job.result["created"], job.result["unchanged"]) == (1, 2)


def test_disambiguations_stay_while_somebody_works(start, filled, bring_in, target, now):
    run(start())
    writer = factories.make_member(target, "annotator")
    turn = helpers.take(target, writer, now)
    taken = turn.task.question
    bring_in(ambignq(record(1, pairs(("New?", "a"), ("Q2?", "b")))))
    bring_in(ambignq(record(4, pairs(("New?", "a"), ("Q2?", "b")))))
    job = run(start())
    assert (job.result["updated"], job.result["rejected"]) == (1, 1)
    assert "Someone is working on" in job.result["errors"][0]["reason"]
    before = taken.context
    taken.refresh_from_db()
    assert taken.context == before


def test_a_job_whose_worker_was_lost_reads_the_same_file_again(start, target, monkeypatch, project):
    job = start()
    monkeypatch.setattr(imports_services, "BATCH", 1)
    saved = jobs_services.RunningJob.save

    def lost(self, **changes):
        saved(self, **changes)
        if changes.get("done") == 2:
            raise jobs_services.JobLost

    monkeypatch.setattr(jobs_services.RunningJob, "save", lost)
    run(job)
    assert (job.state, job.done, job.options["written"]) == ("running", 1, True)
    # What is accepted meanwhile does not move what was read already.
    Question.objects.filter(project=project, external_id="r1").update(state="excluded")
    monkeypatch.setattr(jobs_services.RunningJob, "save", saved)
    Job.objects.filter(pk=job.pk).update(state="queued")
    run(job)
    assert (job.state, job.done, job.result["created"]) == ("done", 4, 2)
    assert AuditEntry.objects.filter(action="released").count() == 1


def test_a_file_that_was_half_written_is_written_anew(start, target):
    job = start()
    default_storage.save(str(job.file.name), ContentFile(b'[{"id": "r1", "que'))
    run(job)
    assert (job.state, job.result["created"], job.result["rejected"]) == ("done", 2, 0)


def test_a_job_is_stopped_before_it_begins_or_while_it_reads(start, rosa, monkeypatch):
    job = start()
    jobs_services.cancel_job(job=job, by=rosa, now=timezone.now())
    assert run(job).state == "cancelled"
    job = start()
    given = AmbigNQImportAdapter.give_accepted

    def asked_meanwhile(*args, **options):
        yield from given(*args, **options)
        Job.objects.filter(pk=job.pk).update(cancel_asked_at=timezone.now())

    monkeypatch.setattr(AmbigNQImportAdapter, "give_accepted", asked_meanwhile)
    assert run(job).state == "cancelled"
    assert not Question.objects.filter(project=job.project).exists()


def test_who_is_no_longer_staff_there_brings_nothing(start, filled, rosa):
    job = start()
    Membership.objects.filter(project=filled, user=rosa).delete()
    run(job)
    assert job.state == "failed"
    assert job.problem.startswith("Crossings pilot: Only researchers and admins")


def test_who_may_start_and_from_where(start, target, filled, ann, rosa):
    outsider = factories.make_member(target, "researcher")
    with pytest.raises(Denied):
        start(by=outsider)
    with pytest.raises(Denied):
        start(by=ann)
    with pytest.raises(Conflict, match="Crossings pilot has no accepted question on test yet"):
        start(split="test")
    other = helpers.make_project()
    factories.make_member(other, "researcher", user=rosa)
    with pytest.raises(Conflict, match="to a project of ASQA from one of ASQA"):
        start(source=other)
    assert not Job.objects.exists()


class TestPage:
    def test_from_the_overview_to_the_job(self, client_as, rosa, target, filled):
        overview = client_as(rosa).get(reverse("project-overview", args=["long"])).content.decode()
        address = reverse("project-bring", args=["long"])
        assert address in overview
        page = client_as(rosa).get(address).content.decode()
        assert f'<option value="{filled.slug}">Crossings pilot ({filled.slug})</option>' in page
        answer = client_as(rosa).post(address, {"source": filled.slug, "split": "dev"})
        job = Job.objects.get()
        assert answer["Location"] == reverse("job-detail", args=["long", job.pk])
        run(job)
        page = client_as(rosa).get(answer["Location"]).content.decode()
        for words in ("Crossings pilot, dev", "2 new", "1 not ambiguous"):
            assert words in page

    def test_refusals_are_on_the_form(self, client_as, rosa, target, filled):
        address = reverse("project-bring", args=["long"])
        answer = client_as(rosa).post(address, {"source": filled.slug, "split": "test"})
        assert answer.status_code == 422
        assert "has no accepted question on test yet" in answer.content.decode()
        answer = client_as(rosa).post(address, {"source": "elsewhere", "split": "dev"})
        assert answer.status_code == 422

    def test_without_a_project_it_says_so(self, client_as, target):
        alone = factories.make_member(target, "researcher")
        page = client_as(alone).get(reverse("project-bring", args=["long"])).content.decode()
        assert "No AmbigQA project" in page

    def test_ambigqa_projects_have_no_such_page(self, client_as, rosa, filled):
        assert client_as(rosa).get(reverse("project-bring", args=[filled.slug])).status_code == 404
        overview = client_as(rosa).get(reverse("project-overview", args=[filled.slug]))
        assert "/bring/" not in overview.content.decode()


class TestCommand:
    def run(self, *args):
        out = io.StringIO()
        call_command("import_questions", *args, stdout=out, stderr=io.StringIO())
        return out.getvalue()

    def test_it_counts_as_for_a_file(self, target, filled):
        out = self.run("long", "--from-project", filled.slug, "--split=dev", "--json")
        found = json.loads(out)
        assert (found["created"], found["left_out"]["not_ambiguous"]) == (2, 1)
        assert "2 unchanged" in self.run("long", "--from-project", filled.slug, "--split=dev")

    @pytest.mark.parametrize(
        ("args", "sentence"),
        [
            (["long"], "Name a file, or --from-project."),
            (["long", "x.json"], "x.json cannot be read: No such file"),
            (["long", "--from-project=pilot"], "Name the split to copy"),
            (["long", "--from-project=none", "--split=dev"], "'none' is not a project"),
            (["long", "--from-project=long", "--split=dev"], "'long' is not a project"),
            (["pilot", "--from-project=pilot", "--split=dev"], "whose questions 'pilot' can take"),
            (
                ["long", "x.json", "--from-project=pilot", "--split=dev"],
                "cannot be combined with a file",
            ),
            (["long", "--from-project=pilot", "--split=test"], "holds no records"),
        ],
    )
    def test_what_is_missing_is_said_with_status_2(self, target, args, sentence):
        factories.make_project(slug="pilot")
        with pytest.raises(CommandError) as refusal:
            self.run(*args)
        assert (sentence in str(refusal.value), refusal.value.returncode) == (True, 2)


def heartbeat_of(job):
    """Read it as another connection sees it."""
    found = []

    def look():
        found.append(Job.objects.get(pk=job.pk).heartbeat_at)
        connection.close()

    thread = threading.Thread(target=look)
    thread.start()
    thread.join(10)
    return found[0]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("asked", [False, True])
def test_a_worker_shows_that_it_lives_while_it_reads(start, monkeypatch, asked):
    """Its heart beats on a connection of its own: the one that reads is in a snapshot."""
    every = jobs_services.keep_heartbeat
    monkeypatch.setattr(jobs_services, "keep_heartbeat", lambda work: every(work, 0.01))
    job, beats, given = start(), [], AmbigNQImportAdapter.give_accepted

    def slow(*args, **options):
        for block in given(*args, **options):
            before = timezone.now()
            beats.append(wait_for(lambda: heartbeat_of(job) > before, seconds=30))  # noqa: B023
            yield block
        if asked:
            Job.objects.filter(pk=job.pk).update(cancel_asked_at=timezone.now())

    monkeypatch.setattr(AmbigNQImportAdapter, "give_accepted", slow)
    assert run(job).state == ("cancelled" if asked else "done")
    assert beats
