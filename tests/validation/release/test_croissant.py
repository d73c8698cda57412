"""The Croissant description of every layout: complete, and the same for the same release."""

import json
import re

import mlcroissant
import pytest
from django.conf import settings
from django.utils import timezone

from annotation.exports.files import write_files
from annotation.exports.format import JSON_LINES
from annotation.protocols import registry as protocols
from tests import factories
from tests.annotation.long_answers import helpers
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in as bring_in_nq
from tests.qampari.test_finished import bring_in as bring_in_lists
from tests.validation.release import long_answers
from tests.validation.release.conftest import ambignq, pairs, record, single
from validation.release.services import layouts_by_key, start_release

pytestmark = [
    pytest.mark.django_db,
    # Both inside mlcroissant.
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated"),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),
]


@pytest.fixture
def filled(bring_in, now):
    """From a protocol to a project of it with accepted work."""

    def filled(protocol):
        if protocol == "asqa":
            project = helpers.make_project(people=1)
            long_answers.finished(project, now, dev={"01": long_answers.record()})
            return project
        project = factories.make_project(f"of-{protocol}", protocol=protocol, policies=False)
        if protocol == "ambigqa":
            records = record(1, single("1843")), record(2, pairs(("Who?", "a"), ("When?", "1")))
            bring_in(ambignq(*records), into=project)
        elif protocol == "nq":
            bring_in_nq(project, samples.original(), finished=True)
        else:
            bring_in_lists(project, now, 2, finished=True)
        return project

    return filled


def described(project, layout, folder):
    """Write a release, have it read by Croissant's own library; return its metadata and JSON."""
    release = start_release(
        project=project, format=layout, split=None, by=None, now=timezone.now(), tables="json"
    )
    write_files(release, folder / "r.json")
    file = folder / "r.json.croissant.json"
    metadata = mlcroissant.Dataset(str(file)).metadata
    return metadata, json.loads(file.read_bytes())


@pytest.mark.parametrize("key", sorted(layouts_by_key()))
def test_croissants_library_misses_nothing_in_any_layout(key, filled, tmp_path):
    protocol = next(
        protocol.key
        for protocol in protocols.list_protocols()
        if key in {one.key for one in protocol.layouts}
    )
    project = filled(protocol)
    metadata, written = described(project, key, tmp_path)
    assert metadata.ctx.issues.errors == set()
    assert metadata.ctx.issues.warnings == set()
    manifest = json.loads((tmp_path / "r.json.manifest.json").read_bytes())
    day = manifest["newest_work"] or project.created_at.isoformat()
    assert written["datePublished"] == day[:10]
    year, month, date = map(int, day[:10].split("-"))
    assert written["version"] == f"{year}.{month}.{date}+{manifest['sha256'][:12]}"
    assert written["citeAs"] == (
        f"{project.title} ({year}). {layouts_by_key()[key].label}, version {written['version']}. "
        f"Collected with Ambit {settings.VERSION}."
    )
    assert metadata.version == written["version"]
    assert metadata.cite_as == written["citeAs"]
    by_lines = layouts_by_key()[key].content_type == JSON_LINES
    media = "application/jsonlines" if by_lines else "application/json"
    assert written["distribution"][0]["encodingFormat"] == media


def test_the_version_changes_with_the_data_and_not_with_the_clock(
    filled, bring_in, now, tmp_path, monkeypatch
):
    project = filled("ambigqa")
    _, first = described(project, "ambignq", tmp_path)
    monkeypatch.setattr(timezone, "now", lambda: now.replace(year=now.year + 1))
    _, again = described(project, "ambignq", tmp_path)
    assert again == first
    bring_in(ambignq(record(3, single("1869"))), into=project)
    _, more = described(project, "ambignq", tmp_path)
    assert more["datePublished"] == first["datePublished"]
    assert more["version"] != first["version"]


def test_a_release_without_records_has_the_day_its_project_was_made(tmp_path):
    project = factories.make_project("empty")
    metadata, written = described(project, "ambignq", tmp_path)
    assert metadata.ctx.issues.warnings == set()
    assert written["datePublished"] == project.created_at.date().isoformat()
    assert re.fullmatch(r"\d{4}\.\d+\.\d+\+[0-9a-f]{12}", written["version"])
    assert "dateModified" not in written
