"""An ASQA project over a small archive, whose pages say when a ferry began and ended."""

import pytest
from django.utils import timezone

from annotation.jobs import services as jobs_services
from tests.annotation.contexts.helpers import ARTICLES
from tests.annotation.long_answers import helpers
from tests.wikipedia.archives.zims import write_zim
from wikipedia.providers.registry import forget_providers
from wikipedia.snapshots import services as snapshots_services


@pytest.fixture(scope="session")
def ferries(tmp_path_factory):
    """The archive."""
    path = tmp_path_factory.mktemp("zim") / "ferries.zim"
    return write_zim(path, ARTICLES, redirects=(("Lund_boat", "Lund boat", "Ferry_of_Lund"),))


@pytest.fixture
def project(db, ferries):
    forget_providers()
    snapshot = snapshots_services.create_snapshot(
        name="ferries", archive=ferries, now=timezone.now()
    )
    snapshot.state = "ready"
    snapshot.save(update_fields=["state"])
    return helpers.make_project(snapshot=snapshot)


@pytest.fixture
def woken(monkeypatch):
    """The ids of the jobs that workers were told of."""
    ids = []
    monkeypatch.setattr(jobs_services, "wake_workers", ids.append)
    return ids


@pytest.fixture
def run(django_capture_on_commit_callbacks, woken):
    """Run a job as a worker does; returns it as it is afterwards."""

    def run(job):
        with django_capture_on_commit_callbacks(execute=True):
            jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        return job

    return run
