"""The button that makes vectors, and its job."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.models import Job
from modeling.base import MissingModel
from modeling.services import indexing, running
from modeling.services.running import Choice
from modeling.vectors import building, store
from modeling.vectors.store import read_info, vectors_dir
from tests import factories
from tests.modeling import wordvectors
from wikipedia.search import stored

pytestmark = pytest.mark.django_db
PASSAGES = [(str(n), f"Page {n}", f"Text number {n}.") for n in range(6)]


@pytest.fixture
def words(project, settings, tmp_path, monkeypatch, woken):
    settings.AMBIT_DATA = tmp_path / "data"
    monkeypatch.setattr(building, "BATCH", 2)
    monkeypatch.setattr(stored, "_POSITIONS", 1)
    wordvectors.corpus(tmp_path, PASSAGES, name=project.snapshot.name)
    return wordvectors.install(monkeypatch)


def make(project, by, encoder="minilm"):
    return indexing.make_vectors(project=project, encoder=encoder, by=by, now=timezone.now())


def address(project, encoder="minilm"):
    return reverse("vectors-make", args=[project.slug, encoder])


def test_vectors_are_made_by_a_button_and_watched(project, client_as, rosa, words, run):
    staff = client_as(rosa)
    pages = [reverse(name, args=[project.slug]) for name in ("system-run", "suggestion-run")]
    for page in pages:
        text = staff.get(page).content.decode()
        assert f'action="{address(project)}"' in text
        assert "Make vectors by MiniLM" in text
        assert "have no vectors by minilm" in text  # why a baseline cannot run

    reply = staff.post(address(project))
    job = Job.objects.get()
    assert reply.headers["Location"] == reverse("job-detail", args=[project.slug, job.pk])
    assert run(job).state == "done"
    page = staff.get(reply.headers["Location"]).content.decode()
    for sentence in ("Vectors of passages", "Vectors by MiniLM, ", "6 of 6 passages"):
        assert sentence in page
    for page in pages:
        text = staff.get(page).content.decode()
        assert "Make vectors by MiniLM" not in text
        assert "Make vectors by DPR" in text
        assert "have no vectors by minilm" not in text
    log = staff.get(reverse("project-log", args=[project.slug])).content.decode()
    assert "Vectors by MiniLM" in log


def test_two_clicks_are_one_job(project, rosa, words):
    first = make(project, rosa)
    assert make(project, rosa).pk == first.pk
    assert make(project, rosa, "dpr").pk != first.pk


def test_a_job_that_was_lost_continues(project, rosa, words, run, monkeypatch):
    job = make(project, rosa)
    encode, calls = words.encode, []

    def dies(*texts):
        if len(calls) == 2:
            raise KeyboardInterrupt
        calls.append(texts)
        return encode(*texts)

    monkeypatch.setattr(words, "encode", dies)
    with pytest.raises(KeyboardInterrupt):
        run(job)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("running", 4, 6)
    Job.objects.update(heartbeat_at=timezone.now() - 2 * jobs_services.STALE_AFTER)
    jobs_services.requeue_stale_jobs(now=timezone.now())
    monkeypatch.setattr(words, "encode", encode)
    words.read.clear()
    assert run(job).state == "done"
    assert (job.done, job.attempts, len(words.read)) == (6, 2, 1)


def test_a_job_that_is_stopped_keeps_what_it_made(project, rosa, words, run, monkeypatch):
    job, encode = make(project, rosa), words.encode

    def stop(*texts):
        if len(words.read) == 1:
            Job.objects.update(cancel_asked_at=timezone.now())
        return encode(*texts)

    monkeypatch.setattr(words, "encode", stop)
    assert run(job).state == "cancelled"
    assert read_info(vectors_dir(project.snapshot.name, "minilm")) is None
    monkeypatch.setattr(words, "encode", encode)
    words.read.clear()
    assert run(make(project, rosa)).state == "done"
    assert sum(map(len, words.read)) == 2


def test_what_goes_wrong_is_a_sentence(project, rosa, words, run, monkeypatch):
    words.sign = float("nan")
    job = run(make(project, rosa))
    assert (job.state, job.problem[:40]) == ("failed", "The encoder gave numbers that are not fi")

    def full(*facts, **more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(building, "build_vectors", full)
    job = run(make(project, rosa))
    assert (job.state, job.problem) == (
        "failed", "The vectors cannot be written: No space left on device."
    )  # fmt: skip


def test_vectors_that_need_not_or_cannot_be_made(project, rosa, words, monkeypatch, client_as):
    outsider = factories.make_member(project, "annotator", name="Gus")
    with pytest.raises(Denied):
        make(project, outsider)
    building.build_vectors(project.snapshot.name, "minilm")
    with pytest.raises(Conflict, match="by MiniLM are up to date"):
        make(project, rosa)
    assert client_as(rosa).post(address(project)).status_code == 409
    assert client_as(rosa).post(address(project, "robot")).status_code == 404

    def missing(role, name=""):
        raise MissingModel("The model is not on this machine.")

    monkeypatch.setattr(store, "get_weights", missing)
    with pytest.raises(Conflict, match="not on this machine"):
        make(project, rosa, "dpr")
    assert indexing.list_missing_vectors(project) == []
    assert not Job.objects.exists()


def test_a_live_wiki_offers_none(db):
    snapshot = factories.make_snapshot(kind="live", address="http://127.0.0.1:9/api.php")
    assert indexing.list_missing_vectors(factories.make_project(snapshot=snapshot)) == []


def test_a_reranker_puts_a_light_baseline_on_the_queue_for_models(project, words, monkeypatch):
    monkeypatch.setattr("modeling.reranking.get_weights", wordvectors.weights)
    heavy = [
        running.Run(project, "predict", Choice("bm25", "dev", options)).heavy
        for options in ({}, {"reranker": "none"}, {"reranker": "cross-encoder"})
    ]
    assert heavy == [False, False, True]
