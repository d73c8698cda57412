"""Several workers on one run, in one process: who has which batch, and what happens to it."""

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.jobs import queue
from annotation.jobs import services as jobs_services
from annotation.models import Job, Suggestion
from modeling.base import MissingModel
from modeling.models import Batch
from modeling.services import running, sharing
from modeling.services.running import Choice, Run
from modeling.services.sharing import Share
from modeling.services.storing import RunReport

pytestmark = pytest.mark.django_db


@pytest.fixture
def job(project, rosa, now, tiny, questions, woken):
    """A run of suggestions for five questions in batches of two, claimed by the first worker."""
    made = running.start_suggestion_job(
        project=project, choice=Choice("tiny", "dev"), by=rosa, now=now
    )
    first = jobs_services.claim_job(job_id=made.pk, now=timezone.now())
    running._check_version(jobs_services.RunningJob(first, timezone.now), run_of(first), begin=True)
    return made


def run_of(job):
    return Run(job.project, job.kind, running.choice_of(job))


@pytest.fixture
def worker(job, monkeypatch):
    """Another worker that joins the run, under its own name."""

    def worker(name="alpha"):
        share = Share(
            jobs_services.RunningJob(jobs_services.under_way(job.pk), timezone.now), run_of(job)
        )

        def answer():
            monkeypatch.setattr(sharing, "worker_name", lambda: name)
            rows = share.take_batch()
            share.store_predictions(*share.run.predict_answers(rows))

        share.answer_next = answer
        return share

    return worker


def names(rows):
    return [row.external_id for row in rows]


def suggested():
    rows = Suggestion.objects.filter(kind="long_answer").order_by("question__external_id")
    return list(rows.values_list("question__external_id", flat=True))


def test_each_takes_other_questions_and_the_counts_add_up(job, worker):
    alpha, beta = worker(), worker("beta")
    assert names(alpha.take_batch()) == ["q1", "q2"]
    beta.answer_next()
    beta.answer_next()
    # The last batches are in hand elsewhere.
    assert beta.take_batch() == []
    assert beta.held is None
    job.refresh_from_db()
    assert (job.done, job.options["workers"]) == (3, {"beta": 3})
    alpha.store_predictions(*alpha.run.predict_answers(alpha.run.select_questions()[:2]))
    assert beta.take_batch() is alpha.take_batch() is None
    job.refresh_from_db()
    assert (job.done, job.total, job.result["created"], job.result["tokens_in"]) == (5, 5, 5, 15)
    assert suggested() == ["q1", "q2", "q3", "q4", "q5"]
    assert not Batch.objects.exists()


def test_the_batch_of_a_silent_worker_is_taken_over_and_it_stores_nothing(job, worker):
    lost, other = worker("lost"), worker("other")
    rows = lost.take_batch()
    Batch.objects.update(
        seen_at=timezone.now() - jobs_services.STALE_AFTER + dt.timedelta(seconds=5)
    )
    assert names(other.take_batch()) == ["q3", "q4"]
    Batch.objects.filter(pk=lost.held.pk).update(
        seen_at=timezone.now() - jobs_services.STALE_AFTER - dt.timedelta(seconds=1)
    )
    assert names(other.take_batch()) == ["q1", "q2"]
    with pytest.raises(jobs_services.JobLost):
        lost.store_predictions(*lost.run.predict_answers(rows))
    assert suggested() == []
    other.store_predictions(*other.run.predict_answers(rows))
    assert suggested() == ["q1", "q2"]


def test_a_sign_of_life_keeps_a_batch(job, worker):
    alpha, beta = worker(), worker("beta")
    alpha.take_batch()
    Batch.objects.update(seen_at=timezone.now() - dt.timedelta(hours=1))
    alpha.write_heartbeat(timezone.now())
    assert names(beta.take_batch()) == ["q3", "q4"]


def test_questions_excluded_in_the_meantime_do_not_hold_up_the_end(job, worker, questions):
    lost, other = worker("lost"), worker("other")
    lost.take_batch()
    Batch.objects.update(seen_at=None)
    for row in questions:
        row.state = "excluded"
        row.save()
    assert other.take_batch() is None


def test_a_worker_joins_and_ends_the_run(job, worker):
    worker().answer_next()
    running.join_job(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert (job.state, job.done) == ("done", 5)
    assert job.options["workers"] == {"alpha": 5}
    assert suggested() == ["q1", "q2", "q3", "q4", "q5"]
    running.join_job(job_id=job.pk, clock=timezone.now)  # called twice


def test_a_worker_with_another_version_leaves_it_to_the_others(job, client_as, rosa, worker):
    Job.objects.update(options=Job.objects.get().options | {"version": "0"})
    running.join_job(job_id=job.pk, clock=timezone.now)
    job.refresh_from_db()
    assert job.state == "running"
    [(name, reason)] = job.options["absent"].items()
    assert name == sharing.worker_name()
    assert "It began with version 0, and this worker has version 1." in reason
    page = client_as(rosa).get(reverse("job-detail", args=[job.project.slug, job.pk]))
    assert "A worker could not help" in page.content.decode()
    assert "this worker has version 1" in page.content.decode()


def test_what_the_model_of_one_worker_does_not_answer_another_does(job, worker, tiny, monkeypatch):
    predict = tiny.predict

    def stop_at_the_second(self, asked):
        yield next(predict(self, asked))
        raise MissingModel("There is no memory left.")

    monkeypatch.setattr(tiny, "predict", stop_at_the_second)
    running.join_job(job_id=job.pk, clock=timezone.now)
    monkeypatch.setattr(tiny, "predict", predict)
    job.refresh_from_db()
    assert (job.state, job.done) == ("running", 1)
    assert list(job.options["absent"].values()) == ["There is no memory left."]
    other = worker("other")
    assert names(other.take_batch()) == ["q2"]
    other.store_predictions(
        *other.run.predict_answers(other.run.select_questions().filter(external_id="q2"))
    )
    other.answer_batches()
    assert suggested() == ["q1", "q2", "q3", "q4", "q5"]
    assert Job.objects.get().result["created"] == 5


def test_who_shared_a_run_is_on_its_page(job, worker, client_as, rosa):
    worker().answer_next()
    worker("beta").answer_next()
    page = client_as(rosa).get(reverse("job-detail", args=[job.project.slug, job.pk]))
    assert "Shared by 2 workers: beta: 2, alpha: 2" in page.content.decode()


def test_a_run_that_was_stopped_leaves_no_batch(job, worker, rosa, run):
    share = worker()
    rows = share.take_batch()
    jobs_services.cancel_job(job=job, by=rosa, now=timezone.now())
    with pytest.raises(jobs_services.JobCancelled):
        share.store_predictions(*share.run.predict_answers(rows))
    jobs_services.end_job(job=Job.objects.get(), state="cancelled", now=timezone.now())
    sharing.forget_ended()
    assert not Batch.objects.exists()
    assert suggested() == []


@pytest.mark.parametrize("heavy", [False, True])
def test_each_worker_of_a_heavy_run_asks_another_for_help_once(job, worker, heavy, monkeypatch):
    Job.objects.update(options=Job.objects.get().options | {"heavy": heavy})
    sent = []
    monkeypatch.setattr(
        queue, "_senders", [lambda task, **arguments: sent.append((task, arguments))]
    )
    worker().answer_batches()
    assert sent == ([("modeling.tasks.join_job", {"job_id": job.pk})] if heavy else [])


def test_a_broker_that_is_down_does_not_end_the_run(job, worker, monkeypatch, caplog):
    Job.objects.update(options=Job.objects.get().options | {"heavy": True})

    def down(task, **arguments):
        raise ConnectionError("no broker")

    monkeypatch.setattr(queue, "_senders", [down])
    worker().answer_batches()
    assert suggested() == ["q1", "q2", "q3", "q4", "q5"]
    assert "no worker could be asked to help" in caplog.text


def test_a_process_joins_a_run_once(job):
    with sharing.at_work(job.pk):
        running.join_job(job_id=job.pk, clock=timezone.now)
    assert suggested() == []


def test_counts_of_two_parts_add_up():
    one = RunReport(created=2, rejected=1, cost="0.10", errors=[{"name": "a", "reason": "Late."}])
    two = RunReport(created=1, tokens_in=5, cost="0.25")
    both = sharing.add_reports(one, two)
    assert (both.created, both.tokens_in, both.cost, both.done) == (3, 5, "0.35", 4)
    assert both.errors == one.errors
    assert sharing.add_reports(RunReport(), RunReport()).cost == ""
    values = {"cost": "1.5", "errors": [{"name": "a", "reason": "Late."}]}
    full = RunReport(**{name: values.get(name, 3) for name in RunReport.__dataclass_fields__})
    assert sharing.add_reports(full, RunReport()) == full == sharing.add_reports(RunReport(), full)


def test_a_run_that_this_worker_cannot_do_is_passed_on_once(
    job, tiny, monkeypatch, run, woken, client_as, rosa
):
    monkeypatch.setattr(jobs_services, "PASS_SECONDS", 0)
    Job.objects.update(state="queued")

    def missing(self, corpus, options):
        raise MissingModel("There is no tiny here.")

    with monkeypatch.context() as patch:
        patch.setattr(tiny, "__init__", missing)
        run(job)
        assert (job.state, job.problem) == ("queued", "")
        assert job.options["absent"] == {sharing.worker_name(): "There is no tiny here."}
        address = reverse("job-detail", args=[job.project.slug, job.pk])
        assert "There is no tiny here." in client_as(rosa).get(address).content.decode()
        run(job)  # it is still the only worker
        assert (job.state, job.problem) == ("failed", "There is no tiny here.")
    assert suggested() == []


def test_another_worker_takes_what_the_first_cannot_do(job, tiny, monkeypatch, run):
    monkeypatch.setattr(jobs_services, "PASS_SECONDS", 0)
    Job.objects.update(state="queued")

    def missing(self, corpus, options):
        raise MissingModel("There is no tiny here.")

    with monkeypatch.context() as patch:
        patch.setattr(tiny, "__init__", missing)
        run(job)
    run(job)
    assert (job.state, job.done) == ("done", 5)
    assert suggested() == ["q1", "q2", "q3", "q4", "q5"]
