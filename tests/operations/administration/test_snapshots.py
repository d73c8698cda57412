"""Snapshots with their indexes, and building one by a job."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.jobs import services as jobs_services
from annotation.models import Job
from operations.administration.snapshots import services
from operations.administration.snapshots.values import INDEX
from tests import factories
from tests.annotation.work.helpers import in_parallel
from wikipedia.search.index import IndexProblem

pytestmark = pytest.mark.django_db
PAGE = reverse("administration-wikipedia")


def build(client, snapshot):
    return client.post(reverse("administration-wikipedia-build", args=[snapshot.name]))


def row_of(client, snapshot):
    rows = client.get(PAGE).context["rows"]
    return next(row for row in rows if row.snapshot.pk == snapshot.pk)


@pytest.fixture
def run(now, monkeypatch):
    """Run the job that waits, with a stand-in for what builds; return the job."""

    def run_with(index_snapshot):
        monkeypatch.setattr("wikipedia.snapshots.services.index_snapshot", index_snapshot)
        job = Job.objects.get(kind=INDEX, state="queued")
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        return job

    return run_with


def test_a_snapshot_says_what_it_takes_and_who_uses_it(client, project, settings, tmp_path):
    settings.AMBIT_DATA = tmp_path
    folder = tmp_path / "index" / project.snapshot.name
    (folder / "vectors" / "minilm").mkdir(parents=True)
    (folder / "vectors" / "minilm" / "flat").write_bytes(b"x" * 700)
    (folder / "terms").write_bytes(b"x" * 300)
    row = row_of(client, project.snapshot)
    assert (row.index, [(each.encoder, each.bytes) for each in row.vectors]) == (
        300,
        [("minilm", 700)],
    )
    assert row.projects == [project]
    assert row.problem
    assert "Cannot be used" in client.get(PAGE).content.decode()


def test_a_build_is_a_job_with_progress_and_a_second_press_finds_it(client, project, run):
    build(client, project.snapshot)
    build(client, project.snapshot)
    assert "Waits to be built" in client.get(PAGE).content.decode()
    asked = []

    def index_snapshot(*, snapshot, progress):
        progress(25, 100)
        asked.append(row_of(client, snapshot).percent)
        progress(100, 100)

    job = run(index_snapshot)
    assert (job.state, job.done, job.total, asked) == ("done", 100, 100, [25])
    assert job.project_id == project.pk
    assert row_of(client, project.snapshot).job is None


def test_a_build_that_fails_says_why_and_is_tried_again(client, project, run):
    build(client, project.snapshot)

    def index_snapshot(*, snapshot, progress):
        raise IndexProblem("The archive is damaged.")

    job = run(index_snapshot)
    assert (job.state, job.problem) == ("failed", "The archive is damaged.")
    client.post(reverse("administration-job-retry", args=[job.pk]))
    assert Job.objects.filter(kind=INDEX, state="queued").count() == 1


def test_what_cannot_be_built_here_is_refused(project, root, ada, now):
    unused = factories.make_snapshot(name="unused", archive="/x.zim")
    live = factories.make_snapshot(name="live", kind="live", address="https://w.example/api.php")
    for snapshot, sentence in ((unused, "No project uses"), (live, "live wiki has no index")):
        with pytest.raises(Conflict, match=sentence):
            services.start_build(snapshot=snapshot, by=root, now=now)
    with pytest.raises(Denied):
        services.start_build(snapshot=project.snapshot, by=ada, now=now)


def test_unknown_snapshots_are_not_found(client):
    address = reverse("administration-wikipedia-build", args=["nothing"])
    assert client.post(address).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_two_presses_at_once_make_one_job(project, root):
    now = timezone.now()

    def start():
        return services.start_build(snapshot=project.snapshot, by=root, now=now).pk

    assert len(set(in_parallel([start, start]))) == 1


def test_the_page_takes_no_more_queries_with_more_snapshots(client, project):
    def count():
        with CaptureQueriesContext(connection) as queries:
            client.get(PAGE)
        return len(queries)

    few = count()
    for number in range(4):
        factories.make_project(snapshot=factories.make_snapshot(name=f"more-{number}"))
    assert count() == few <= 8
