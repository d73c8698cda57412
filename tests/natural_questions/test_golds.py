"""What counts as known of a finished question, and as missed."""

import pytest

from annotation.sheets.known_items import KnownItem
from annotation.stages import registry as stages
from natural_questions import pages
from natural_questions.annotation import PageAnnotation, PageSpan, to_json
from natural_questions.golds import build_expected_values
from natural_questions.response import PageAnswerResponse
from tests import factories
from tests.natural_questions import page
from tests.natural_questions.test_through import answer
from tests.stages.examples import nq_project, nq_question

BAD = PageAnnotation(good=False, reason="opinion")
NULL = PageAnnotation(good=True)
TABLE, ROW, OTHER = PageSpan(10, 90), PageSpan(20, 30), PageSpan(100, 120)


def said(long, *short, yes_no="NONE"):
    return PageAnnotation(good=True, long=long, short=short, yes_no=yes_no)


def chose(box, *short, answer="none"):
    return PageAnswerResponse(good="yes", box=box, answer="words" if short else answer, short=short)


@pytest.mark.parametrize(
    ("annotations", "known"),
    [
        ([BAD], {}),
        ([BAD, BAD], {"good": "no"}),
        ([BAD, said(ROW)], {}),
        # Imported ones do not tell a bad question from a page without an answer.
        ([NULL, NULL], {}),
        ([said(ROW), NULL], {}),
        ([said(TABLE), said(ROW), said(ROW)], {"good": "yes", "long": [[10, 90], [20, 30]]}),
        (
            [said(ROW, yes_no="YES"), said(ROW, yes_no="YES")],
            {"good": "yes", "long": [[20, 30]], "answer": "yes"},
        ),
        ([said(ROW, yes_no="YES"), said(ROW, yes_no="NO")], {"good": "yes", "long": [[20, 30]]}),
        (
            [said(ROW, PageSpan(22, 24)), said(ROW, PageSpan(23, 24), PageSpan(26, 27))],
            {"good": "yes", "long": [[20, 30]], "short": [[22, 24], [23, 24], [26, 27]]},
        ),
        ([said(ROW, PageSpan(22, 24)), said(ROW)], {"good": "yes", "long": [[20, 30]]}),
        # Only bytes are known of the answer, and boxes are named by tokens.
        ([said(PageSpan(-1, -1, 5, 9)), said(PageSpan(-1, -1, 5, 9))], {}),
    ],
)
def test_what_is_known(annotations, known):
    assert build_expected_values(annotations) == known


WORDS = {"good": "yes", "long": [[20, 30]], "short": [[22, 24]]}


@pytest.mark.parametrize(
    ("known", "response", "right"),
    [
        ({"good": "no"}, PageAnswerResponse(good="no", reason="ambiguous"), True),
        ({"good": "no"}, chose("20-30"), False),
        (WORDS, PageAnswerResponse(good="no", reason="opinion"), False),
        (WORDS, chose("none"), False),
        (WORDS, chose("100-120", "101-102"), False),
        (WORDS, chose("20-30", "22-24"), True),
        (WORDS, chose("10-90", "23-25"), True),
        (WORDS, chose("22-25", "22-23"), True),
        (WORDS, chose("20-30", "25-26"), False),
        (WORDS, chose("20-30"), False),
        ({"good": "yes", "long": [[20, 30]]}, chose("20-30", "25-26"), True),
        ({"good": "yes", "long": [[20, 30]], "answer": "yes"}, chose("20-30", answer="yes"), True),
        ({"good": "yes", "long": [[20, 30]], "answer": "yes"}, chose("20-30", answer="no"), False),
        ({"good": "yes", "long": [[20, 30]], "answer": "yes"}, chose("20-30", "21-22"), False),
    ],
)
def test_what_is_missed(known, response, right):
    item = KnownItem(expected=known)
    assert stages.get_stage("nq").sheet.grade_response(response, item).passed is right


@pytest.mark.django_db
def test_annotations_made_here_count_with_imported_ones(now):
    project = nq_project()
    first, end = map(int, page.PARAGRAPH.split("-"))
    question = nq_question(project, now)
    agreed = to_json(said(PageSpan(first, end)))
    pages.keep_annotations({question.pk: [agreed]})
    known = stages.get_stage("nq").golds.list_finished_items
    assert known(project.pk, "dev") == []
    person = factories.make_member(project, "annotator")
    answer(project, person, chose(page.PARAGRAPH, page.KEEPER))
    [gold] = known(project.pk, "dev")
    assert gold.question == question.pk
    assert gold.expected == {"good": "yes", "long": [[first, end]]}
    assert known(project.pk, "train") == []
