"""Presses on the form as values: no request, no database."""

from dataclasses import replace

import pytest

from annotation.generation.presses import anchor_after_press, apply_press
from annotation.generation.responses import MAX_PAIRS, GenerationResponse, WrittenPair
from annotation.sheets.answers import AnswerForm
from annotation.sheets.rules import Finding, Fix
from annotation.text.cleaning import ResponseError

LONG = "on 27 April 2010 as part of it"
THREE = GenerationResponse(
    pairs=(
        WrittenPair("A?", (AnswerForm("1"),)),
        WrittenPair("B?", (AnswerForm("before"), AnswerForm(LONG, quote=7), AnswerForm("after"))),
        WrittenPair("", ()),
    ),
    single=(AnswerForm("x / y"),),
)


def finding(rule, field, fix):
    return Finding(rule, "warning", field, None, "It says so.", "Do so", fix)


def press(response, value, findings=()):
    return apply_press(response, value, prompt="When?", findings=findings)


def forms(response, place):
    return [(form.text, form.quote) for form in response.pairs[place].answers]


def test_a_shorter_answer_takes_the_place_and_the_quote_of_the_long_one():
    fix = Fix("Use it", "answer-2", "27 April 2010", replaces=LONG)
    after = press(THREE, "fix long-answer answer-2", [finding("long-answer", "answer-2", fix)])
    assert forms(after, 1) == [("before", None), ("27 April 2010", 7), ("after", None)]


def test_several_lines_become_several_forms():
    fix = Fix("Make 2 forms", "single-answer", "x\ny", replaces="x / y")
    after = press(
        THREE, "fix separator single-answer", [finding("separator", "single-answer", fix)]
    )
    assert [form.text for form in after.single] == ["x", "y"]


def test_a_fix_may_choose_the_kind():
    fix = Fix("One clear answer", "kind", "single")
    after = press(THREE, "fix few-pairs kind", [finding("few-pairs", "kind", fix)])
    assert after.kind == "single"
    assert [form.text for form in after.single] == ["x / y", "1", "before", LONG, "after"]


@pytest.mark.parametrize(
    "value",
    [
        "fix other question-1",
        "fix question-mark question-9",
        "fix",
        "remove-form pair-9 1",
        "remove-form pair-x 1",
        "remove-form single 1",
        "move-down 2",
        "start 99999",
        "delete-pair ²",
        "start 0",
        "save",
        "",
    ],
)
def test_presses_that_change_nothing(value):
    fix = Fix("Add", "question-9", "?")
    assert press(THREE, value, [finding("question-mark", "question-9", fix)]) == THREE


def test_start_fills_only_an_empty_question():
    assert press(THREE, "start 2").pairs[2].question == "When?"


def test_no_more_pairs_than_can_be_kept():
    full = replace(THREE, pairs=(WrittenPair(),) * MAX_PAIRS)
    with pytest.raises(ResponseError, match="The maximum is 50"):
        press(full, "add-pair")


@pytest.mark.parametrize(
    ("value", "where"),
    [
        ("add-pair", "pair-3"),
        ("delete-pair 2", "pair-3"),
        ("move-up 1", "pair-1"),
        ("move-down 0", "pair-2"),
        ("start 1", "pair-2"),
        ("fix question-mark question-2", "question-2"),
        ("remove-form pair-1 x", "answer-2"),
        ("remove-form single x", "single-answer"),
        ("switch", "write"),
        ("delete-pair ²", "write"),
        ("fix x question-1\r\nX-Other: 1", "write"),
        ("", "write"),
    ],
)
def test_where_the_page_opens_after_a_press(value, where):
    assert anchor_after_press(THREE, value) == where


@pytest.mark.parametrize(("quote", "left"), [("7", (9,)), ("9", (7,)), ("8", (7, 9))])
def test_a_quote_is_taken_off_the_forms_of_its_answer(quote, left):
    both = GenerationResponse(
        pairs=(WrittenPair("A?", (AnswerForm("1", 7, (9,)),)),), single=(AnswerForm("x", 7, (9,)),)
    )
    after = press(both, f"remove-quote pair-0 {quote}")
    assert [form.quotes for form in after.pairs[0].answers] == [left]
    assert after.single == both.single
    assert press(both, f"remove-quote single {quote}").single[0].quotes == left
    assert anchor_after_press(both, f"remove-quote pair-0 {quote}") == "answer-1"
