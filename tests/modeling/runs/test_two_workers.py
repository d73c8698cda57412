"""Two worker processes on Redis, each with a data folder of its own, on one run."""

import re
import shutil
import time

import pytest
from celery import Celery
from django.utils import timezone

from annotation.jobs import queue
from annotation.jobs import services as jobs_services
from annotation.models import Question, Suggestion
from modeling import registry
from modeling.models import Batch
from modeling.registry import BaselineEntry
from modeling.services import running
from modeling.services.running import Choice
from tests import factories
from tests.annotation.jobs.test_worker import (  # noqa: F401 - fixtures
    over,
    redis_address,
    wait_for,
    worker,
)
from tests.wikipedia.conftest import data_dir, lund_index, snapshot, zim  # noqa: F401 - fixtures

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("worker"),
    pytest.mark.redis,
]
MANY = 2_000


@pytest.fixture
def redis_as_broker(redis_address, monkeypatch):  # noqa: F811
    """Wake workers through Redis."""
    app = Celery("test", set_as_current=False)
    app.conf.update(
        broker_url=redis_address,
        task_default_queue="default",
        task_routes={"modeling.*": {"queue": "models"}},
    )
    monkeypatch.setattr(
        queue, "_senders", [lambda task, **arguments: app.send_task(task, kwargs=arguments)]
    )
    yield redis_address
    app.close()


@pytest.fixture
def host(worker, redis_as_broker, data_dir, tmp_path):  # noqa: F811
    """Start a worker for models with a data folder of its own, with the index or without.

    Returns its process once it waits for messages.
    """

    def host(name, *, index=True):
        folder = tmp_path / name
        folder.mkdir()
        if index:
            shutil.copytree(data_dir / "index", folder / "index")
        number = len(list(tmp_path.glob("worker-*.log")))
        arguments = ["--queues", "models", "--concurrency", "1", "--no-clock"]
        process = worker(*arguments, REDIS_URL=redis_as_broker, AMBIT_DATA=str(folder))
        log = tmp_path / f"worker-{number}.log"

        def ready():
            return "ready." in log.read_text(errors="replace")

        wait_for(ready)
        return process

    return host


@pytest.fixture
def project(snapshot):  # noqa: F811
    project = factories.make_project(snapshot=snapshot)
    now = timezone.now()
    Question.objects.bulk_create(
        Question(
            project=project,
            external_id=f"q{n}",
            text=f"university of lund number {n}",
            split="dev",
            created_at=now,
        )
        for n in range(MANY)
    )
    return project


@pytest.fixture
def suggest(project, monkeypatch):
    """Start suggestions of BM25, on the queue for models."""
    entry = registry.get_baseline("bm25")
    heavy = BaselineEntry(entry.key, entry.label, entry.path, searches=True, heavy=True)
    monkeypatch.setitem(registry._entries, entry.key, heavy)
    rosa = factories.make_member(project, "researcher", name="Rosa Reed")

    def suggest(split="dev"):
        choice = Choice("bm25", split, missing=True)
        return running.start_suggestion_job(
            project=project, choice=choice, by=rosa, now=timezone.now()
        )

    return suggest


def shares(job):
    """How many questions each process answered, by its number."""
    job.refresh_from_db()
    workers = job.options.get("workers", {})
    return {int(re.search(r"\((\d+)\)", name)[1]): count for name, count in workers.items()}


def complete(job):
    """Every question has suggestions, once, and was counted once."""
    rows = Suggestion.objects.filter(position=0)
    assert rows.count() == rows.values("question").distinct().count() == MANY
    assert (job.state, job.done, job.result["created"]) == ("done", MANY, MANY)
    assert (job.result["unchanged"], job.result["rejected"]) == (0, 0)
    assert sum(shares(job).values()) == MANY
    assert not Batch.objects.exists()


def test_two_workers_share_a_run(host, suggest):
    alpha, beta = host("alpha"), host("beta")
    job = over(suggest())
    assert set(shares(job)) == {alpha.pid, beta.pid}
    assert min(shares(job).values()) > MANY // 10
    complete(job)


@pytest.mark.parametrize("which", [0, 1])
def test_one_of_them_is_killed_and_the_other_finishes(which, host, suggest):
    """The first is that which claimed the job; the second joined it."""
    hosts = [host("alpha"), host("beta")]
    job = suggest()
    seen = []

    def both():
        seen.extend(pid for pid in shares(job) if pid not in seen)
        return len(seen) == 2

    wait_for(both)
    first, second = sorted(hosts, key=lambda process: seen.index(process.pid))
    killed, other = (first, second) if which == 0 else (second, first)
    killed.kill()
    killed.wait()
    before = shares(job)
    assert sum(before.values()) < MANY

    # Half a minute passes for the batch that it had in hand, if it had one.
    taken = set(Batch.objects.values_list("pk", "token"))
    time.sleep(1)
    silent = taken & set(Batch.objects.values_list("pk", "token"))
    Batch.objects.filter(pk__in=[pk for pk, _ in silent]).update(
        seen_at=timezone.now() - 2 * jobs_services.STALE_AFTER
    )
    over(job)
    assert shares(job)[killed.pid] == before[killed.pid]
    assert shares(job)[other.pid] > before[other.pid]
    complete(job)


@pytest.mark.parametrize("bare_first", [False, True])
def test_a_worker_without_the_index_says_so_and_the_other_finishes(bare_first, host, suggest):
    """Where it comes first it passes the job on, else it may not join."""
    alpha = None if bare_first else host("alpha")
    bare = host("bare", index=False)
    job = suggest()
    if bare_first:

        def passed_on():
            job.refresh_from_db()
            return job.state == "queued" and "absent" in job.options

        wait_for(passed_on)
        time.sleep(0.5)  # until the message is sent
        bare.kill()  # before it is its turn again
        alpha = host("alpha")
    over(job)
    assert set(shares(job)) == {alpha.pid}
    [reason] = job.options["absent"].values()
    assert re.search("has no index of “lund”. Share AMBIT_DATA/index with it, or make", reason)
    complete(job)


def test_where_no_worker_has_the_index_the_job_ends_with_what_to_do(host, suggest):
    host("bare", index=False)
    job = over(suggest())
    assert job.state == "failed"
    assert "manage.py index_wikipedia" in job.problem
    assert not Suggestion.objects.exists()


def test_two_runs_at_once_are_worked_by_two_workers(host, suggest, project):
    Question.objects.filter(project=project, external_id__endswith="1").update(split="train")
    one, two = suggest("dev"), suggest("train")
    host("alpha")
    host("beta")
    over(one)
    over(two)
    assert one.done + two.done == MANY
    assert len({*shares(one), *shares(two)}) == 2
    assert Suggestion.objects.filter(position=0).count() == MANY
