import pytest
from django.utils import timezone

from annotation.jobs import services as jobs_services
from modeling import registry
from modeling.registry import BaselineEntry
from modeling.services import running
from tests import factories
from tests.modeling.runs.tiny import Tiny


@pytest.fixture
def tiny(monkeypatch):
    """Baselines of tests as the registry, and batches of two."""
    entries = (
        BaselineEntry("tiny", "Tiny", "tests.modeling.runs.tiny:Tiny"),
        BaselineEntry("searcher", "Searcher", "tests.modeling.runs.tiny:Searcher"),
    )
    monkeypatch.setattr(registry, "_entries", {entry.key: entry for entry in entries})
    monkeypatch.setattr(running, "BATCH", 2)
    monkeypatch.setattr(Tiny, "calls", [])
    return Tiny


@pytest.fixture
def woken(monkeypatch):
    """The ids of the jobs that workers were told of."""
    ids = []
    monkeypatch.setattr(jobs_services, "wake_workers", ids.append)
    return ids


@pytest.fixture
def questions(project):
    """Five questions on dev, one on test."""
    factories.make_question(project, split="test", external_id="other")
    return [
        factories.make_question(project, text=f"when did tunnel {n} open", external_id=f"q{n}")
        for n in range(1, 6)
    ]


@pytest.fixture
def run():
    """Run a job as a worker does; returns it as it is afterwards."""

    def run(job):
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        return job

    return run
