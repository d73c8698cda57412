"""Long answers as people judged them: shares, points, strengths, and the judges themselves."""

import json
import math
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.human import (
    PairwiseJudgement,
    bradley_terry,
    head_to_head,
    positional_gap,
    score_accuracy,
    score_standings,
    self_consistency,
)
from metrics.score import BadInput

CASES = json.loads((Path(__file__).parent / "cases/bradley_terry.json").read_text())["sets"]

FOUR = [
    PairwiseJudgement("q1", "t5", "human", "right"),
    PairwiseJudgement("q1", "human", "jpr", "left"),
    PairwiseJudgement("q2", "t5", "jpr", "tie"),
    PairwiseJudgement("q3", "jpr", "t5", "left"),
]

# The same choices on as many questions again, so that there is an interval.
EIGHT = FOUR + [replace(each, item=f"{each.item} again") for each in FOUR]

JUDGEMENTS = st.lists(
    st.builds(
        lambda item, sides, preferred: PairwiseJudgement(item, *sides, preferred),
        st.sampled_from(["q1", "q2", "q3", "q4"]),
        st.permutations("abc").map(lambda order: order[:2]),
        st.sampled_from(["left", "right", "tie"]),
    ),
    min_size=1,
    max_size=12,
)


def values(evaluation):
    return {name: score.value for name, score in evaluation.scores().items()}


def test_accuracy():
    found = score_accuracy({"q1": [True, False], "q2": [True, True, True], "q3": [False]})

    assert values(found) == {"acc": pytest.approx(50)}
    assert found.counts == {"questions": 3, "judged": 6}
    score = found.scores(resamples=300)["acc"]
    assert (score.n, score.interval, score.note) == (3, None, "too few to tell")
    twice = score_accuracy({f"q{n}": [True, n % 2 > 0] for n in range(6)})
    score = twice.scores(resamples=300)["acc"]
    assert 0 <= score.interval.low < 75 < score.interval.high <= 100


def test_points():
    found = score_standings(FOUR)

    assert list(found) == ["human", "jpr", "t5"]
    assert values(found["human"]) == {"points": 100, "wins": 100, "ties": 0, "losses": 0}
    assert values(found["jpr"])["points"] == pytest.approx(50)
    assert values(found["t5"]) == pytest.approx(
        {"points": 100 / 6, "wins": 0, "ties": 100 / 3, "losses": 200 / 3}
    )
    assert found["t5"].counts == {"wins": 0, "ties": 1, "losses": 2, "comparisons": 3}


def test_a_question_with_more_comparisons_weighs_more():
    found = score_standings([*FOUR, *[PairwiseJudgement("q2", "t5", "jpr", "left")] * 3])

    assert values(found["t5"])["points"] == pytest.approx(100 * 3.5 / 6)
    assert found["t5"].scores()["points"].n == 3  # questions are what is resampled


def test_head_to_head():
    found = head_to_head(FOUR)

    assert list(found) == [("human", "jpr"), ("human", "t5"), ("jpr", "t5")]
    assert found["jpr", "t5"].counts == {"wins": 1, "ties": 1, "losses": 0, "comparisons": 2}
    assert values(found["jpr", "t5"])["points"] == 75


@given(JUDGEMENTS)
def test_every_comparison_gives_one_point(judgements):
    found = score_standings(judgements)

    total = sum(
        values(each)["points"] / 100 * each.counts["comparisons"] for each in found.values()
    )
    assert total == pytest.approx(len(judgements))
    for each in found.values():
        by_name = values(each)
        assert by_name["wins"] + by_name["ties"] + by_name["losses"] == pytest.approx(100)


def test_positional_gap():
    found = positional_gap(FOUR)

    assert values(found) == {"gap": 25, "left": 50, "right": 25, "tie": 25}


@given(JUDGEMENTS)
def test_exchanging_all_sides_turns_the_gap(judgements):
    other = {"left": "right", "right": "left", "tie": "tie"}
    turned = [PairwiseJudgement(j.item, j.right, j.left, other[j.preferred]) for j in judgements]

    assert values(positional_gap(turned))["gap"] == pytest.approx(
        -values(positional_gap(judgements))["gap"]
    )
    assert {name: values(each) for name, each in score_standings(turned).items()} == {
        name: values(each) for name, each in score_standings(judgements).items()
    }


def test_self_consistency():
    found = self_consistency(
        [
            PairwiseJudgement("q1", "a", "b", "left", "ann"),
            PairwiseJudgement("q1", "b", "a", "right", "ann"),  # a again
            PairwiseJudgement("q2", "a", "b", "left", "ann"),
            PairwiseJudgement("q2", "b", "a", "left", "ann"),  # now b: took the left one both times
            PairwiseJudgement(
                "q2", "a", "b", "left", "ann"
            ),  # a as at first, and against the second time
            PairwiseJudgement("q3", "a", "b", "tie", "ben"),
            PairwiseJudgement("q3", "a", "b", "right", "ben"),
            PairwiseJudgement("q3", "a", "b", "right", "cy"),  # somebody else, once
            PairwiseJudgement("q3", "a", "c", "right", "ben"),  # other systems, once
        ]
    )

    assert found.counts == {"same_pairs": 5, "swapped_pairs": 3, "unswapped_pairs": 2}
    assert values(found) == pytest.approx({"same": 40, "swapped": 100 / 3, "unswapped": 50})
    assert found.scores()["swapped"].n == 2
    assert found.scores()["unswapped"].n == 2


def test_no_swapped_repeat_has_no_number():
    found = values(self_consistency([PairwiseJudgement("q", "a", "b", "tie", "ann")] * 2))

    assert found["same"] == found["unswapped"] == 100
    assert math.isnan(found["swapped"])


@pytest.mark.parametrize("case", CASES, ids=["4 systems", "6 systems"])
def test_strengths_are_those_of_crowd_kit(case):
    judgements = [PairwiseJudgement(*row) for row in case["judgements"]]
    found = bradley_terry(judgements, prior=0, resamples=0)

    assert {name: score.value for name, score in found.items()} == pytest.approx(
        case["strengths"], abs=1e-7
    )


def test_a_textbook_table_of_strengths():
    wins = {"ab": 2, "ad": 1, "ba": 3, "bc": 5, "cb": 3, "cd": 1, "da": 4, "dc": 3}
    judgements = [
        PairwiseJudgement(f"{pair}{n}", *pair, "left")
        for pair, count in wins.items()
        for n in range(count)
    ]

    found = bradley_terry(judgements, prior=0, resamples=0)

    assert {name: score.value for name, score in found.items()} == pytest.approx(
        {"a": 0.139, "b": 0.226, "c": 0.143, "d": 0.492}, abs=0.0005
    )


def test_strengths_of_two_systems_are_their_shares_of_points():
    judgements = [
        PairwiseJudgement(f"q{n}", "a", "b", "left" if n < 7 else "right") for n in range(10)
    ]
    judgements += [
        PairwiseJudgement("q10", "a", "b", "tie"),
        PairwiseJudgement("q11", "b", "a", "tie"),
    ]

    found = bradley_terry(judgements, prior=0)

    assert {name: score.value for name, score in found.items()} == pytest.approx(
        {"a": 8 / 12, "b": 4 / 12}
    )
    assert found["a"].n == 12
    # Questions are independent with a known spread: the interval is about ± 1.96 standard errors.
    assert found["a"].interval.low == pytest.approx(0.42, abs=0.06)
    assert found["a"].interval.high == pytest.approx(0.91, abs=0.06)


def test_strengths_follow_the_model_that_made_the_judgements():
    drawn = random.Random(4)
    true = {"a": 0.5, "b": 0.25, "c": 0.15, "d": 0.1}
    judgements = []
    for number in range(4000):
        left, right = drawn.sample(list(true), 2)
        won = drawn.random() < true[left] / (true[left] + true[right])
        judgements.append(PairwiseJudgement(f"q{number}", left, right, "left" if won else "right"))

    found = bradley_terry(judgements, resamples=200)

    assert list(found) == ["a", "b", "c", "d"]
    for name, score in found.items():
        assert score.value == pytest.approx(true[name], abs=0.04)
        assert score.interval.low < true[name] < score.interval.high


@settings(max_examples=60, deadline=None)
@given(JUDGEMENTS)
def test_strengths_exist_with_a_prior(judgements):
    try:
        found = bradley_terry(judgements, resamples=20)
    except BadInput as error:
        assert "never compared" in str(error)  # noqa: PT017 - either is right
        return
    assert sum(score.value for score in found.values()) == pytest.approx(1)
    for score in found.values():
        assert 0 < score.value < 1
        # Four questions at most.
        assert (score.interval, score.note) == (None, "too few to tell")


def test_strengths_are_at_the_maximum():
    """The slope of the likelihood is 0: each system won as often as its strength says."""
    judgements = [PairwiseJudgement(*row) for row in CASES[1]["judgements"]]
    strength = {
        name: score.value for name, score in bradley_terry(judgements, prior=0, resamples=0).items()
    }
    for system in strength:
        met = [j for j in judgements if system in (j.left, j.right)]
        expected = sum(strength[system] / (strength[j.left] + strength[j.right]) for j in met)
        assert sum(j.points(system) for j in met) == pytest.approx(expected, abs=1e-8)


def test_a_system_that_always_won():
    judgements = [PairwiseJudgement(f"q{n}", "best", "rest", "left") for n in range(5)]

    found = bradley_terry(judgements)

    assert list(found) == ["best", "rest"]
    assert 0.5 < found["best"].value < 1
    with pytest.raises(BadInput, match="best never lost to some"):
        bradley_terry(judgements, prior=0)
    beaten = [
        *judgements,
        PairwiseJudgement("q", "rest", "best", "tie"),
        PairwiseJudgement("q", "a", "rest", "right"),
    ]
    with pytest.raises(BadInput, match="a never beat some"):
        bradley_terry(beaten, prior=0)


def test_systems_that_never_met():
    judgements = [
        PairwiseJudgement("q", "a", "b", "left"),
        PairwiseJudgement("q", "c", "d", "left"),
    ]

    with pytest.raises(BadInput, match=r"a, b were never compared with c, d"):
        bradley_terry(judgements)


def test_a_tiny_prior_is_still_a_prior():
    judgements = [PairwiseJudgement(f"q{n}", "best", "rest", "left") for n in range(5)]

    strengths = [
        bradley_terry(judgements, prior=prior, resamples=50)["best"] for prior in (1e-3, 1e-9)
    ]

    assert 0.999 < strengths[0].value < strengths[1].value <= 1
    assert (strengths[1].interval, strengths[1].note) == (None, "all the same")


def test_an_order_that_most_resamples_lack_has_no_interval():
    judgements = [PairwiseJudgement(f"q{n}", "a", "b", "left") for n in range(40)]
    judgements.append(PairwiseJudgement("q", "a", "b", "right"))
    found = bradley_terry(judgements, prior=0, resamples=200)["a"]
    assert found.value == pytest.approx(40 / 41)
    assert found.interval.high < 1
    circle = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "a")]
    judgements = [PairwiseJudgement(f"q{n}", *two, "left") for n, two in enumerate(circle)]
    found = bradley_terry(judgements, prior=0, resamples=200)["a"]
    assert (found.interval, found.note) == (None, "no value in most resamples")


def test_a_stronger_prior_draws_strengths_together():
    judgements = [PairwiseJudgement(f"q{n}", "a", "b", "left" if n else "right") for n in range(9)]
    strengths = [
        bradley_terry(judgements, prior=prior, resamples=0)["a"].value for prior in (0, 0.5, 5, 50)
    ]

    assert strengths == sorted(strengths, reverse=True)
    assert strengths[0] == pytest.approx(8 / 9)


def test_the_signature_says_how():
    found = bradley_terry(EIGHT, prior=1, resamples=100, seed=3)

    assert found["t5"].signature == (
        "human.bradley_terry|over:questions|ties:half|prior:1"
        "|interval:bootstrap-percentile-0.95|resamples:100|seed:3|v:1"
    )
    assert found == bradley_terry(EIGHT, prior=1, resamples=100, seed=3)


@pytest.mark.parametrize(
    "measure", [score_standings, head_to_head, positional_gap, self_consistency, bradley_terry]
)
def test_judgements_that_cannot_be(measure):
    with pytest.raises(BadInput, match="no judgement"):
        measure([])
    with pytest.raises(BadInput, match="q1: t5 was compared with itself"):
        measure([PairwiseJudgement("q1", "t5", "t5", "left")])
    with pytest.raises(BadInput, match="'both'; it is left, right or tie"):
        measure([PairwiseJudgement("q1", "t5", "jpr", "both")])


def test_what_has_no_number():
    with pytest.raises(BadInput, match="No long answer"):
        score_accuracy({})
    with pytest.raises(BadInput, match="q2: none of its disambiguated"):
        score_accuracy({"q1": [True], "q2": []})
    with pytest.raises(BadInput, match="same two answers twice"):
        self_consistency(FOUR)
    with pytest.raises(BadInput, match="prior must be 0 or more"):
        bradley_terry(FOUR, prior=-1)


def test_strengths_as_logarithms_add_up_to_0():
    shares = bradley_terry(EIGHT, resamples=100)
    logs = bradley_terry(EIGHT, scale="log", resamples=100)
    assert list(logs) == list(shares)
    mean = sum(math.log(score.value) for score in shares.values()) / len(shares)
    for name, score in logs.items():
        assert score.value == pytest.approx(math.log(shares[name].value) - mean)
        assert score.interval.low <= score.value <= score.interval.high
        assert "|scale:log|" in score.signature
