"""Items read from JSON and text; answers graded."""

import json

import pytest

from annotation.generation.known_answers import PreparedAnswer
from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.generation.sheet import GenerationSheet
from annotation.qualifications.items import Item, item_from_json, item_json, items_from_file
from annotation.qualifications.judging_sheet import Judgement, JudgingSheet
from annotation.qualifications.prepared_text import read_text, write_text
from annotation.sheets.answers import AnswerForm
from annotation.text.cleaning import ResponseError
from tests.annotation.qualifications.helpers import (
    BRIDGE,
    ITEMS,
    JUDGED,
    NOBODY,
    RIGHT,
    TUNNEL,
    WALKED_AND_RODE,
    accepted,
)


def grade_response(item, response, unanswered=()):
    return GenerationSheet().grade_response(response, item, unanswered)


@pytest.mark.parametrize("item", [*ITEMS, JUDGED])
def test_an_item_goes_through_json(item):
    kind = "validation" if "seeded" in item.expected else "generation"
    assert item_from_json(json.loads(json.dumps(item_json(item))), kind=kind) == item


def test_phrasings_may_be_a_list():
    pairs = [
        {"question": ["When A?", "When B?"], "answers": ["1"]},
        {"question": "When C?", "answers": ["2"]},
    ]
    item = item_from_json({"prompt": "when", "accepted": [{"pairs": pairs}]}, kind="generation")
    [answer] = item.expected["accepted"]
    assert answer["pairs"][0] == {"question": "When A? | When B?", "answers": ["1"]}


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ([], "An item should be an object."),
        ({"prompt": "x", "acepted": []}, '"acepted" is not a known field'),
        ({"prompt": " ", "accepted": [{"none": True}]}, "no prompt"),
        ({"prompt": "x"}, "no prepared answer"),
        ({"prompt": "x", "accepted": [{}]}, 'accepted 1: give one of "answers"'),
        ({"prompt": "x", "accepted": [{"answers": ["a"], "none": True}]}, "give one of"),
        ({"prompt": "x", "accepted": [{"answers": [" "]}]}, "accepted 1 has no answer"),
        ({"prompt": "x", "accepted": [{"answers": [3]}]}, "should be text"),
        ({"prompt": "x", "accepted": [{"pairs": [{"question": "q", "answers": ["a"]}]}]}, "one "),
        ({"prompt": "x", "accepted": [{"pairs": [{"answers": ["a"]}]}]}, "pair 1 has no question"),
        ({"prompt": "x", "accepted": [{"none": True}], "threshold": 0}, "above 0, at most 1"),
        ({"prompt": "x", "accepted": [{"none": True}], "threshold": True}, "above 0, at most 1"),
        ({"prompt": "x", "accepted": [{"none": True}], "hint_seconds": -1}, "hint_seconds"),
        ({"prompt": "x", "accepted": [{"none": True}] * 21}, "The maximum is 20"),
        ({"prompt": "x" * 2001, "accepted": [{"none": True}]}, "The maximum is 2,000"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(row, sentence):
    with pytest.raises(ResponseError, match=sentence):
        item_from_json(row, kind="generation")


def test_seeded_annotations_need_a_verdict():
    row = {"prompt": "x", "seeded": [{"answers": ["a"]}]}
    with pytest.raises(ResponseError, match="seeded 1: say whether"):
        item_from_json(row, kind="validation")
    with pytest.raises(ResponseError, match="no seeded annotations"):
        item_from_json({"prompt": "x"}, kind="validation")


def test_every_problem_of_a_file_is_named():
    rows = [{"prompt": "x"}, item_json(TUNNEL), {"prompt": ""}]
    with pytest.raises(ResponseError) as refused:
        items_from_file(json.dumps({"items": rows}).encode(), kind="generation")
    assert str(refused.value).split("\n") == [
        "Item 1: It has no prepared answer.",
        "Item 3: It has no prompt.",
    ]


@pytest.mark.parametrize("data", [b"{", b"\xff", b"[]", b'"x"', b'{"items": 3}', b"[" * 100_000])
def test_a_file_that_is_none(data):
    with pytest.raises(ResponseError):
        items_from_file(data, kind="generation")


def test_a_file_has_at_most_fifty():
    with pytest.raises(ResponseError, match="The maximum is 50"):
        items_from_file(json.dumps([item_json(TUNNEL)] * 51).encode(), kind="generation")


# --- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("item", ITEMS)
def test_prepared_answers_go_through_text(item):
    text = write_text("accepted", item.expected)
    assert {"accepted": read_text("accepted", text)} == item.expected


def test_several_prepared_answers_go_through_text():
    prepared = accepted(WALKED_AND_RODE, PreparedAnswer(("1843",)), PreparedAnswer())
    assert {"accepted": read_text("accepted", write_text("accepted", prepared))} == prepared


def test_annotations_to_judge_go_through_text():
    text = write_text("seeded", JUDGED.expected)
    assert {"seeded": read_text("seeded", text)} == JUDGED.expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("When? 1843", "Line 1: write the question"),
        ("\n\nWhen A? = 1\n= 2", "Line 4: it has no question"),
        ("= |", "Line 1 has no answer"),
        ("When A? = 1", "Line 1 has one pair"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(text, sentence):
    with pytest.raises(ResponseError, match=sentence):
        read_text("accepted", text)


@pytest.mark.parametrize(
    ("text", "sentence"), [("= 1843", "begin each"), ("correct", "say below it")]
)
def test_a_verdict_that_cannot_be_read_is_named(text, sentence):
    with pytest.raises(ResponseError, match=f"Line 1: {sentence}"):
        read_text("seeded", text)


def test_an_equals_sign_in_an_answer_stays():
    assert read_text("accepted", "= E = mc2") == [{"answers": ["E = mc2"]}]


# --- grading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, 2])
def test_right_answers_pass(place):
    grade = grade_response(ITEMS[place], RIGHT[place])
    assert (grade.score, grade.passed) == (1.0, True)


def test_the_questions_are_measured_and_decide_nothing():
    grade = grade_response(TUNNEL, RIGHT[0])
    assert grade.edit == 1.0
    other = GenerationResponse(
        kind="multiple",
        pairs=(
            WrittenPair("Which day of spring?", RIGHT[0].pairs[0].answers),
            WrittenPair("Which day of winter?", RIGHT[0].pairs[1].answers),
        ),
    )
    worse = grade_response(TUNNEL, other)
    assert worse.passed
    assert worse.edit < 1


def test_half_of_the_answers():
    half = GenerationResponse(kind="single", single=(AnswerForm("25 March 1843"),))
    grade = grade_response(TUNNEL, half)
    assert grade.score == pytest.approx(2 / 3)
    assert not grade.passed
    assert grade_response(Item(**{**vars(TUNNEL), "threshold": 0.6}), half).passed


def test_any_form_that_was_prepared_counts_but_once():
    forms = (AnswerForm("spring"), AnswerForm("march 25 1843"), AnswerForm("7 December 1869"))
    both = GenerationResponse(
        kind="multiple", pairs=(WrittenPair("A?", forms), WrittenPair("B?", forms))
    )
    assert grade_response(TUNNEL, both).score == pytest.approx(0.5)


def test_the_best_prepared_answer_counts():
    item = Item("x", accepted(PreparedAnswer(("1",)), PreparedAnswer()))
    assert grade_response(item, GenerationResponse(kind="none")).passed
    assert grade_response(item, GenerationResponse(kind="single", single=(AnswerForm("1"),))).passed
    assert not grade_response(
        item, GenerationResponse(kind="single", single=(AnswerForm("2"),))
    ).passed


def test_nothing_is_worth_nothing():
    for response in (
        GenerationResponse(),
        GenerationResponse(kind="single"),
        GenerationResponse(kind="none"),
    ):
        assert grade_response(BRIDGE, response).score == 0
    assert not grade_response(NOBODY, GenerationResponse()).passed


def test_what_the_rules_ask_for_stops_a_pass():
    grade = grade_response(BRIDGE, RIGHT[1], unanswered=["Too long."])
    assert (grade.score, grade.passed, grade.open) == (1.0, False, ("Too long.",))


@pytest.mark.parametrize(
    ("said", "score", "passed"),
    [([True, False], 1, True), ([True, True], 0.5, False), ([True], 0.5, False), ([], 0, False)],
)
def test_verdicts(said, score, passed):
    grade = JudgingSheet().grade_response(Judgement(tuple(said)), JUDGED)
    assert (grade.score, grade.passed) == (score, passed)
