"""Figures of a study, counted by hand; docs/studies.md has one more example, which is run."""

import random
from collections import Counter, defaultdict

import pytest

from benchmarks.studies import CRITERION, SIX, THREE, simulate
from evaluation.studies.judgment_values import ItemJudgment
from metrics import resampling
from metrics.proportions import wilson_interval
from tests.evaluation.results.votes import OVERALL, made, many, verdicts, vote


def of_overall(judged, **options):
    return made(judged, **options)["criteria"][0]


# --- points, and who wins -----------------------------------------------------------------------


def test_three_systems_on_two_questions():
    found = of_overall(
        [
            vote("q1", "A", "B", -1, pair=0),
            vote("q1", "C", "A", 0, pair=1),
            vote("q1", "B", "C", 2, pair=2),
            vote("q2", "B", "A", -2, pair=3),
        ]
    )
    tallies = {
        system: tuple(each[name] for name in ("value", "wins", "ties", "losses", "n"))
        for system, each in found["points"].items()
    }
    assert tallies == {
        "A": (pytest.approx(50), 1, 1, 1, 3),
        "B": (pytest.approx(100 / 3), 1, 0, 2, 3),
        "C": (pytest.approx(75), 1, 1, 0, 2),
    }
    cells = {
        (row, column): (cell["value"], cell["wins"], cell["ties"], cell["losses"])
        for row, cells in found["matrix"].items()
        for column, cell in cells.items()
    }
    assert cells == {
        ("A", "B"): (50, 1, 0, 1),
        ("B", "A"): (50, 1, 0, 1),
        ("A", "C"): (50, 0, 1, 0),
        ("C", "A"): (50, 0, 1, 0),
        ("B", "C"): (0, 0, 0, 1),
        ("C", "B"): (100, 1, 0, 0),
    }


def test_the_two_directions_of_a_cell_mirror_each_other():
    matrix = of_overall(many(choices=(-1, -1, 1, 0)))["matrix"]
    one, other = matrix["A"]["B"], matrix["B"]["A"]
    assert one["low"] < one["value"] < one["high"]
    assert (other["low"], other["value"], other["high"]) == pytest.approx(
        (100 - one["high"], 100 - one["value"], 100 - one["low"])
    )


def test_several_raters_all_count_and_repeats_do_not():
    votes = [vote("q1", "A", "B", -1), vote("q1", "A", "B", 1, judge="ben")]
    again = [vote("q1", "B", "A", -1, repeat=True, left_found=(True,), right_found=(True,))]
    found = made(votes + again)
    assert found["criteria"][0]["points"]["A"]["n"] == 2
    assert found["criteria"][0]["points"]["A"]["value"] == 50
    assert found["acc"] == {}
    assert found["counts"] | {"judges": 2, "judgments": 2, "repeats": 1} == found["counts"]


def test_a_criterion_that_nobody_judged_has_no_figures():
    criteria = [*OVERALL, {"key": "fluency", "label": "Fluency"}]
    fluency = made(many(), criteria=criteria)["criteria"][1]
    assert (fluency["key"], fluency["points"], fluency["matrix"]) == ("fluency", {}, {})
    assert fluency["agreement"]["alpha"]["value"] is None


@pytest.mark.parametrize("questions", [1, 2, 3])
def test_few_questions_have_values_and_no_interval(questions):
    found = of_overall(many(questions=questions, choices=(-1, 1)))
    figures = [found["points"]["A"], found["strengths"]["A"]["log"], found["position"]["gap"]]
    precision = made(verdicts(*["correct"] * questions), criteria=[])["experts"]["A"]["precision"]
    for value in (*figures, precision):
        assert value["value"] is not None
        assert (value["low"], value["high"]) == (None, None)
        assert value["note"] == "too few to tell"


def test_from_four_questions_a_figure_with_bounds_has_an_interval():
    """Strengths, which have none, have it from five."""
    four, five = (of_overall(many(questions=n, choices=(-1, 1, -1))) for n in (4, 5))
    low, high = wilson_interval(3, 4)
    points = four["points"]["A"]
    assert (points["low"], points["high"]) == pytest.approx((100 * low, 100 * high))
    gap = four["position"]["gap"]
    assert (gap["low"], gap["high"]) == pytest.approx((200 * low - 100, 200 * high - 100))
    assert four["strengths"]["A"]["log"]["note"] == "too few to tell"
    log = five["strengths"]["A"]["log"]
    assert log["low"] < log["value"] < log["high"]


def test_a_strength_without_width_has_no_interval():
    log = of_overall(many(questions=20))["strengths"]["A"]["log"]
    assert (log["low"], log["note"]) == (None, "all the same")


def test_a_system_that_always_wins_has_the_interval_of_wilson():
    points = of_overall(many(questions=20))["points"]
    low, high = wilson_interval(20, 20)
    assert (points["A"]["value"], points["A"]["low"]) == (100, pytest.approx(100 * low))
    assert points["A"]["high"] == pytest.approx(100 * high)
    assert points["B"]["high"] == pytest.approx(100 - 100 * low)


def test_intervals_resample_questions():
    """Ten raters of one question who all say the same are not ten times as much to know."""
    one = many(questions=30, choices=(-1, 1))
    ten = [
        vote(each.question, "A", "B", each.choices["overall"], judge=f"r{rater}")
        for each in one
        for rater in range(10)
    ]
    narrow, wide = of_overall(ten)["points"]["A"], of_overall(one)["points"]["A"]
    assert (narrow["low"], narrow["high"]) == pytest.approx((wide["low"], wide["high"]))
    alpha = of_overall(ten)["agreement"]["alpha"]
    assert alpha["value"] == 1


def test_intervals_of_few_questions_are_widened():
    points = of_overall(many(questions=10, choices=(-1, 1, 0)))["points"]["A"]
    worth = [100.0, 0.0, 50.0] * 3 + [100.0]
    level = resampling.widen_level(0.95, 10)
    low, high, *_ = resampling.mean_interval(worth, resamples=200, seed=1, level=level)
    assert (points["low"], points["high"]) == pytest.approx((low, high))
    plain = resampling.mean_interval(worth, resamples=200, seed=1)
    assert high - low > plain.high - plain.low


def test_pairs_of_a_question_are_resampled_together():
    """Six pairs that say the same of a question tell no more of agreement than one."""

    def alpha(question):
        judged = []
        for n in range(60):
            for judge, choice in (("ann", (-1) ** (n // 6)), ("ben", (-1) ** (n // 18))):
                judged.append(vote(f"q{question(n)}", "A", "B", choice, pair=n, judge=judge))
        return of_overall(judged)["agreement"]["alpha"]

    together, apart = alpha(lambda n: n // 6), alpha(lambda n: n)
    assert together["value"] == apart["value"]
    assert together["high"] - together["low"] > 1.5 * (apart["high"] - apart["low"])


def test_the_same_seed_gives_the_same_figures():
    judged = simulate(THREE, questions=10, pairing="all", raters=2, seed=5)
    options = {"criteria": [{"key": CRITERION}]}
    assert made(judged, **options) == made(judged, **options)
    assert made(judged, **options) != made(judged, seed=2, **options)


def test_the_order_of_judgments_does_not_matter_to_values():
    judged = simulate(THREE, questions=10, pairing="all", raters=2, seed=5)
    shuffled = random.Random(1).sample(judged, len(judged))
    one, other = (
        made(each, criteria=[{"key": CRITERION}])["criteria"][0] for each in (judged, shuffled)
    )
    for system, value in one["points"].items():
        assert other["points"][system]["value"] == pytest.approx(value["value"])
    assert other["agreement"]["alpha"]["value"] == pytest.approx(one["agreement"]["alpha"]["value"])


# --- as the paper pools -------------------------------------------------------------------------


def test_one_rater_per_pair_gives_the_figures_of_the_paper():
    """Mean share captured per answer; 100 · (wins + ties / 2) / comparisons: in plain loops."""
    judged = simulate(SIX, questions=45, pairing="matching", raters=1, seed=3)
    shares, points = defaultdict(list), defaultdict(Counter)
    for each in judged:
        shares[each.left].append(sum(each.left_found) / len(each.left_found))
        shares[each.right].append(sum(each.right_found) / len(each.right_found))
        choice = each.choices[CRITERION]
        points[each.left]["points"] += {-1: 1, 0: 0.5, 1: 0}[choice]
        points[each.right]["points"] += {-1: 0, 0: 0.5, 1: 1}[choice]
        points[each.left]["shown"] += 1
        points[each.right]["shown"] += 1
    found = made(judged, criteria=[{"key": CRITERION}])
    for system in SIX.systems:
        acc = 100 * sum(shares[system]) / len(shares[system])
        assert found["acc"][system]["value"] == pytest.approx(acc, abs=1e-9)
        assert found["acc"][system]["n"] == 45
        score = 100 * points[system]["points"] / points[system]["shown"]
        assert found["criteria"][0]["points"][system]["value"] == pytest.approx(score, abs=1e-9)


# --- strengths ----------------------------------------------------------------------------------


def test_strengths_are_logarithms_around_0_and_shares_of_1():
    judged = simulate(SIX, questions=20, pairing="matching", raters=1, seed=2)
    strengths = of_overall(judged)["strengths"]
    assert sum(each["log"]["value"] for each in strengths.values()) == pytest.approx(0)
    assert sum(each["share"]["value"] for each in strengths.values()) == pytest.approx(1)
    for each in strengths.values():
        assert each["log"]["low"] < each["log"]["value"] < each["log"]["high"]
        assert each["share"]["low"] < each["share"]["value"] < each["share"]["high"]


def test_systems_that_never_met_have_no_strengths_and_a_note_says_why():
    found = of_overall([vote("q1", "A", "B", -1), vote("q2", "C", "D", 1)])
    assert found["strengths"] == {}
    assert "never compared" in found["strengths_note"]


# --- raters -------------------------------------------------------------------------------------


def test_agreement_is_towards_the_same_system_whatever_the_sides():
    judged = []
    for n in range(6):
        judged += [vote(f"q{n}", "A", "B", 1 if n % 2 else -1)]
        judged += [vote(f"q{n}", "B", "A", -1 if n % 2 else 1, judge="ben")]
    agreement = of_overall(judged)["agreement"]
    assert (agreement["same"]["value"], agreement["same"]["n"], agreement["units"]) == (100, 6, 6)
    assert agreement["alpha"]["value"] == 1


def test_the_strength_of_a_choice_counts_for_agreement_and_not_for_points():
    judged = [vote(f"q{n}", "A", "B", (-1) ** n) for n in range(6)]
    judged += [vote(f"q{n}", "A", "B", 2 * (-1) ** n, judge="ben") for n in range(6)]
    found = of_overall(judged)
    assert found["points"]["A"]["value"] == 50
    assert found["agreement"]["same"]["value"] == 0
    assert 0 < found["agreement"]["alpha"]["value"] < 1


def test_one_rater_each_cannot_agree():
    agreement = of_overall(many(choices=(-1, 1)))["agreement"]
    assert agreement["alpha"] | {"value": None, "n": 0} == agreement["alpha"]
    assert agreement["alpha"]["note"] == "Nothing was judged by two people."


def test_raters_who_all_say_the_same_have_no_alpha():
    judged = many() + [vote(f"q{n}", "A", "B", -1, judge="ben") for n in range(20)]
    agreement = of_overall(judged)["agreement"]
    assert (agreement["alpha"]["value"], agreement["same"]["value"]) == (None, 100)
    assert "All ratings are the same" in agreement["alpha"]["note"]


def test_marks_agree_disambiguation_by_disambiguation():
    judged = [
        vote("q1", "A", "B", 0, left_found=(True, False), right_found=(True, True)),
        vote("q1", "B", "A", 0, left_found=(True, True), right_found=(True, True), judge="ben"),
    ]
    found = made(judged)
    assert found["acc_agreement"]["same"]["value"] == 75
    assert found["acc"]["A"]["value"] == 75


def test_a_side_that_everybody_takes():
    position = of_overall(many(questions=12, choices=(-1, -1, 1, 0)))["position"]
    assert (position["left"], position["right"], position["ties"]) == (6, 3, 3)
    assert position["gap"]["value"] == 25
    assert position["left_share"]["value"] == pytest.approx(200 / 3)
    assert position["left_share"]["n"] == 9


def test_steadiness_is_measured_on_repeats_with_sides_exchanged():
    judged = many(questions=10, choices=(-1, 0))
    judged += [vote("q0", "B", "A", 1, repeat=True), vote("q1", "B", "A", 1, repeat=True)]
    judged += [vote("q2", "B", "A", 2, repeat=True)]
    consistency = of_overall(judged)["consistency"]
    assert (consistency["value"], consistency["n"]) == (pytest.approx(200 / 3), 3)
    assert of_overall(many())["consistency"] is None


# --- automatic metrics --------------------------------------------------------------------------


def test_correlations_over_few_systems_come_with_a_warning():
    judged = simulate(SIX, questions=20, pairing="matching", raters=1, seed=4)
    points = of_overall(judged)["points"]
    automatic = {"rouge": {s: 2 * each["value"] + 1 for s, each in points.items()}}
    found = made(judged, automatic=automatic | {"length": dict.fromkeys(points, 60.0)})
    rows = {(row["metric"], row["with"]): row for row in found["correlations"]["rows"]}
    assert set(rows) == {(m, w) for m in ("rouge", "length") for w in ("acc", "overall")}
    assert rows["rouge", "overall"]["value"] == pytest.approx(1)
    assert "perfect" in rows["rouge", "overall"]["note"]
    assert rows["rouge", "acc"]["low"] < rows["rouge", "acc"]["value"]
    assert (rows["length", "acc"]["value"], rows["length", "acc"]["n"]) == (None, 6)
    assert found["correlations"]["warning"].startswith("These correlations rest on 6 systems.")


def test_correlations_rest_on_the_systems_that_both_have():
    judged = simulate(SIX, questions=20, pairing="matching", raters=1, seed=4)
    automatic = {"dr": {"JPR": 1.0, "T5-C": 2.0, "T5-O-1": float("nan"), "unknown": 7.0}}
    rows = made(judged, automatic=automatic)["correlations"]["rows"]
    assert {row["n"] for row in rows} == {2}
    assert all(row["value"] is None and row["note"] for row in rows)


def test_without_metrics_there_is_neither_a_table_nor_a_warning():
    assert made(many())["correlations"] == {"method": "pearson", "rows": [], "warning": ""}


# --- one answer at a time -----------------------------------------------------------------------


def test_answers_alone_have_acc_and_no_preferences():
    judged = [
        ItemJudgment(question=f"q{n}", pair=n, left="A", judge="ann", left_found=(n % 2 == 0, True))
        for n in range(8)
    ]
    found = made(judged, criteria=[])
    assert (found["acc"]["A"]["value"], found["acc"]["A"]["n"]) == (75, 8)
    assert found["acc"]["A"]["low"] < 75 < found["acc"]["A"]["high"]
    assert found["criteria"] == []


def test_experts_give_precision():
    found = made(verdicts(*["correct"] * 5, *["debatable"] * 3, *["wrong"] * 2), criteria=[])
    experts = found["experts"]["A"]
    assert [experts[name]["value"] for name in ("correct", "debatable", "wrong")] == [50, 30, 20]
    low, high = wilson_interval(8, 10)
    precision = experts["precision"]
    assert (precision["value"], precision["n"]) == (80, 10)
    assert (precision["low"], precision["high"]) == pytest.approx((100 * low, 100 * high))


def test_a_consensus_replaces_the_verdicts_it_was_made_from():
    judged = verdicts("correct", "wrong") + verdicts("correct", "correct", judge="ben")
    alone = made(judged, criteria=[])["experts"]["A"]["precision"]
    assert (alone["value"], alone["n"]) == (75, 2)
    both = made(judged, criteria=[], consensus={1: "wrong"})
    agreed = both["experts"]["A"]["precision"]
    assert (agreed["value"], agreed["n"]) == (50, 2)
    assert both["experts_alone"]["A"]["precision"] == alone
