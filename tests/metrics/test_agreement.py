"""Agreement of people who answered the same questions."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import rouge, sentences
from metrics.agreement import (
    ValidationOutcome,
    answer_f1,
    score_answer_agreement,
    score_pairwise_agreement,
    score_validation,
)
from metrics.resampling import bootstrap_intervals
from metrics.score import BadInput
from metrics.text import same_answer

ANSWERS = st.lists(st.lists(st.sampled_from(["a1", "b2", "c3", "d4"]), min_size=1), max_size=4)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (["Paris"], ["paris!"], 1),
        ([["Michael Jordan", "MJ"]], [["M.J."]], 1),  # a shared alias is enough
        (["Paris", "Rome"], ["Rome"], 2 / 3),
        (["Paris", "Paris"], ["Paris"], 2 / 3),  # an answer given twice costs
        (["Paris"], ["Rome"], 0),
        ([], [], 1),
        (["Paris"], [], 0),
        (["C++"], ["C#"], 1),  # one answer to the official scorers
        (["?"], ["!"], 0),
        ([" "], [""], 0),  # no text is no answer that could match
        ([[]], [[]], 0),
    ],
)
def test_answer_f1(first, second, expected):
    assert answer_f1(first, second) == pytest.approx(expected)
    assert answer_f1(second, first) == pytest.approx(expected)


def test_answers_are_taken_in_the_order_given():
    """Greedy: "a" takes the answer that "b" needed, so one direction finds less."""
    wide, narrow = [["x"], ["x", "y"]], [["x", "y"], ["x"]]

    assert answer_f1(wide, [["y", "x"], ["y"]]) == 1
    assert answer_f1(narrow, [["x"], ["y"]]) == pytest.approx(0.5)
    assert answer_f1([["x"], ["y"]], narrow) == pytest.approx(0.5)
    assert answer_f1([["x", "y"], ["y"]], [["y"], ["x"]]) == pytest.approx(0.5)


@given(ANSWERS, ANSWERS)
def test_answer_f1_is_a_share(first, second):
    assert 0 <= answer_f1(first, second) <= 1


@given(ANSWERS)
def test_everybody_agrees_with_themselves(given_answers):
    assert answer_f1(given_answers, given_answers) == 1


@given(st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=3))
def test_any_text_is_an_answer(first, second):
    assert 0 <= answer_f1(first, second) <= 1


def test_answers_of_two_people():
    scores = score_answer_agreement(
        {
            "q1": [["Paris"], ["Paris"]],
            "q2": [["Paris", "Rome"], ["Rome"]],
            "q3": [["Paris"], ["Oslo"]],
            "q4": [["Paris"]],  # nobody to agree with
        }
    )

    assert list(scores.ids) == ["q1", "q2", "q3"]
    assert scores.columns["f1_answer"] == pytest.approx([1, 2 / 3, 0])
    assert scores.scores()["f1_answer"].value == pytest.approx(5 / 9)
    assert scores.scores()["exact"].value == pytest.approx(1 / 3)
    assert scores.scores()["f1_answer"].n == 3
    assert scores.counts == {"questions": 3, "alone": 1}
    bounds = bootstrap_intervals(scores, resamples=500)["f1_answer"]
    assert bounds.low < 5 / 9 < bounds.high


def test_three_people_are_three_pairs():
    scores = score_answer_agreement({"q": [["Paris"], ["Paris"], ["Oslo"]]})

    assert scores.columns["f1_answer"] == pytest.approx([1 / 3])
    assert scores.columns["exact"] == [0]


def test_pairwise_takes_both_directions():
    def recall(reference, text):
        return len(set(reference) & set(text)) / len(set(reference))

    found = score_pairwise_agreement(
        {"q": ["ab", "abcd"]}, recall, name="recall", options={"stemmer": "none"}
    )

    assert found.scores()["recall"].value == pytest.approx((1 + 0.5) / 2)
    assert found.scores()["recall"].signature == (
        "agreement.recall|items:all|pairs:ordered|stemmer:none|v:1"
    )


def test_pairwise_string_match():
    found = score_pairwise_agreement(
        {"q": ["Paris", "paris", "Rome"], "r": ["Oslo", "Oslo."]}, same_answer, name="string_match"
    )

    assert found.columns["string_match"] == pytest.approx([1 / 3, 1])


def test_outcomes_of_validation():
    found = score_validation(
        {
            "q1": ValidationOutcome(automatic=True),
            "q2": ValidationOutcome(),
            "q3": ValidationOutcome(edited=True, excluded=True),
            "q4": ValidationOutcome(excluded=True),
        }
    )

    assert {name: score.value for name, score in found.scores().items()} == {
        "passed": 0.5,
        "automatic": 0.25,
        "accepted": 0.25,
        "changed": 0.5,
        "edited": 0.25,
        "excluded": 0.5,
    }


@pytest.mark.parametrize(
    "measure",
    [score_answer_agreement, lambda q: score_pairwise_agreement(q, same_answer, name="match")],
)
@pytest.mark.parametrize("questions", [{}, {"q": [["Paris"]]}, {"q": []}])
def test_nothing_to_compare(measure, questions):
    with pytest.raises(BadInput, match="No question has two annotations"):
        measure(questions)


def test_outcomes_that_contradict_themselves():
    with pytest.raises(BadInput, match="q7: was accepted without a validator"):
        score_validation({"q7": ValidationOutcome(automatic=True, edited=True)})
    with pytest.raises(BadInput, match="no validated question"):
        score_validation({})


@pytest.mark.realdata
def test_annotators_of_asqa_agree_as_the_paper_says(realdata):
    """49.4 on the development set (table 3, HP-w/-C): one annotator against the other."""
    path = realdata / "asqa/ASQA.dev.json"
    if not path.exists():
        pytest.skip(f"ASQA is not at {path}")
    given = json.loads(path.read_text())["dev"]
    cut = sentences.Rules()
    found = score_pairwise_agreement(
        {
            key: [
                cut.split_sentences(each["long_answer"].lower()) for each in record["annotations"]
            ]
            for key, record in given.items()
        },
        lambda a, b: rouge.rouge_lsum(a, b).f1,
        name="rouge_lsum",
    )
    score = found.scores(resamples=500)["rouge_lsum"]

    assert score.n == 948
    assert 100 * score.value == pytest.approx(49.4, abs=0.1)
    assert score.interval.low < 0.494 < score.interval.high
