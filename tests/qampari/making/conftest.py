"""The demo's articles and graph, made once for the tests of this folder."""

import io
import json
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command

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
