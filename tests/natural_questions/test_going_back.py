"""Another box is chosen after the short answer: what fits it stays, and the rest is dropped."""

import pytest

from annotation.models import Submission
from natural_questions.response import PageAnswerResponse
from natural_questions.sheet import NaturalQuestionsSheet
from natural_questions.stage import annotation_in, page_given
from tests import factories
from tests.natural_questions import page
from tests.stages.examples import good_question, nq_project, nq_question
from tests.stages.window import Window

pytestmark = pytest.mark.django_db
SHEET = NaturalQuestionsSheet()


@pytest.fixture
def given():
    return page_given(page.make_question(nq_project()), 1, {})


@pytest.fixture
def work(now):
    project = nq_project()
    nq_question(project, now)
    return Window(factories.make_member(project, "annotator"), project, "nq").take()


def other_box(given):
    """Return a box that does not hold the paragraph's words."""
    return next(box for box in given.boxes if box.kind == "table")


def answered(box, *short, answer="words"):
    return PageAnswerResponse(good="yes", box=box, answer=answer, short=short)


def test_words_in_the_box_are_kept(given):
    response = answered(page.PARAGRAPH, page.KEEPER)
    assert SHEET.drop_misfit_answers(response, given) == (response, "")


def test_words_outside_are_dropped_and_named(given):
    box = other_box(given)
    response, said = SHEET.drop_misfit_answers(answered(box.key, page.KEEPER), given)
    assert response == answered(box.key, answer="")
    assert said == "The new box does not hold “Ida Brook”. It was removed from the short answers."


def test_some_words_can_stay(given):
    span = other_box(given).span
    inside = f"{span.start_token}-{span.end_token}"
    response, said = SHEET.drop_misfit_answers(
        answered(other_box(given).key, page.KEEPER, inside), given
    )
    assert (response.answer, response.short) == ("words", (inside,))
    assert "“Ida Brook”" in said


def test_yes_fits_every_box(given):
    response = answered(other_box(given).key, answer="yes")
    assert SHEET.drop_misfit_answers(response, given) == (response, "")


def forward(work, **fields):
    return work.post("step", work.open().fields | {k: [v] for k, v in fields.items()})


def at_the_short_answer(work):
    work.post("step", good_question(work.fields))
    forward(work, box=page.PARAGRAPH)
    work.post("step", work.open().fields | {"action": ["back"], "word": ["22", "23"]})


def test_the_page_says_what_was_dropped(work, given):
    at_the_short_answer(work)
    forward(work, box=other_box(given).key)
    assert "The new box does not hold “Ida Brook”." in work.open().words
    assert work.row().draft["short"] == []
    assert forward(work, answer="none").status_code == 302
    made = annotation_in(Submission.objects.get().response)
    assert (made.long, made.short) == (other_box(given).span, ())


def test_no_box_after_all_leaves_no_short_answer(work):
    at_the_short_answer(work)
    assert forward(work, box="none").status_code == 302
    made = annotation_in(Submission.objects.get().response)
    assert (bool(made.long), made.short, made.yes_no) == (False, (), "NONE")


def test_without_scripts_a_word_can_be_taken_away_again(work):
    at_the_short_answer(work)
    forward(work)
    fields = work.open().fields
    assert fields["short"] == [page.KEEPER]
    work.post("draft", fields | {"word": ["23"]})
    assert work.row().draft["short"] == ["23-24"]
