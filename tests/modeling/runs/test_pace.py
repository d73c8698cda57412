"""A slow model: what people see of it while it writes, and what is stored meanwhile."""

import datetime as dt
import io
import json
import re
import sys
import time

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import services as jobs_services
from annotation.models import Job
from evaluation.models import Output
from modeling import pace, registry
from modeling.management import base
from modeling.registry import BaselineEntry
from modeling.services import running
from modeling.services.running import Choice
from modeling.services.sharing import Share
from tests.modeling.runs.test_sharing import run_of
from tests.modeling.runs.tiny import Tiny

pytestmark = pytest.mark.django_db


class Slow(Tiny):
    """Writes three words for each question; `between` is called after each, with their number."""

    key = "slow"
    label = "Slow"
    between = staticmethod(lambda words: None)

    def predict(self, asked):
        for question in asked:
            for words in range(1, 4):
                pace.report_tokens(1)
                self.between(words)
            yield from super().predict([question])


@pytest.fixture
def slow(tiny, monkeypatch):
    entry = BaselineEntry("slow", "Slow", "tests.modeling.runs.test_pace:Slow", heavy=True)
    monkeypatch.setitem(registry._entries, "slow", entry)
    monkeypatch.setattr(Slow, "between", staticmethod(lambda words: None))
    return Slow


@pytest.fixture
def clock(monkeypatch):
    """A clock that a test moves; each question of the slow baseline takes `each` seconds."""

    class Clock:
        at = 0.0

        def __call__(self):
            return self.at

    clock = Clock()
    for module in (pace, running, base):
        monkeypatch.setattr(module.time, "monotonic", clock)
    return clock


@pytest.fixture
def job(project, rosa, now, slow, questions, woken):
    return running.start_prediction_job(
        project=project, choice=Choice("slow", "dev"), by=rosa, now=now
    )


def page_of(client, job):
    return client.get(reverse("job-detail", args=[job.project.slug, job.pk])).text


def sizes(project, slow, seconds, clock, monkeypatch):
    """Run the five questions, each in so many seconds; return how many each batch had."""
    monkeypatch.setattr(slow, "calls", [])
    taken = iter(seconds)

    def pass_time(words):
        if words == 3:
            clock.at += next(taken)

    slow.between = staticmethod(pass_time)
    stored = []
    running.Run(project, "predict", Choice("slow", "dev")).answer_all(
        running.RunReport(), by=None, now=timezone.now,
        on_answers=lambda answered: stored.append(len(answered)),
    )  # fmt: skip
    return stored


def test_what_is_slow_is_stored_after_each_question_and_what_is_quick_is_not(
    project, slow, questions, clock, monkeypatch
):
    assert sizes(project, slow, [11] * 5, clock, monkeypatch) == [1, 1, 1, 1, 1]
    assert sizes(project, slow, [1] * 5, clock, monkeypatch) == [1, 2, 2]
    assert sizes(project, slow, [1, 6, 6, 1, 1], clock, monkeypatch) == [1, 2, 1, 1]


def test_the_command_says_how_far_it_is_while_the_model_is_silent(
    project, slow, questions, monkeypatch
):
    monkeypatch.setattr(base, "TICK", 0.02)
    monkeypatch.setattr(base, "EVERY", 0.05)
    slow.between = staticmethod(lambda words: time.sleep(0.12))
    err = io.StringIO()
    monkeypatch.setattr(sys, "stderr", err)
    call_command("predict", project.slug, "--system", "slow", "--split", "dev", stderr=err)
    lines = err.getvalue().splitlines()
    assert lines[0] == "Slow: 5 questions. The model is loaded first."
    assert all(line.startswith("Answering: ") for line in lines[1:])
    first = [line for line in lines if "0 of 5 questions (0%), " in line]
    assert "1 token of the next answer" in " ".join(first)
    assert "3 tokens of the next answer" in " ".join(first)
    later = [line for line in lines if "1 of 5 questions (20%), " in line]
    assert ", about " in later[0]
    assert " left, 1 token of" in " ".join(later)


def test_a_command_that_is_interrupted_says_what_continues_it(project, slow, questions, capsys):
    def interrupt(words):
        if Output.objects.count() == 3:  # the first, and two at a time after it
            raise KeyboardInterrupt

    slow.between = staticmethod(interrupt)
    arguments = ["predict", project.slug, "--system", "slow", "--split", "dev"]
    with pytest.raises(CommandError) as stopped:
        call_command(*arguments)
    assert stopped.value.returncode == 130
    assert str(stopped.value) == (
        "Stopped after 3 questions. What was stored is kept; the same command with --missing "
        "continues."
    )
    slow.between = staticmethod(lambda words: None)
    capsys.readouterr()
    call_command(*arguments, "--missing", "--json")
    assert json.loads(capsys.readouterr().out)["created"] == 2


def test_the_page_of_a_job_moves_while_the_model_writes(job, client_as, rosa, slow, clock):
    seen, page = [], client_as(rosa)

    def look(words):
        clock.at += 9
        row = Job.objects.get(pk=job.pk)
        share.write_heartbeat(timezone.now())  # as every two seconds, from another thread
        seen.append((words, page_of(page, row), Job.objects.get(pk=job.pk).heartbeat_at))

    slow.between = staticmethod(look)
    first = jobs_services.claim_job(job_id=job.pk, now=timezone.now())
    running._check_version(jobs_services.RunningJob(first, timezone.now), run_of(first), begin=True)
    share = Share(jobs_services.RunningJob(first, timezone.now), run_of(first))
    share.answer_batches()
    pages = [text for _, text, _ in seen]
    assert "The model is loaded first." in pages[0]
    assert "1 token of the next answer, 0.1 a second" in pages[0]
    assert "2 tokens of the next answer, 0.1 a second" in pages[1]
    assert "The model is loaded first." not in pages[3]
    assert "1 of 5 questions" in pages[3]
    assert "27 s a question, about 2 min left" in pages[3]
    job.refresh_from_db()
    assert (job.done, job.options["writing"]) == (5, "")
    jobs_services.end_job(job=job, state=Job.State.DONE, now=timezone.now())
    job.refresh_from_db()
    assert "a question, about" not in page_of(page, job)


@pytest.mark.django_db(transaction=True)
def test_a_silent_model_is_alive(job, slow, run, monkeypatch):
    """It reads a long input, and writes nothing: the heart beats, and the page says how long."""
    monkeypatch.setattr(jobs_services, "BEAT_EVERY", dt.timedelta(seconds=0.05))
    beating = jobs_services.keep_heartbeat
    monkeypatch.setattr(
        jobs_services, "keep_heartbeat", lambda work, **also: beating(work, 0.05, **also)
    )
    rows = []

    def wait(words):
        for _ in range(2):
            time.sleep(0.2)
            rows.append(Job.objects.get(pk=job.pk))

    slow.between = staticmethod(wait)
    run(job)
    beats = [row.heartbeat_at for row in rows[:6]]
    assert beats == sorted(set(beats))
    assert re.fullmatch(r"\d tokens of the next answer(, .*)?", rows[3].options["writing"])
    assert (job.state, job.done) == ("done", 5)


def test_before_the_first_word_the_page_says_what_is_waited_for(job, client_as, rosa, now):
    jobs_services.claim_job(job_id=job.pk, now=now)
    assert "The model is loaded first." in page_of(client_as(rosa), job)


def test_a_job_that_is_stopped_does_not_wait_for_its_model(job, rosa, slow, run, monkeypatch):
    monkeypatch.setattr(jobs_services, "BEAT_EVERY", jobs_services.BEAT_EVERY * 0)
    words = []

    def stop(number):
        words.append(number)
        if len(words) == 5:
            jobs_services.cancel_job(job=job, by=rosa, now=timezone.now())

    slow.between = staticmethod(stop)
    run(job)
    # Stopped at the next word of the second question; the first is kept.
    assert (job.state, job.done, len(words)) == ("cancelled", 1, 5)
    assert Output.objects.count() == 1


def test_the_time_of_several_workers_is_shared(job, monkeypatch):
    first = jobs_services.claim_job(job_id=job.pk, now=timezone.now())
    running._check_version(jobs_services.RunningJob(first, timezone.now), run_of(first), begin=True)
    for name in ("alpha", "beta"):
        share = Share(
            jobs_services.RunningJob(jobs_services.under_way(job.pk), timezone.now), run_of(first)
        )
        monkeypatch.setattr("modeling.services.sharing.worker_name", lambda name=name: name)
        rows = share.take_batch()
        share.store_predictions(*share.run.predict_answers(rows), seconds=40)
    job.refresh_from_db()
    # Three questions are left, at 40 s each, for two workers.
    assert job.options["pace"] == "40 s a question, about 1 min left"


@pytest.mark.parametrize(
    ("done", "total", "seconds", "words"),
    [
        (0, 8, 30, ""),
        (3, 8, 0, ""),
        (1, 8, 30, "30 s a question, about 4 min left"),
        (4, 8, 2, "2 questions a second, about 2 s left"),
        (8, 8, 240, "30 s a question, about 0 s left"),
        (10, 1010, 600, "60 s a question, about 16.7 h left"),
    ],
)
def test_a_pace_in_words(done, total, seconds, words):
    assert pace.in_words(done, total, seconds) == words


def test_what_is_under_way_in_words(clock):
    writing = pace.WritingPace()
    clock.at = 41
    assert str(writing) == "41 s on the next answer"
    writing.add(1)
    assert str(writing) == "1 token of the next answer"
    clock.at = 51
    writing.add(56)
    assert str(writing) == "57 tokens of the next answer, 5.7 a second"
    writing.clear()
    assert str(writing) == "0 s on the next answer"


def test_nobody_has_to_listen():
    pace.report_tokens(3)
    heard = []
    with pace.heard_by(heard.append):
        pace.report_tokens(2)
    pace.report_tokens(1)
    assert heard == [2]
