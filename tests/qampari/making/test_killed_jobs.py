"""A run in a process of its own that is killed by signal 9, and run again: equal questions."""

import datetime as dt
import json
import random
import signal
import subprocess
import sys

import pytest
from django.utils import timezone

from annotation.jobs import services as jobs_services
from annotation.models import Job, Question
from qampari.making import jobs
from qampari.making.choices import read_choice
from qampari.models import Candidate, EvidenceVerdict
from tests import factories
from tests.annotation.jobs.test_worker import ROOT, on_test_database
from tests.qampari.making.conftest import DEMO

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.xdist_group("worker"),
    pytest.mark.process,
]
# Few answers are enough, so that there are several questions to make.
CHOICE = read_choice(DEMO | {"least": 1, "most": 200, "share": 0.1})
QUESTION = ("external_id", "text", "context", "split", "state")


@pytest.fixture
def run_apart(demo_files):
    """Run a job in another process: killed at a moment, or not; return how it ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.qampari.making.a_job"],
        cwd=ROOT,
        env=on_test_database(demo_files[0]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )

    def run(job, moment):
        process.stdin.write(json.dumps([job.pk, moment]) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    yield run
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


@pytest.fixture
def begin(project):
    """Return a new job in a project without questions and verdicts."""
    rosa = factories.make_member(project, "researcher")

    def begin():
        Question.objects.all().delete()
        EvidenceVerdict.objects.all().delete()
        Job.objects.all().delete()
        return jobs.start_making_job(
            project=project, graph="demo", choice=CHOICE, judge="words", try_only=False,
            by=rosa, now=timezone.now(),
        )  # fmt: skip

    return begin


def write_questions(job):
    """Return everything that a run has made, as bytes."""
    job.refresh_from_db()
    assert (job.state, job.problem) == ("done", "")
    verdicts = EvidenceVerdict.objects.order_by("wording", "value", "item")
    made = {
        "questions": list(Question.objects.order_by("external_id").values(*QUESTION)),
        "answers": list(
            Candidate.objects.order_by("question__external_id", "position").values_list(
                "question__external_id", "text", "forms", "lot"
            )
        ),
        "verdicts": [
            [value for name, value in row.items() if name not in ("id", "project_id")]
            for row in verdicts.values()
        ],
        "counts": job.result,
    }
    return json.dumps(made, indent=1, sort_keys=True, default=str).encode()


def run_again(job, run_apart):
    """Half a minute passes, another worker is woken, and it runs the job to its end."""
    Job.objects.filter(pk=job.pk, state="running").update(
        heartbeat_at=timezone.now() - jobs_services.STALE_AFTER - dt.timedelta(seconds=1)
    )
    jobs_services.requeue_stale_jobs(now=timezone.now())
    assert run_apart(job, "")["signal"] == 0


def kill_and_compare(begin, run_apart, moments):
    """Kill a run at each moment and let it end; return what it had written until then."""
    whole, left = begin(), []
    longest = run_apart(whole, "")["seconds"]
    expected = write_questions(whole)
    assert len(json.loads(expected)["questions"]) > 2
    for moment in moments:
        job = begin()
        given = moment if isinstance(moment, str) else moment * longest
        end = run_apart(job, given)
        assert end["signal"] in (signal.SIGKILL, 0)
        left.append((end["signal"], EvidenceVerdict.objects.count(), Question.objects.count()))
        if end["signal"]:
            run_again(job, run_apart)
        assert write_questions(job) == expected, moment
    return left


def test_a_run_that_is_killed_a_few_times_makes_equal_questions(begin, run_apart):
    moments = ["page 6", "save 6", "tasks 1", "result 2"]
    reading, saving, adding, ending = kill_and_compare(begin, run_apart, moments)
    assert [each[0] for each in (reading, saving, adding, ending)] == [signal.SIGKILL] * 4
    # Verdicts that were written stay; questions come in all together.
    assert 0 < saving[1] < adding[1]
    assert reading[2] == saving[2] == adding[2] == 0 < ending[2]


@pytest.mark.slow
@pytest.mark.patience(2)
def test_a_run_that_is_killed_at_twenty_moments_makes_equal_questions(begin, run_apart):
    chance = random.Random(20)
    left = kill_and_compare(begin, run_apart, [chance.uniform(0, 1) for _ in range(20)])
    killed = [rows for ended, *rows in left if ended]
    assert len(killed) >= 15
    assert len({verdicts for verdicts, _ in killed}) > 3, "some moments are between two commits"
