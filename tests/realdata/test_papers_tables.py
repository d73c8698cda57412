"""The papers' tables from the released data sets, by the command and its panels."""

import io
import json

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.registry import Request, find_report
from annotation.imports.services import import_questions
from tests import factories
from tests.annotation.long_answers import helpers

pytestmark = [pytest.mark.django_db, pytest.mark.realdata]


def bring(project, path, format, split):
    if not path.exists():
        pytest.skip(f"{path} is missing")
    with path.open("rb") as file:
        import_questions(
            project=project,
            file=file,
            format=format,
            split=split,
            finished=True,
            by=None,
            now=timezone.now(),
        )


def tables(project):
    out = io.StringIO()
    call_command("tables", project.slug, "--json", stdout=out)
    return json.loads(out.getvalue())


def panels(project):
    request = Request(project, Filters(), timezone.now())
    report = find_report(project, "tables")
    return {entry.key: entry.panel(request) for entry in report.entries(project)}


def numbers(panel, key):
    """The column as numbers or texts, by the texts of the first."""
    place = [column.key for column in panel.columns].index(key)
    return {row[0]: getattr(row[place], "value", row[place]) for row in panel.rows}


def test_known_answers_that_ambigqa_does_not_accept(realdata):
    """A78: 29.4 % of the whole of dev, of which these are the questions with NQ-open's answers."""
    project = factories.make_project()
    bring(project, realdata / "ambignq/ambignq_full_300_of_dev.json", "ambignq", "dev")
    [row] = panels(project)["ambigqa-mismatches"].rows
    assert row[:3] == ["dev", 300, 83]
    assert row[3].low < 0.294 < row[3].high


def test_table_2_of_ambigqa(realdata):
    project = factories.make_project()
    for split in ("train", "dev"):
        bring(project, realdata / f"ambignq/{split}_light.json", "ambignq", split)
    figures = tables(project)
    rounded = {
        split: list(map(round, shares))
        for split, shares in figures["ambignq_pairs_percent"].items()
    }
    assert rounded == {"train": [53, 24, 14, 10], "dev": [50, 23, 14, 13]}
    assert figures["asqa_mean_length"] is None

    shown = panels(project)
    assert numbers(shown["ambigqa-table-2"], "questions") == {
        "train": 10_036,
        "dev": 2_002,
        "all": 12_038,
    }
    assert numbers(shown["ambigqa-table-2"], "answers")["dev"] == pytest.approx(2.05, abs=0.005)
    tail = numbers(shown["ambigqa-edits"], "share")
    print(f"\nAmbigNQ, train and dev: the long tail of edits is {tail}.")  # noqa: T201
    assert tail["100"] < tail["1,000"] < 1
    words = [tuple(row[:2]) for row in shown["ambigqa-figure-2c"].rows[:3]]
    assert words[0] == ("0000", "added")
    assert ("what", "added") in words
    assert shown["asqa-table-2"].rows[-1][1] == 12_038


def test_figures_2a_and_2b_of_ambigqa(realdata):
    project = factories.make_project()
    bring(project, realdata / "ambignq/ambignq_full_300_of_dev.json", "ambignq", "dev")
    shown = panels(project)
    pages = {row[0]: row[2] for row in shown["ambigqa-figure-2a"].rows}
    assert [pages[str(n)] for n in range(10)] == [0, 125, 100, 37, 15, 14, 2, 5, 1, 0]
    assert pages["10 or more"] == 1
    searches = numbers(shown["ambigqa-figure-2b"], "questions")
    assert [searches[str(n)] for n in range(4)] == [0, 83, 144, 32]
    assert sum(searches.values()) == 300


def test_tables_1_and_3_of_asqa(realdata, monkeypatch):
    monkeypatch.setenv("NLTK_DATA", str(realdata / "nltk_data"))
    project = helpers.make_project()
    bring(project, realdata / "asqa/ASQA.dev.json", "asqa", None)
    figures = tables(project)
    assert figures["ambignq_pairs_percent"] is None
    assert round(figures["asqa_mean_length"], 1) == 64.8
    assert round(figures["asqa_human_str_em"], 1) == 98.4
    assert figures["asqa_agreement_rouge_lsum"] == pytest.approx(49.44, abs=0.01)
    question = figures["asqa_question_x8"]
    assert (round(question["length"], 1), round(question["str_em"], 1)) == (71.6, 1.2)
    assert 0 < question["rouge_lsum"] < 25

    shown = panels(project)
    assert shown["asqa-table-1"].rows[0][:3] == ["dev", 948, 1_896]
    lengths = numbers(shown["asqa-table-3"], "length")
    assert round(lengths["People, against each other"], 1) == 64.8
    assert shown["asqa-table-2"].rows[-1][1:3] == [948, 2.0]
