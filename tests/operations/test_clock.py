"""What the clock sends is done: by a task that exists, in a queue that a worker reads."""

import datetime as dt
import re
from pathlib import Path

import pytest
from celery.beat import Scheduler
from django.conf import settings
from django.utils import timezone

from annotation.core import limits
from annotation.models import Assignment, Question, Task
from annotation.work import assignments
from config.celery import app
from qampari.stages.extend import EXTEND
from qampari.verdicts import CHECK
from tests import factories
from tests.qampari import extending
from tests.qampari import factories as lists
from tests.qampari.test_checking import bring_in
from tests.qampari.test_crowd import make as with_gold_items

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
ENTRIES = settings.CELERY_BEAT_SCHEDULE


def queues_read():
    """Return the queues that the workers of an installation read."""
    started = re.findall(
        r"celery --app config worker (.*)", (ROOT / "deploy/ambit").read_text("utf-8")
    )
    named = [re.search(r"--queues (\S+)", line) for line in started]
    return {found[1] if found else settings.CELERY_TASK_DEFAULT_QUEUE for found in named}


@pytest.fixture(autouse=True)
def at_once():
    """Run what is sent in this process, as a worker runs it; an error is raised."""
    app.loader.import_default_modules()
    before = app.conf.task_always_eager, app.conf.task_eager_propagates
    app.conf.task_always_eager = app.conf.task_eager_propagates = True
    yield
    app.conf.task_always_eager, app.conf.task_eager_propagates = before


def ring(name):
    """Let the clock send one entry of the schedule."""
    clock = Scheduler(app)
    return clock.apply_async(clock.schedule[name], advance=False)


@pytest.mark.parametrize("name", ENTRIES)
def test_every_entry_is_run_by_a_worker(name):
    task = app.tasks[ENTRIES[name]["task"]]
    assert app.amqp.router.route({}, task.name)["queue"].name in queues_read()
    assert ring(name).successful()


def test_workers_read_the_queue_of_everything_and_that_of_models():
    assert queues_read() == {"default", "models"}


def test_new_tasks_get_gold_items():
    project, plan = with_gold_items(1, rate=50)
    assert plan.items.count() == 0  # no other question has answers to copy
    lists.make_question(project, timezone.now())
    with_gold = Task.objects.filter(policy__project=project, policy__stage=CHECK, gold=True)
    assert with_gold.count() == 0
    ring("draw-gold-items")
    assert with_gold.count() == 2 * 5  # each question gets copies of the answers of the other


def test_work_whose_time_is_over_is_submitted():
    now = timezone.now()
    project = extending.make_project()
    extending.ready(project, now)
    person = factories.make_member(project, "annotator")
    work = assignments.take_next(project=project, stage=EXTEND, by=person, now=now)
    ring("end-timed-work")
    assert Assignment.objects.get(pk=work.pk).state == "active"
    over = now - limits.GRACE - dt.timedelta(seconds=1)
    Assignment.objects.filter(pk=work.pk).update(limit_ends_at=over)
    ring("end-timed-work")
    assert Assignment.objects.get(pk=work.pk).state != "active"


def test_a_split_is_filled_from_the_reserve():
    project = lists.make_project(target_dev=2)
    bring_in(project, *(lists.record(number) for number in range(1, 4)))
    dropped, _, reserve = Question.objects.filter(project=project).order_by("pk")
    Question.objects.filter(pk=dropped.pk).update(state="excluded")
    ring("fill-reserves")
    reserve.refresh_from_db()
    assert reserve.state == "imported"
