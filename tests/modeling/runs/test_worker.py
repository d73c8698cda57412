"""A worker process that is killed in the middle of a run, and another that goes on."""

import datetime as dt

import pytest
from celery import Celery
from django.utils import timezone

from annotation.jobs import queue
from annotation.jobs import services as jobs_services
from annotation.models import Job, Question, Suggestion
from evaluation.models import Output, System
from modeling import registry
from modeling.registry import BaselineEntry
from modeling.services import running
from modeling.services.running import Choice
from tests import factories
from tests.annotation.jobs.test_worker import over, wait_for, worker  # noqa: F401 - a fixture

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.xdist_group("worker")]
MANY = 4_000


@pytest.fixture
def files_as_broker(tmp_path, monkeypatch):
    """Wake workers through files, each task on its own queue."""
    for folder in ("messages", "control"):
        (tmp_path / "queue" / folder).mkdir(parents=True)
    app = Celery("test", set_as_current=False)
    app.conf.update(
        broker_url="filesystem://",
        broker_transport_options={
            "data_folder_in": str(tmp_path / "queue" / "messages"),
            "data_folder_out": str(tmp_path / "queue" / "messages"),
            "control_folder": str(tmp_path / "queue" / "control"),
        },
        task_default_queue="default",
        task_routes={"modeling.*": {"queue": "models"}},
    )
    monkeypatch.setattr(
        queue, "_senders", [lambda task, **arguments: app.send_task(task, kwargs=arguments)]
    )
    yield
    app.close()


@pytest.mark.parametrize(
    ("start", "stored"),
    [(running.start_prediction_job, Output), (running.start_suggestion_job, Suggestion)],
    ids=["predict", "suggest"],
)
def test_a_killed_worker_leaves_no_question_out_and_none_twice(
    start,
    stored,
    worker,  # noqa: F811
    files_as_broker,
    monkeypatch,
):
    """4,000 questions; SIGKILL half-way; another worker on the queue for models finishes."""
    project = factories.make_project()
    now = timezone.now()
    Question.objects.bulk_create(
        Question(
            project=project, external_id=f"q{n}", text=f"number {n}", split="dev", created_at=now
        )
        for n in range(MANY)
    )
    entry = registry.get_baseline("question-x8")
    heavy = BaselineEntry(entry.key, entry.label, entry.path, heavy=True)
    monkeypatch.setitem(registry._entries, entry.key, heavy)
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")
    job = start(project=project, choice=Choice(entry.key, "dev"), by=rosa, now=now)
    first = worker("--queues", "models", "--concurrency", "1")

    def half_way():
        job.refresh_from_db()
        return job.done >= MANY // 4

    wait_for(half_way)
    first.kill()
    first.wait()
    job.refresh_from_db()
    assert (job.state, job.total) == ("running", MANY)
    assert MANY // 4 <= job.done < MANY
    # What was stored and what was counted are of the same moment.
    assert stored.objects.count() == job.done == job.result["created"]
    assert job.batches.count() <= 1

    # Half a minute passes.
    Job.objects.update(
        heartbeat_at=timezone.now() - jobs_services.STALE_AFTER - dt.timedelta(seconds=1)
    )
    jobs_services.requeue_stale_jobs(now=timezone.now())
    worker("--queues", "models", "--concurrency", "1")
    over(job)
    assert (job.state, job.done, job.attempts) == ("done", MANY, 2)
    assert (job.result["created"], job.result["unchanged"]) == (MANY, 0)
    assert System.objects.count() == (stored is Output)
    assert stored.objects.count() == MANY
    assert stored.objects.values("question").distinct().count() == MANY
    assert not job.batches.exists()
