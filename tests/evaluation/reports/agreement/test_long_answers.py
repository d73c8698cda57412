"""The panels of agreement in a project of long answers."""

import pytest

from annotation.figures.filters import Filters
from annotation.figures.panel import Person
from annotation.figures.registry import Request, find_report
from annotation.models import LongAnswer
from evaluation.reports.agreement import annotators, disagreements, over_time, people_pairs
from metrics import asqa
from tests.annotation.long_answers import helpers

pytestmark = pytest.mark.django_db
SHORT = "Walkers went through it from 25 March 1843."


@pytest.fixture
def project(db):
    return helpers.make_project()


@pytest.fixture
def questions(project, ann, ben, now):
    """Two questions: the same text twice, and a long one against a short one."""
    rows = [helpers.open_question(project, now, external_id=f"L{n}") for n in (1, 2)]
    for _ in rows:
        helpers.answer(project, ann, now)
        helpers.answer(project, ben, now)
    LongAnswer.objects.filter(question=rows[1], author=ben).update(text=SHORT)
    return rows


def panel(make, project, now, **filters):
    return make(Request(project, Filters(**filters), now))


def rouge(one, other):
    question = asqa.Question([], [asqa.AsqaAnnotation(one, []), asqa.AsqaAnnotation(other, [])])
    return asqa.score_annotator_agreement({"": question}).columns["rouge_lsum"][0] / 100


def test_people_agree_by_rouge(project, questions, ann, ben, now):
    expected = (1 + rouge(helpers.TEXT, SHORT)) / 2
    for make in (over_time.build_splits_panel, over_time.build_weeks_panel):
        [row] = panel(make, project, now).rows
        assert (row[1].value, row[1].n) == (pytest.approx(expected), 2)
    pairs = panel(people_pairs.build_pairs_panel, project, now).rows
    assert [row[:2] for row in map(tuple, pairs)] == [
        (Person(ann.pk), Person(ben.pk)),
        (Person(ben.pk), Person(ann.pk)),
    ]
    assert all(row[2].value == pytest.approx(expected) for row in pairs)


def test_where_long_answers_differ(project, questions, now):
    [row] = panel(disagreements.build_disagreements_panel, project, now).rows

    assert row[0].href == f"/projects/{project.slug}/questions/{questions[1].pk}/"
    assert row[1].split(", ")[0] == "Covers different answers"
    assert "Very different length" in row[1]
    assert row[2] == "7 December 1869"
    assert row[3] == pytest.approx(rouge(helpers.TEXT, SHORT))


def test_writers_next_to_everyone(project, questions, ann, ben, now):
    found = panel(annotators.build_annotators_panel, project, now)
    keys = [column.key for column in found.columns]
    words = {row[0]: dict(zip(keys, row, strict=True))["words"] for row in found.rows}

    long, short = len(helpers.TEXT.split()), len(SHORT.split())
    assert words == {
        "Everyone": (3 * long + short) / 4,
        Person(ann.pk): long,
        Person(ben.pk): (long + short) / 2,
    }


def test_the_report_has_no_panel_of_validation(project, questions, now):
    entries = find_report(project, "agreement").entries(project)

    assert "outcomes" not in {entry.key for entry in entries}
    figures = {row[1]: row[2] for row in entries[-1].panel(Request(project, Filters(), now)).rows}
    since = Filters(since=now.date())
    narrowed = {row[1]: row[2] for row in entries[-1].panel(Request(project, since, now)).rows}
    assert figures["ROUGE-L of two long answers"].n == 2
    assert narrowed == figures


def test_an_answer_imported_as_finished_work_has_no_writer(project, questions, ben, now):
    LongAnswer.objects.filter(author=ben).update(assignment=None, author=None)

    assert panel(people_pairs.build_pairs_panel, project, now).rows == []
    assert panel(disagreements.build_disagreements_panel, project, now).rows == []
