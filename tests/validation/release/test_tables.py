"""Tables, Croissant and the header of the card: read back by the libraries that they are for."""

import gzip
import hashlib
import io
import json
import zipfile
from importlib import util

import mlcroissant
import pyarrow.parquet
import pytest
import yaml
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.exports.files import write_files
from annotation.protocols import registry as protocols
from tests.annotation.long_answers import helpers
from tests.validation.release import long_answers
from tests.validation.release.conftest import ambignq, pairs, record, single
from validation.release.header import render_card_header
from validation.release.services import start_release
from validation.release.tables import KINDS

pytestmark = [
    pytest.mark.django_db,
    # Both inside mlcroissant.
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated"),
    pytest.mark.filterwarnings("ignore:The inplace keyword"),
]

HARD = ["“é”\u2028", "日本 𝔘", ' "a" ', "a\tb", "-7", "<b>&amp;</b>"]


def two_splits(bring_in):
    full = {
        "viewed_doc_titles": ["Tunnel", "1843"],
        "used_queries": [
            {"query": "tunnel", "results": [{"title": "T", "snippet": "<b>T</b>"}]},
            {"query": "none", "results": []},
        ],
        "nq_answer": ["1843"],
        "nq_doc_title": "2019-01-01",
    }
    bring_in(
        ambignq(
            # Nothing may take these for numbers.
            record("007", single("1843", *HARD)) | full | {"id": "007"},
            record(2, pairs(("Who?|who?", "a", "b"), ("When?", "1"))) | {"id": "9" * 25},
            record(3, single("1"), pairs(("Who?", "a"), ("What?", "b")), single("2")),
        )
    )
    bring_in(ambignq(record(4, single("x"))), split="train")


def written(project, folder, layout, tables):
    """Write a release into the folder; return what it holds by split, as official records."""
    target = folder / "r.json"
    release = start_release(
        project=project, format=layout, split=None, by=None, now=timezone.now(), tables=tables
    )
    write_files(release, target)
    return json.loads(target.read_bytes())


def read_back(folder, split):
    """Return the records of a split as Croissant's own library reads them.

    It gives texts as bytes, and names a column by its record set and the columns around it.
    """
    dataset = mlcroissant.Dataset(str(folder / "r.json.croissant.json"))
    assert dataset.metadata.ctx.issues.errors == dataset.metadata.ctx.issues.warnings == set()
    return [plain(one) for one in dataset.records(split)]


def plain(value):
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: plain(one) for key, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.decode() if isinstance(value, bytes) else value


def rows_of(layout, records):
    """Return the rows of a table that the official records give."""
    return [layout.row(key, one) for key, one in records]


@pytest.mark.parametrize("tables", KINDS)
@pytest.mark.parametrize("key", ["ambignq-light", "ambignq"])
def test_croissant_gives_the_records_back(project, bring_in, tmp_path, key, tables):
    two_splits(bring_in)
    official = written(project, tmp_path, key, tables)
    layout = next(one for one in protocols.protocol_of(project).layouts if one.key == key)
    assert len(official) == 4
    expected = rows_of(layout, [(one["id"], one) for one in official])
    assert read_back(tmp_path, "dev") == expected[:3]
    assert read_back(tmp_path, "train") == expected[3:]
    assert expected[1]["annotations"] == [
        {
            "type": "multipleQAs",
            "answer": [],
            "questions": ["Who?|who?", "When?"],
            "answers": [["a", "b"], ["1"]],
        }
    ]


@pytest.mark.parametrize("tables", KINDS)
def test_croissant_gives_long_answers_back(now, tmp_path, tables):
    project = helpers.make_project(people=1)
    bare = {"ambiguous_question": "Why?", "qa_pairs": [], "wikipages": [], "annotations": []}
    bare["annotations"] = [{"long_answer": "So.", "knowledge": []}]
    long_answers.finished(
        project, now, dev={"01": long_answers.record(answers=HARD[:3]), "2": bare}
    )
    official = written(project, tmp_path, "asqa", tables)
    [layout] = protocols.protocol_of(project).layouts
    assert read_back(tmp_path, "dev") == rows_of(layout, official["dev"].items())
    assert read_back(tmp_path, "dev")[0]["id"] == "01"


def test_the_files_are_what_their_digests_say(project, bring_in, tmp_path):
    """Croissant's library does not look at them for files that are there."""
    two_splits(bring_in)
    written(project, tmp_path, "ambignq-light", "json")
    described = json.loads((tmp_path / "r.json.croissant.json").read_bytes())
    names = [each["name"] for each in described["distribution"]]
    assert names == ["r.json", "r.json.train.table.json.gz", "r.json.dev.table.json.gz"]
    for each in described["distribution"]:
        content = (tmp_path / each["contentUrl"]).read_bytes()
        assert each["sha256"] == hashlib.sha256(content).hexdigest()
        assert each["contentSize"] == f"{len(content)} B"
    rows = json.loads(gzip.decompress((tmp_path / names[2]).read_bytes()))
    assert [row["id"] for row in rows] == ["007", "9" * 25, "r3"]


def test_parquet_has_a_type_for_every_column(project, bring_in, tmp_path):
    two_splits(bring_in)
    written(project, tmp_path, "ambignq", "parquet")
    table = pyarrow.parquet.read_table(tmp_path / "r.json.train.parquet")
    assert {field.name: str(field.type) for field in table.schema}["annotations"] == (
        "list<element: struct<type: string, answer: list<element: string>, "
        "questions: list<element: string>, answers: list<element: list<element: string>>>>"
    )
    assert table.column("nq_doc_title").to_pylist() == [None]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "r.json",
        "r.json.card.md",
        "r.json.croissant.json",
        "r.json.dev.parquet",
        "r.json.manifest.json",
        "r.json.train.parquet",
    ]


def test_a_release_without_records_is_described_all_the_same(project, tmp_path):
    assert written(project, tmp_path, "ambignq-light", "json") == []
    dataset = mlcroissant.Dataset(str(tmp_path / "r.json.croissant.json"))
    assert [one.name for one in dataset.metadata.distribution] == ["r.json"]
    assert dataset.metadata.record_sets == []


def test_without_pyarrow_a_sentence_says_what_to_install(
    project, bring_in, client_as, rosa, monkeypatch
):
    bring_in(ambignq(record(1, single("a"))))
    address = reverse("release-download", args=[project.slug, "ambignq"])
    overview = reverse("project-overview", args=[project.slug])
    assert f"{address}?tables=parquet" in client_as(rosa).get(overview).content.decode()
    monkeypatch.setattr(
        "validation.release.tables.find_spec",
        lambda name: None if name == "pyarrow" else util.find_spec(name),
    )
    with pytest.raises(Conflict, match="pip install pyarrow"):
        start_release(
            project=project,
            format="ambignq",
            split=None,
            by=None,
            now=timezone.now(),
            tables="parquet",
        )
    assert client_as(rosa).get(address, {"tables": "parquet"}).status_code == 409
    assert client_as(rosa).get(address).status_code == 200
    assert "?tables=parquet" not in client_as(rosa).get(overview).content.decode()


@pytest.mark.parametrize("tables", KINDS)
def test_the_zip_is_a_folder_that_a_hub_takes_as_it_is(project, bring_in, client_as, rosa, tables):
    two_splits(bring_in)
    address = reverse("release-download", args=[project.slug, "ambignq-light"])
    body = b"".join(client_as(rosa).get(address, {"tables": tables}))
    archive = zipfile.ZipFile(io.BytesIO(body))
    _, text, rest = archive.read("README.md").decode().split("---\n", 2)
    head = yaml.safe_load(text)
    assert rest.startswith("\n# Crossings pilot\n")
    assert (head["pretty_name"], head["language"]) == ("Crossings pilot", ["en"])
    assert (head["license"], head["license_name"]) == ("other", "cc-by-sa")
    assert head["size_categories"] == ["n<1K"]
    files = head["configs"][0]["data_files"]
    assert [one["split"] for one in files] == ["train", "dev"]
    assert head["dataset_info"]["features"] == [
        {"name": "id", "dtype": "string"},
        {"name": "question", "dtype": "string"},
        {
            "name": "annotations",
            "list": [
                {"name": "type", "dtype": "string"},
                {"name": "answer", "sequence": "string"},
                {"name": "questions", "sequence": "string"},
                {"name": "answers", "sequence": {"sequence": "string"}},
            ],
        },
    ]
    read = {
        "json": lambda data: json.loads(gzip.decompress(data)),
        "parquet": lambda data: pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist(),
    }[tables]
    ids = [[row["id"] for row in read(archive.read(one["path"]))] for one in files]
    assert ids == [["r4"], ["007", "9" * 25, "r3"]]
    assert client_as(rosa).get(address, {"tables": "xlsx"}).status_code == 404


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("CC BY-SA 4.0", {"license": "cc-by-sa-4.0"}),
        ("cc-by-3.0", {"license": "cc-by-3.0"}),
        ("CC0 1.0", {"license": "cc0-1.0"}),
        ("CC BY-SA", {"license": "other", "license_name": "cc-by-sa"}),
        ("Ours: “all”", {"license": "other", "license_name": "ours-all"}),
        ("", {"license": "other", "license_name": "unknown"}),
    ],
)
def test_licences_are_named_as_the_hub_names_them(project, released, licence, expected):
    _, manifest = released(project)
    [layout, *_] = protocols.protocol_of(project).layouts
    text = render_card_header(manifest | {"licence": licence}, layout, []).split("---\n")[1]
    found = yaml.safe_load(text)
    assert {key: value for key, value in found.items() if key.startswith("licen")} == expected


def test_a_title_cannot_break_the_header(project, released):
    title = 'a: "b"\n---\n# x: {y}'
    _, manifest = released(project)
    manifest["project"]["title"] = title
    [layout, *_] = protocols.protocol_of(project).layouts
    head = render_card_header(manifest, layout, [])
    lines = head.splitlines()
    assert lines.count("---") == 2
    assert yaml.safe_load("\n".join(lines[1:-2]))["pretty_name"] == title
