"""Jobs that run a baseline: each question once, whatever happens in between."""

import datetime as dt
import json
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.jobs import retrying
from annotation.jobs import services as jobs_services
from annotation.jobs.services import RunningJob
from annotation.models import AuditEntry, Job
from evaluation.models import Output, System
from modeling import registry, tasks
from modeling.base import AnsweredDisambiguation, MissingModel, Prediction, ShortAnswer
from modeling.registry import BaselineEntry
from modeling.services import running
from modeling.services.running import Choice
from modeling.services.storing import text_of
from tests import factories
from tests.evaluation import factories as studies

pytestmark = pytest.mark.django_db


@pytest.fixture
def start(project, rosa, now, tiny, questions, woken):
    """Start a run as Rosa; returns the waiting job."""

    def start(baseline="tiny", split="dev", missing=False, **options):
        choice = Choice(baseline, split, options, missing)
        return running.start_prediction_job(project=project, choice=choice, by=rosa, now=now)

    return start


def texts():
    return dict(Output.objects.values_list("question__external_id", "text"))


def test_every_question_of_the_split_gets_an_output(start, run, tiny, questions, project, rosa):
    job = run(start())

    system = System.objects.get(project=project)
    assert (system.name, system.version, system.kind) == ("tiny", "1", "baseline")
    assert system.options == {"baseline": "Tiny"}
    assert system.created_by == rosa
    assert texts() == {row.external_id: row.prompt[::-1] for row in questions}
    assert tiny.calls == [["q1", "q2"], ["q3", "q4"], ["q5"]]
    assert (job.state, job.done, job.total, job.unit) == ("done", 5, 5, "questions")
    assert (job.result["created"], job.result["tokens_in"]) == (5, 15)
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        "job_created",
        "job_done",
    ]


def test_what_is_scored_besides_the_text_is_stored(start, run):
    run(start())
    first = Output.objects.order_by("pk").first()
    assert first.details == {
        "pairs": [["When did tunnel 1 open?", "1843"]],
        "passages": ["It opened in 1843."],
        "titles": ["Thames Tunnel"],
    }
    # Outputs from before this was stored get it by another run.
    Output.objects.update(details={})
    again = run(start())
    assert (again.result["changed"], again.result["unchanged"]) == (0, 5)
    first.refresh_from_db()
    assert first.details["passages"] == ["It opened in 1843."]


def test_a_second_run_writes_nothing_twice(start, run, tiny):
    run(start())
    before = list(Output.objects.order_by("pk").values_list("pk", "text"))

    again = run(start())
    assert (again.result["created"], again.result["unchanged"]) == (0, 5)
    assert list(Output.objects.order_by("pk").values_list("pk", "text")) == before

    tiny.calls.clear()
    with pytest.raises(Conflict, match="something of this version already"):
        start(missing=True)
    Output.objects.filter(question__external_id="q4").delete()
    rest = run(start(missing=True))
    assert (rest.result["created"], rest.total, tiny.calls) == (1, 1, [["q4"]])


def test_other_options_are_another_version(start, run):
    run(start())
    run(start(more="!"))
    versions = list(System.objects.order_by("pk").values_list("version", flat=True))
    assert len(set(versions)) == 2
    assert versions[1].startswith("1-")
    assert Output.objects.count() == 10


def test_texts_change_until_a_study_uses_them(start, run, project, monkeypatch):
    run(start())
    corrected = BaselineEntry("tiny", "Tiny", "tests.modeling.runs.tiny:Corrected")
    monkeypatch.setitem(registry._entries, "tiny", corrected)
    system = System.objects.get()
    studies.make_study(project, [system], state="draft")
    assert run(start()).result["changed"] == 5
    assert set(texts().values()) == {"Corrected."}

    studies.make_study(project, [system], state="running")
    Output.objects.update(text="As people judge it.")
    Output.objects.filter(question__external_id="q2").delete()
    job = run(start())
    assert (job.state, job.result["kept"], job.result["created"]) == ("done", 4, 1)
    assert sorted(texts().values()) == ["As people judge it."] * 4 + ["Corrected."]


def test_a_problem_with_one_question_is_named_and_does_not_stop_the_others(start, run):
    job = run(start(fails="q3"))
    assert (job.state, job.done, job.result["created"]) == ("done", 5, 4)
    assert job.result["rejected"] == 1
    assert job.result["errors"] == [{"name": "q3", "reason": "The reply is too long."}]
    assert sorted(texts()) == ["q1", "q2", "q4", "q5"]


def test_a_model_that_stops_ends_the_job_with_its_sentence_and_keeps_its_answers(start, run):
    job = run(start(stops="q4"))
    assert (job.state, job.problem) == ("failed", "The endpoint is silent.")
    assert (job.done, sorted(texts())) == (3, ["q1", "q2", "q3"])


def test_a_killed_worker_s_job_continues_behind_the_last_whole_batch(
    start, run, tiny, now, monkeypatch
):
    job = start(fails="q1")
    saved = RunningJob.save

    class Killed(BaseException):
        pass

    def die_in_the_second_batch(self, **changes):
        saved(self, **changes)
        if changes.get("done") == 4:
            raise Killed

    monkeypatch.setattr(RunningJob, "save", die_in_the_second_batch)
    with pytest.raises(Killed):
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    monkeypatch.setattr(RunningJob, "save", saved)
    job.refresh_from_db()
    assert (job.state, job.done, sorted(texts())) == ("running", 2, ["q2"])

    jobs_services.requeue_stale_jobs(now=timezone.now() + dt.timedelta(minutes=1))
    run(job)
    assert (job.state, job.done, job.attempts) == ("done", 5, 2)
    assert (job.result["created"], job.result["rejected"]) == (4, 1)
    assert sorted(texts()) == ["q2", "q3", "q4", "q5"]
    assert tiny.calls == [["q1", "q2"], ["q3", "q4"], ["q3", "q4"], ["q5"]]


def test_a_job_does_not_continue_with_another_version(start, run, tiny, monkeypatch):
    job = start()
    Job.objects.update(options=job.options | {"version": "0", "after": 0})
    run(job)
    assert (job.state, texts()) == ("failed", {})
    assert "It began with version 0, and this worker has version 1." in job.problem


def test_a_job_is_stopped_between_batches(start, run, tiny, rosa, now, monkeypatch):
    job = start()
    predict = tiny.predict

    def asked_to_stop_in_the_first_batch(self, asked):
        yield from predict(self, asked)
        if len(self.calls) == 2:
            jobs_services.cancel_job(job=job, by=rosa, now=timezone.now())

    monkeypatch.setattr(tiny, "predict", asked_to_stop_in_the_first_batch)
    run(job)
    assert (job.state, job.done) == ("cancelled", 2)
    assert sorted(texts()) == ["q1", "q2"]
    # Another one does the rest, from the start: what the workers of the first noted is not its own.
    monkeypatch.setattr(tiny, "predict", predict)
    again = run(retrying.retry_job(job=job, by=rosa, now=now))
    assert (again.state, again.result["created"], again.result["unchanged"]) == ("done", 3, 2)


def test_excluded_questions_are_left_out(start, run, questions):
    questions[0].state = "excluded"
    questions[0].save()
    assert run(start()).total == 4
    assert "q1" not in texts()


def test_two_clicks_are_one_job(start):
    first = start()
    assert start() == first
    assert start(more="!") != first


REFUSED = {
    "baseline": ({"baseline": "none"}, MissingModel, "There is no baseline “none”"),
    "cannot run": ({"broken": "1"}, MissingModel, "pip install tiny"),
    "gives nothing": ({"baseline": "searcher"}, Conflict, "“Searcher” gives no answers"),
    "no question": ({"split": "train"}, Conflict, "There is no question on train."),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_run_that_cannot_be_is_refused_before_it_starts(start, case):
    fields, kind, sentence = REFUSED[case]
    with pytest.raises(kind, match=sentence):
        start(**fields)
    assert not Job.objects.exists()


def test_only_staff_start_a_run(project, ann, now, tiny, questions):
    with pytest.raises(Denied):
        running.start_prediction_job(project=project, choice=Choice("tiny", "dev"), by=ann, now=now)


@pytest.mark.parametrize("heavy", [False, True])
def test_what_is_heavy_waits_on_the_queue_for_models(
    heavy, project, rosa, now, tiny, questions, settings, monkeypatch
):
    if not settings.CELERY_BROKER_URL.startswith("filesystem"):
        pytest.skip("another broker than the embedded one is configured")
    entry = BaselineEntry("tiny", "Tiny", "tests.modeling.runs.tiny:Tiny", heavy=heavy)
    monkeypatch.setitem(registry._entries, "tiny", entry)
    folder = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_out"])
    before = set(folder.iterdir())
    job = running.start_prediction_job(
        project=project, choice=Choice("tiny", "dev"), by=rosa, now=now
    )
    jobs_services.wake_workers(job.pk)
    [message] = [path for path in folder.iterdir() if path not in before]
    sent = json.loads(message.read_text())["headers"]["task"]
    message.unlink()
    queue, task = ("models", tasks.run_job.name) if heavy else ("default", jobs_services.RUN_JOB)
    assert (message.name.split(".")[-2], sent) == (queue, task)


PAIRS = (
    AnsweredDisambiguation(
        "When did it open to walkers?", (ShortAnswer("1843"), ShortAnswer("25 March 1843"))
    ),
    AnsweredDisambiguation("When did it open to trains?", (ShortAnswer("1869"),)),
)


@pytest.mark.parametrize(
    ("prediction", "text", "problem"),
    [
        (Prediction("q", long_answer="A\0 text.", pairs=PAIRS), "A text.", ""),
        (
            Prediction("q", pairs=PAIRS, answers=(ShortAnswer("1843"),)),
            "When did it open to walkers? 1843; 25 March 1843\nWhen did it open to trains? 1869",
            "",
        ),
        (Prediction("q", answers=(ShortAnswer("1843"), ShortAnswer("1869"))), "1843\n1869", ""),
        (Prediction("q", long_answer=" \ud800\n"), "", "It gave no answer."),
        (Prediction("q"), "", "It gave no answer."),
        (Prediction("q", answers=(ShortAnswer("1843"),), problem="Late."), "", "Late."),
        (
            Prediction("q", long_answer="a" * 50_001),
            "",
            "Its answer has 50,001 characters. The maximum is 50,000.",
        ),
    ],
)
def test_what_is_stored_of_a_prediction(prediction, text, problem):
    assert text_of(prediction) == (text, problem)


def test_the_number_of_queries_does_not_grow_with_questions(
    start, run, project, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(running, "BATCH", 100)
    for n in range(50):
        factories.make_question(project, external_id=f"more-{n}")
    job = start()
    with django_assert_max_num_queries(45):
        run(job)
    assert job.done == 55
