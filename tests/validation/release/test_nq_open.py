"""NQ-open out, passages in DPR's layout and a store of pages as DrQA reads it (A69)."""

import io
import json
import sqlite3
from contextlib import closing
from unicodedata import normalize

import pytest
from django.core.management import CommandError, call_command

from annotation.imports.services import import_questions
from annotation.models import Question
from metrics.inputs import retrieval
from tests import factories
from tests.validation.release.conftest import ambignq, pairs, record, single
from tests.wikipedia.archives.zims import write_zim
from tests.wikipedia.conftest import data_dir, lund_index, snapshot, zim  # noqa: F401
from validation.release import passages
from wikipedia.archives.zim import open_archive
from wikipedia.corpora.page_store import write_page_store

pytestmark = pytest.mark.django_db


def test_every_accepted_form_stands_in_one_list(project, released, bring_in):
    walkers = ("When did it open to walkers?", "1843", "in 1843")
    several = pairs(walkers, ("When did it open to trains?", "1869", "1843"))
    bring_in(ambignq(record(1, several), record(2, single("Ada", "A. Lovelace"))))
    data, manifest = released(project, "nq-open")
    lines = [json.loads(line) for line in data.splitlines()]
    assert [(each["id"], each["answer"]) for each in lines] == [
        ("r1", ["1843", "in 1843", "1869"]),
        ("r2", ["Ada", "A. Lovelace"]),
    ]
    assert list(lines[0]) == ["id", "question", "answer"]
    assert manifest["counts"]["questions"] == 2


def test_what_is_released_can_be_imported(project, released, bring_in, now):
    bring_in(ambignq(record(1, single("Ada"))))
    data, _ = released(project, "nq-open")
    other = factories.make_project()
    tally = import_questions(
        project=other, file=io.BytesIO(data), format="nq-open", split="dev", by=None, now=now
    )
    assert tally.created == 1
    assert other.questions.get().known_answers == ["Ada"]


@pytest.fixture
def lund(snapshot):  # noqa: F811
    made = factories.make_project(snapshot=snapshot)
    factories.make_question(
        made, "when was the harbour of lund dug", external_id="h", known_answers=["1765", "1,765"]
    )
    factories.make_question(made, "xyzzy qwzzk", external_id="x")
    return made


def test_passages_have_dprs_layout_and_can_be_scored(lund, tmp_path, capsys):
    path = tmp_path / "passages.json"
    call_command("export_passages", lund.slug, "--split", "dev", "--output", str(path))
    first, second = json.loads(path.read_text())
    assert list(first) == ["qid", "question", "answers", "ctxs"]
    assert (first["qid"], first["answers"]) == ("h", ["1765", "1,765"])
    best = first["ctxs"][0]
    assert list(best) == ["id", "title", "text", "score", "has_answer"]
    assert best["title"] == "Harbour of Lund"
    assert best["has_answer"] is True
    assert not all(each["has_answer"] for each in first["ctxs"])
    scores = [each["score"] for each in first["ctxs"]]
    assert scores == sorted(scores, reverse=True)
    assert second["ctxs"] == []
    assert retrieval.read_predictions(path)["h"][0].title == "Harbour of Lund"
    manifest = json.loads((tmp_path / "passages.json.manifest.json").read_text())
    assert (manifest["questions"], manifest["with_answer"]) == (2, 1)
    assert manifest["snapshot"]["name"] == lund.snapshot.name
    again = tmp_path / "again.json"
    call_command("export_passages", lund.slug, "--split=dev", f"--output={again}", "--top", "1")
    assert [len(each["ctxs"]) for each in json.loads(again.read_text())] == [1, 0]
    assert sorted(each.name for each in tmp_path.iterdir() if each.name.startswith(".")) == []


def test_accepted_answers_come_before_those_known(project, bring_in, monkeypatch):
    bring_in(ambignq(record(1, single("Ada"))))
    Question.objects.update(known_answers=["Charles"])
    monkeypatch.setattr(passages, "search_passages", lambda folder, query, top: ())
    [found] = passages.build_passage_records(project, "dev")
    assert (found["answers"], found["ctxs"]) == (["Ada"], [])


def test_without_an_index_there_are_no_passages(project, tmp_path):
    path = tmp_path / "passages.json"
    with pytest.raises(CommandError):
        call_command("export_passages", project.slug, "--split=dev", f"--output={path}")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CommandError, match="--top must be from 1"):
        call_command("export_passages", project.slug, "--split=dev", "--output=x", "--top=0")


def stored(path):
    with closing(sqlite3.connect(path)) as store:
        return dict(store.execute("SELECT id, text FROM documents"))


def test_the_store_has_the_text_of_each_article_by_its_title(lund, tmp_path, capsys):
    path = tmp_path / "pages.db"
    call_command("export_pages", lund.slug, "--output", str(path))
    pages = stored(path)
    assert set(pages) == {"Ferry of Lund", "Harbour of Lund", "AC/DC"}
    assert "The harbour was dug in 1765 by hand." in pages["Harbour of Lund"]
    assert "<" not in "".join(pages.values())
    assert "3 pages" in capsys.readouterr().err


def test_titles_are_in_the_form_that_drqa_looks_up(tmp_path):
    archive = write_zim(tmp_path / "a.zim", {"Café": ("Caf\u00e9", "<p>A caf\u00e9.</p>")}, ())
    path = tmp_path / "pages.db"
    assert write_page_store(open_archive(archive), path) == 1
    assert stored(path) == {normalize("NFD", "Caf\u00e9"): "A caf\u00e9."}
    with pytest.raises(OSError, match="No such file"):
        write_page_store(open_archive(archive), tmp_path / "none" / "pages.db")
