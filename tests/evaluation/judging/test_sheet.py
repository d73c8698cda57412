"""The sheet of judges: what is read, what is refused, what is shown."""

import pytest
from django.http import QueryDict

from annotation.contexts.inputs import inputs_of
from annotation.text.cleaning import ResponseError
from evaluation.judging.sheet import (
    Criterion,
    CriterionChoice,
    JudgingContext,
    JudgingResponse,
    JudgingSheet,
    Mark,
)
from tests.annotation.long_answers.helpers import TUNNEL

SHEET = JudgingSheet()
LEFT, RIGHT = "walkers had it from 25 march 1843.", "trains came on 7 december 1869."
ASKED = inputs_of("", TUNNEL, {}).disambiguations
CRITERIA = (Criterion("Fluency", "Which is more fluent?"), Criterion("Overall"))
PAIR = JudgingContext("When?", (LEFT, RIGHT), ASKED, CRITERIA)
ALONE = JudgingContext("When?", (LEFT,), ASKED)
DONE = JudgingResponse(
    left=(Mark("yes", "25 March  1843"), Mark("no")),
    right=(Mark("no"), Mark("yes")),
    choices=(CriterionChoice("tie"), CriterionChoice("left")),
)


def problems(response, given=PAIR):
    return [
        (finding.rule, finding.field) for finding in SHEET.check_response(response, given).blocking
    ]


def test_a_judgment_is_complete():
    assert problems(DONE) == []
    assert problems(JudgingResponse(left=DONE.left), ALONE) == []


def test_nothing_yet_asks_for_everything_in_the_order_of_the_page():
    assert problems(JudgingResponse()) == [
        *(("unanswered", f"{side}-{number}") for side in ("left", "right") for number in (1, 2)),
        *(("undecided", f"choice-{number}") for number in (1, 2)),
    ]
    assert problems(JudgingResponse(), ALONE) == [
        ("unanswered", "left-1"),
        ("unanswered", "left-2"),
    ]


def test_marked_words_must_be_in_the_text_they_are_marked_in():
    wrong = JudgingResponse(
        left=(Mark("yes", "7 december"), Mark("no")), right=DONE.right, choices=DONE.choices
    )
    report = SHEET.check_response(wrong, PAIR)
    [finding] = report.blocking
    assert (finding.rule, finding.field) == ("elsewhere", "left-1-words")
    assert "“7 december” is not in this text." in finding.sentence
    assert problems(SHEET.apply_press(wrong, "fix elsewhere left-1-words", PAIR, QueryDict())) == []
    for press in ("save", "fix elsewhere left-9-words", "fix elsewhere why", "fix"):
        assert SHEET.apply_press(wrong, press, PAIR, QueryDict()) == wrong


def test_five_steps_take_more_than_three():
    much = JudgingResponse(
        DONE.left, DONE.right, (CriterionChoice("left_much"), CriterionChoice("right"))
    )
    assert problems(much) == [("undecided", "choice-1")]
    assert problems(much, JudgingContext("When?", (LEFT, RIGHT), ASKED, CRITERIA, steps=5)) == []


def test_several_choices_are_an_error_and_never_a_tie():
    for post in (
        "choice-0-better=&choice-0-better=left&choice-0-better=right",
        "left-0-found=yes&left-0-found=yes",
    ):
        with pytest.raises(ResponseError, match="Choose exactly one"):
            SHEET.read(QueryDict(post), PAIR)
    with pytest.raises(ResponseError, match="not one of the choices"):
        SHEET.read(QueryDict("choice-0-better=both"), PAIR)


def test_no_choice_stays_none_and_in_its_place():
    post = QueryDict(
        "choice-0-better=&choice-1-better=&choice-1-better=tie&left-1-found=yes&left-0-found="
    )
    response = SHEET.read(post, PAIR)
    assert response.choices == (CriterionChoice(""), CriterionChoice("tie"))
    assert response.left == (Mark(""), Mark("yes"))


def test_what_a_form_sends_too_much_of_is_left_out():
    odd = JudgingResponse(
        left=(Mark("yes"),) * 9, right=(Mark("no"),) * 9, choices=(CriterionChoice("tie"),) * 9
    )
    fitted = SHEET.adapt_response(odd, PAIR)
    assert (len(fitted.left), len(fitted.right), len(fitted.choices)) == (2, 2, 2)
    alone = SHEET.adapt_response(odd, ALONE)
    assert (len(alone.left), alone.right, alone.choices) == (2, (), ())


def test_a_draft_round_trips():
    assert SHEET.load(SHEET.dump(DONE)) == DONE
    assert SHEET.dump(DONE)["choices"] == [{"better": "tie"}, {"better": "left"}]
    assert SHEET.dump(DONE)["left"] == [
        {"found": "yes", "words": "25 March  1843"},
        {"found": "no", "words": ""},
    ]


def test_it_is_shown_in_the_words_of_the_form():
    rows = SHEET.list_labelled_texts(DONE, PAIR)
    assert rows[0] == (
        "Answer 1: When did the Thames Tunnel open to walkers?",
        "Yes, “25 March  1843”",
    )
    assert rows[-2:] == [("Fluency", "Tie"), ("Overall", "Answer 1")]
    assert SHEET.list_labelled_texts(JudgingResponse(), PAIR) == []
    assert SHEET.summarise_response(DONE) == "6 chosen"


def test_the_digits_are_those_of_the_choices_from_left_to_right():
    shown = SHEET.form_context(DONE, SHEET.check_response(DONE, PAIR), PAIR, QueryDict())
    assert [value for value, _ in shown["choices"][0].options] == ["left", "right", "tie"]
    assert [side.name for side in shown["sides"]] == ["Answer 1", "Answer 2"]
    shown = SHEET.form_context(
        JudgingResponse(), SHEET.check_response(JudgingResponse(), ALONE), ALONE, QueryDict()
    )
    assert [side.name for side in shown["sides"]] == ["The answer"]
    assert shown["choices"] == []


def test_what_is_to_do_is_named_as_on_the_page():
    links = {item.key: [name for name, _ in item.links] for item in checklist(PAIR)}
    assert links["unanswered"] == ["Answer 1", "Answer 2"]
    assert links["undecided"] == ["Fluency", "Overall"]
    assert [item.key for item in checklist(ALONE)] == ["unanswered", "elsewhere"]
    assert checklist(ALONE)[0].links == (("The answer", "left-1"),)


def checklist(given):
    return SHEET.check_response(JudgingResponse(), given).checklist
