"""Every layout of every protocol is loaded by `datasets` and by Croissant's library: same rows."""

import gzip
import json

import mlcroissant
import pytest
import yaml
from django.utils import timezone

from annotation.core.consistent_view import snapshot
from annotation.exports.files import write_files
from annotation.protocols import registry as protocols
from tests import factories
from tests.annotation.long_answers import helpers
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in as bring_in_nq
from tests.qampari.test_finished import bring_in as bring_in_lists
from tests.validation.release import long_answers
from tests.validation.release.conftest import ambignq, pairs, record, single
from validation.release.services import start_release
from validation.release.tables import KINDS

pytestmark = [
    pytest.mark.django_db,
    # Both inside mlcroissant.
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated"),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),
]
EVERY = [(each.key, layout.key) for each in protocols.list_protocols() for layout in each.layouts]


@pytest.fixture
def datasets(monkeypatch):
    """The library, loaded where it asks no hub."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    datasets.disable_progress_bars()
    return datasets


@pytest.fixture
def filled(bring_in, now):
    """From a protocol to a project of it with accepted work in two splits where it can be."""

    def filled(protocol):
        if protocol == "asqa":
            project = helpers.make_project(people=1)
            long_answers.finished(project, now, dev={"01": long_answers.record()})
            return project
        project = factories.make_project(f"of-{protocol}", protocol=protocol, policies=False)
        if protocol == "ambigqa":
            rows = (
                record(1, single("007", "2019-01-01")),
                record(2, pairs(("Who?", "a"), ("Y?", "b"))),
            )
            bring_in(ambignq(*rows), into=project)
            bring_in(ambignq(record(3, single("𝔘"))), into=project, split="train")
        elif protocol == "nq":
            bring_in_nq(project, samples.original(), finished=True)
        else:
            bring_in_lists(project, now, 2, finished=True)
        return project

    return filled


def released(project, layout, tables, folder):
    """Write a release as a hub has it: the card is README.md. Return the rows by split."""
    release = start_release(
        project=project, format=layout, split=None, by=None, now=timezone.now(), tables=tables
    )
    write_files(release, folder / "r.json")
    (folder / "r.json.card.md").rename(folder / "README.md")
    described = next(each for each in protocols.protocol_of(project).layouts if each.key == layout)
    rows = {}
    with snapshot():
        for entry in described.iterate_entries(project, None, described.counts()):
            rows.setdefault(entry.split, []).append(described.row(entry.id, entry.record))
    return rows


def as_lists(value):
    """Return rows without what libraries add: bytes for texts, and structures of numpy."""
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: as_lists(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [as_lists(one) for one in value]
    return value.decode() if isinstance(value, bytes) else value


@pytest.mark.parametrize("tables", KINDS)
@pytest.mark.parametrize(("protocol", "layout"), EVERY)
def test_both_libraries_give_the_rows_of_every_layout_back(
    protocol, layout, tables, filled, tmp_path, datasets
):
    folder = tmp_path / "release"
    folder.mkdir()
    expected = released(filled(protocol), layout, tables, folder)
    assert expected
    header = yaml.safe_load((folder / "README.md").read_text().split("---")[1])
    [config] = header["configs"]
    assert [each["split"] for each in config["data_files"]] == [
        split for split in ("train", "dev", "test") if split in expected
    ]
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    described = mlcroissant.Dataset(str(folder / "r.json.croissant.json"))
    assert described.metadata.ctx.issues.errors == set()
    for split, rows in expected.items():
        assert as_lists(loaded[split].to_list()) == rows
        assert [as_lists(row) for row in described.records(split)] == rows


def test_tables_of_a_layout_are_the_same_in_both_kinds(filled, tmp_path):
    """What is written as JSON (gzip) is one array, so that it can be read without a library."""
    project = filled("ambigqa")
    expected = released(project, "label-studio", "json", tmp_path)
    for split, rows in expected.items():
        content = gzip.decompress((tmp_path / f"r.json.{split}.table.json.gz").read_bytes())
        assert json.loads(content) == rows
