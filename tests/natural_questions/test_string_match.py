"""Short answers compared as words, from the annotations of a project (N26)."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.registry import Request
from metrics.inputs import nq_strings
from metrics.nq_annotators import score_annotator_agreement
from natural_questions import string_match
from natural_questions.panels import read_items
from tests import factories
from tests.natural_questions import samples
from tests.natural_questions.test_importing import bring_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def record():
    """A page whose annotators say yes, the same words twice, other words, and nothing."""
    record = samples.original()
    said = [
        (0, ["1902"], "NONE"),
        (0, ["1902"], "NONE"),
        (0, ["1931"], "NONE"),
        (0, [], "YES"),
        (None, [], "NONE"),
    ]
    record["annotations"] = [
        samples.answer(record, number, *answer) for number, answer in enumerate(said)
    ]
    return record


@pytest.fixture
def project(record):
    project = factories.make_project(protocol="nq")
    bring_in(project, record, finished=True)
    return project


def request(project):
    return Request(project, Filters(), timezone.now())


def test_the_figure_is_that_of_the_file(project, record, tmp_path):
    """The pairs that agree are those of the command on the file that was imported."""
    path = tmp_path / "nq.jsonl"
    path.write_bytes(samples.line(record))
    panel = string_match.build_strings_panel(request(project))
    figures = [
        nq_strings.score_files(path, nulls=nulls).scores()["agreement"].value
        for nulls in ("count", "drop")
    ]
    assert [row[2].value for row in panel.rows] == figures == [1 / 10, 1 / 6]
    assert panel.n == 1


def test_the_same_words_at_two_places_are_the_same_answer(project):
    """Only a page on which answers are at different places is read."""
    [item] = read_items(request(project))
    with CaptureQueriesContext(connection) as queries:
        [(_, strings)] = string_match.read_short_strings([item])
    assert strings == [["1902"], ["1902"], ["1931"], ["YES"], []]
    assert len(queries) == 1
    same = type(item)(item.pk, item.question, "dev", item.annotations[:2])
    with CaptureQueriesContext(connection) as queries:
        [(_, strings)] = string_match.read_short_strings([same])
    assert strings[0] == strings[1]
    assert score_annotator_agreement({"q": strings}).scores()["agreement"].value == 1
    assert not queries


def test_a_question_whose_page_is_gone_is_left_out_unless_nobody_needs_it(project):
    [item] = read_items(request(project))
    gone = type(item)(-1, "gone", "dev", item.annotations)
    agreed = type(item)(0, "agreed", "dev", item.annotations[:2])
    assert [name for name, _ in string_match.read_short_strings([gone, agreed])] == ["agreed"]


def test_of_many_questions_some_are_drawn(project, monkeypatch):
    [item] = read_items(request(project))
    monkeypatch.setattr(string_match, "MOST", 2)
    items = [type(item)(n, f"q{n}", "dev", item.annotations[:2]) for n in range(9)]
    drawn = [name for name, _ in string_match.read_short_strings(items)]
    assert len(drawn) == 2
    assert drawn == [name for name, _ in string_match.read_short_strings(items)]
