"""Trainings as jobs: started from the page and the API, stopped, killed, and gone on with."""

import datetime as dt
import html
import json
import os
import re
import signal
from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.jobs import services as jobs_services
from annotation.models import AuditEntry, Job, Question
from modeling import weights
from modeling.base import BadOption
from modeling.training import apart, jobs, memory
from modeling.training.building import ExampleChoice
from modeling.training.trainings import TrainingChoice
from tests import factories

pytestmark = [
    *(pytest.mark.django_db, pytest.mark.models, pytest.mark.xdist_group("models")),
    pytest.mark.usefixtures("quiet"),
]


@pytest.fixture
def quiet(monkeypatch):
    monkeypatch.setattr(jobs_services, "wake_workers", lambda job_id: None)


@pytest.fixture
def by(project):
    return factories.make_member(project, "researcher")


@pytest.fixture
def choice(plain_model):
    return TrainingChoice(
        examples=ExampleChoice(system="disambig-first", role="ambiguity"),
        key="ours",
        base=str(plain_model("plain-bert")),
        changes={"batch": "8", "tokens_in": "60"},
        max_steps=6,
        device="cpu",
    )


@pytest.fixture
def start(project, by, choice, monkeypatch):
    """Start the training as staff do; folders of the server are for commands, so not checked."""
    monkeypatch.setattr(jobs, "is_folder", lambda name: False)

    def start():
        now = timezone.now()
        return jobs.start_training_job(project=project, choice=choice, by=by, now=now)

    return start


def run(job):
    jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    return job


def test_a_job_is_stopped_goes_on_in_another_process_and_names_the_weights(
    start, monkeypatch, settings, client_as, by
):
    job = start()
    assert start().pk == job.pk  # two presses
    iterate = apart.ApartRun.iterate_steps

    def cancelled_at_two(self):
        for done, total in iterate(self):
            if done == 2:
                Job.objects.filter(pk=job.pk).update(cancel_asked_at=timezone.now())
                monkeypatch.setattr(jobs_services, "BEAT_EVERY", jobs_services.BEAT_EVERY * 0)
            yield done, total

    with monkeypatch.context() as patch:
        patch.setattr(apart.ApartRun, "iterate_steps", cancelled_at_two)
        run(job)
    folder = settings.AMBIT_DATA / "training" / "ours"
    assert job.state == "cancelled"
    assert list(folder.glob("checkpoint-*/whole.json"))
    assert not weights.list_trained()

    job = run(jobs.start_again(job, job.created_by, timezone.now()))
    assert (job.state, job.problem) == ("done", "")
    assert (job.done, job.total) == (6, 6)
    assert weights.list_trained() == ["ours"]
    assert {"right classes", "majority", "untrained"} <= set(job.result["figures"])
    assert job.result["loss"][0][0] <= 2  # the curve has what the first process learnt
    assert job.result["dev"]
    assert AuditEntry.objects.get(action="weights_trained").data["name"] == "ours"
    page = client_as(by).get(reverse("job-detail", args=["crossings", job.pk])).content.decode()
    assert "Use these weights" in page
    assert "ambiguity%3Dtrained%3Aours" in page
    assert "<polyline" in page
    with pytest.raises(Conflict, match="There are weights trained:ours already"):
        start()

    # A worker that was lost after it had named the weights is replaced, and trains nothing again.
    Job.objects.filter(pk=job.pk).update(state="queued", ended_at=None)
    with monkeypatch.context() as patch:
        patch.setattr(jobs, "ProjectTraining", None)
        assert run(job).state == "done"

    # What stands in the way of a process is told by a file.
    (folder / apart.GIVEN).write_text(json.dumps({"device": "cuda", "role": "ambiguity"}))
    (folder / "result.json").unlink()
    before = signal.getsignal(signal.SIGTERM)
    try:
        assert apart.take_steps(folder) == apart.REFUSED
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "There is no graphics card here" in (folder / apart.PROBLEM).read_text()


def test_an_estimate_counts_times_and_trains_nothing(
    start, project, by, choice, settings, client_as
):
    project.questions.filter(pk=project.questions.filter(split="train").first().pk).update(
        state="excluded"
    )
    now = timezone.now()
    job = run(jobs.start_estimate_job(project=project, choice=choice, by=by, now=now))
    assert (job.state, job.problem) == ("done", "")
    assert (job.done, job.total) == (6, 6)
    said = job.result["estimate"]
    assert (said["examples"], said["left_out"], said["steps"]) == (19, {"excluded": 1}, 6)
    assert said["seconds"] > 0
    assert not (settings.AMBIT_DATA / "training").exists()
    assert not weights.list_trained()
    page = client_as(by).get(reverse("job-detail", args=["crossings", job.pk])).content.decode()
    assert "Left out: 1 excluded by the team." in page
    asked = {
        name: html.unescape(value)
        for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page)
    }
    asked = {name: value for name, value in asked.items() if name != "csrfmiddlewaretoken"}
    # Both presses begin with what was estimated; a folder can only be named by a command.
    address = reverse("train", args=["crossings"])
    changed = client_as(by).post(address, asked | {"again": "1"})
    assert changed.status_code == 200
    assert "batch=8\ntokens_in=60" in changed.content.decode()
    assert client_as(by).post(address, asked | {"base": "minilm"}).status_code == 302
    job = Job.objects.get(kind="training")
    assert jobs.read_choice(job) == replace(choice, base="minilm", max_steps=None, device="auto")


def test_a_model_without_room_is_refused_by_its_estimate(
    start, project, by, choice, monkeypatch, client_as
):
    now = timezone.now()
    job = jobs.start_estimate_job(project=project, choice=choice, by=by, now=now)
    monkeypatch.setattr(memory, "find_free_bytes", lambda device: 1_000)
    run(job)
    assert job.state == "failed"
    assert "0.0 GB are free here. Begin with a smaller model" in job.problem
    page = client_as(by).get(reverse("job-detail", args=["crossings", job.pk])).content.decode()
    assert "Change it</button>" in page
    assert "Start this training" not in page


def test_where_nothing_can_be_learnt_the_reasons_are_said(start, project, by, choice):
    project.questions.filter(split="train").update(state="excluded")
    now = timezone.now()
    job = run(jobs.start_estimate_job(project=project, choice=choice, by=by, now=now))
    assert job.problem == ("There is no example to learn from. Left out: 20 excluded by the team.")


def test_the_link_fills_in_the_form(project, by, client_as):
    address = reverse("system-run", args=["crossings"])
    asked = {"baseline": "question-x8", "options": "ambiguity=trained:ours"}
    page = client_as(by).get(address, asked).content.decode()
    assert "ambiguity=trained:ours</textarea>" in page


def test_a_process_that_is_killed_is_a_sentence(start, monkeypatch):
    def killed(self):
        os.kill(self._process.pid, signal.SIGKILL)
        yield from ()

    job = start()
    monkeypatch.setattr(apart.ApartRun, "iterate_steps", killed)
    run(job)
    assert job.state == "failed"
    assert job.problem == (
        "The training was ended from outside (SIGKILL). Probably memory ran out."
    )


class WorkerLost(BaseException):
    """As if the worker's process was killed: nothing of the job is written afterwards."""


@pytest.mark.parametrize("gains", [True, False])
def test_a_lost_worker_counts_where_it_got_no_further(start, monkeypatch, gains):
    """Seven are replaced where each left a later checkpoint; else the fifth was the last."""
    job, steps = start(), iter(range(1, 8))

    def lost(self):
        if gains:
            step = next(steps)
            checkpoint = self.folder / f"checkpoint-{step}"
            checkpoint.mkdir()
            said = {"step": step, "seconds": 1, "over": False}
            (checkpoint / "whole.json").write_text(json.dumps(said))
        yield 1, 100
        raise WorkerLost

    monkeypatch.setattr(
        apart.ApartRun, "__init__", lambda self, folder: setattr(self, "folder", folder)
    )
    monkeypatch.setattr(apart.ApartRun, "kill", lambda self: None)
    monkeypatch.setattr(apart.ApartRun, "iterate_steps", lost)
    states = []
    while len(states) < (7 if gains else 5):
        with pytest.raises(WorkerLost):
            run(job)
        Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now() - dt.timedelta(minutes=1))
        jobs_services.requeue_stale_jobs(now=timezone.now())
        job.refresh_from_db()
        states.append(job.state)
    assert states == (["queued"] * 7 if gains else ["queued"] * 4 + ["failed"])
    assert (job.attempts, job.advanced) == ((7, 7) if gains else (5, 0))


def test_too_few_questions_fail_the_job_with_a_sentence(start, project):
    Question.objects.filter(project=project, split="dev").first().delete()
    job = run(start())
    assert job.state == "failed"
    assert "dev has 19 questions, fewer than 20" in job.problem


def test_another_training_of_the_name_is_refused(start, project, by, choice):
    start()
    other = replace(choice, seed=1)
    with pytest.raises(Conflict, match="are being trained already"):
        jobs.start_training_job(project=project, choice=other, by=by, now=timezone.now())


def test_folders_of_the_server_are_for_commands(project, by, choice):
    with pytest.raises(BadOption, match=r"only manage\.py train can name folders"):
        jobs.start_training_job(project=project, choice=choice, by=by, now=timezone.now())


def test_the_page_starts_a_job_and_says_what_is_wrong(project, by, client_as, settings):
    staff, address = client_as(by), reverse("train", args=["crossings"])
    assert "Train weights" in staff.get(address).content.decode()
    asked = {
        "part": "disambig-first:ambiguity",
        "name": "ours",
        "base": "minilm",
        "preset": "small",
        "seed": "0",
        "changes": "batch=4",
    }
    started = staff.post(address, asked)
    job = Job.objects.get()
    assert started["Location"] == reverse("job-detail", args=["crossings", job.pk])
    assert job.options["changes"] == {"batch": "4"}
    for change, sentence in (
        ({"name": "Ours!"}, "is no name of trained weights"),
        ({"name": "other", "base": "./here"}, "only manage.py train can name folders"),
        ({"name": "other", "changes": "depth=3"}, "A recipe has no number"),
        ({"name": "other", "changes": "batch"}, "write it as name=value"),
        ({"name": "other", "base": "facebook/bart-large"}, "is not on this machine"),
        ({"name": "other", "also": "nq"}, "write it as PROJECT:N"),
        ({"name": "other", "also": "nq:1\nnq:2"}, "“nq” is named twice"),
        ({"name": "other", "also": "nq:1"}, "There is no other project “nq” whose data you may"),
    ):
        refused = staff.post(address, asked | change)
        assert refused.status_code == 422
        assert sentence in refused.content.decode()
    assert Job.objects.count() == 1
    staff.post(address, asked | {"estimate": "1"})
    assert Job.objects.get(kind="training-estimate").options["key"] == "ours"


def test_the_api_starts_and_lists_trainings(project, by, client_as):
    staff, address = client_as(by), reverse("api-trainings", args=["crossings"])
    body = {"system": "disambig-first", "role": "ambiguity", "name": "ours", "base": "minilm"}
    started = staff.post(address, body, content_type="application/json")
    assert started.status_code == 202
    assert [row["id"] for row in staff.get(address).json()["results"]] == [started.json()["id"]]
    for change, status in (({"name": "X"}, 400), ({"system": "no", "name": "b"}, 409)):
        refused = staff.post(address, body | change, content_type="application/json")
        assert refused.status_code == status
    estimated = staff.post(address, body | {"estimate": True}, content_type="application/json")
    assert estimated.json()["kind"] == "training-estimate"
