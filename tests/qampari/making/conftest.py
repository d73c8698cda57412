"""The demo's articles and graph, made once for the tests of this folder."""

import io
import json
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.utils import timezone

from annotation.jobs import services as jobs_services
from qampari.making import jobs
from qampari.making.choices import read_choice
from tests import archives, factories
from wikipedia.demo.build import HERE

CHOICES = Path(apps.get_app_config("qampari").path) / "demo" / "choices.json"
DEMO = json.loads(CHOICES.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def demo_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("making")
    return folder, archives.make_demo(folder)


@pytest.fixture
def project(db, settings, demo_files):
    """A project of lists on the demo's articles, with the demo's graph."""
    folder, archive = demo_files
    snapshot = archives.use(settings, folder, archive, "demo")
    if not (folder / "wikidata").exists():
        words = [str(HERE / "wikidata.json"), "--name", "demo", "--processes", "0"]
        call_command("wikidata_graph", *words, stdout=io.StringIO(), stderr=io.StringIO())
    return factories.make_project("lists", snapshot=snapshot, protocol="qampari", policies=False)


@pytest.fixture
def rosa(project):
    return factories.make_member(project, "researcher")


@pytest.fixture
def make_in_job(project, rosa):
    """Make questions of the demo as a job that has ended: a run, a try or a sample."""

    def make(choice=DEMO, **only):
        job = jobs.start_making_job(
            project=project, graph="demo", choice=read_choice(choice), judge="words", by=rosa,
            now=timezone.now(), **only,
        )  # fmt: skip
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
        job.refresh_from_db()
        assert (job.state, job.problem) == ("done", "")
        return job

    return make
