"""The results of a study in one or two sentences."""

from evaluation.results.counts import summarise_figures
from evaluation.studies.judgment_values import ItemJudgment
from tests.evaluation.results.votes import OVERALL, made, many, verdicts, vote


def test_the_summary_names_who_is_behind_and_who_cannot_be_told_apart():
    judged = []
    for n in range(30):
        judged += [vote(f"q{n}", "A", "B", (-1) ** n, pair=3 * n)]
        judged += [vote(f"q{n}", "A", "C", -1 if n % 5 else 0, pair=3 * n + 1)]
        judged += [vote(f"q{n}", "C", "B", 1 if n % 7 else 0, pair=3 * n + 2)]
    for each in judged:
        each.choices["fluency"] = each.choices["overall"]
    criteria = [{"key": "fluency", "label": "Fluency"}, *OVERALL]
    assert summarise_figures(made(judged, criteria=criteria)) == [
        "C is behind on every criterion.",
        "B and A cannot be told apart with 30 questions: 15 wins to 15, on overall impression.",
    ]


def test_the_summary_says_who_is_preferred():
    assert summarise_figures(made(many(choices=(1, 1, 1, 1, 1, 1, 0, -1)))) == [
        "B is ahead on overall impression.",
        "B is preferred to A: 16 wins to 2, and 2 times equally good, on overall impression.",
    ]


def test_the_best_two_are_compared_with_each_other():
    """B has more points than A, because it beats C more often; A beats B all the same."""
    judged = []
    for n in range(30):
        judged += [vote(f"q{n}", "A", "B", -1 if n % 10 else 1, pair=3 * n)]
        judged += [vote(f"q{n}", "A", "C", (-1) ** n, pair=3 * n + 1)]
        judged += [vote(f"q{n}", "B", "C", -1, pair=3 * n + 2) for _ in range(4)]
    assert summarise_figures(made(judged))[-1] == (
        "A is preferred to B: 27 wins to 3, on overall impression."
    )


def test_two_that_hardly_met_are_told_apart_by_what_they_did_against_others():
    """A and B meet on two questions only; against C, A always wins and B always loses."""
    judged = [vote(f"q{n}", "A", "B", -1, pair=3 * n) for n in range(2)]
    for n in range(12):
        judged += [vote(f"q{n}", "A", "C", -1 if n else 0, pair=3 * n + 1)]
        judged += [vote(f"q{n}", "B", "C", 1 if n % 2 else -1, pair=3 * n + 2)]
    assert summarise_figures(made(judged))[-1] == (
        "A is ahead of B over all comparisons: 96.4 points to 42.9, on overall impression."
    )


def test_the_summary_of_answers_alone():
    judged = [
        ItemJudgment(question=f"q{n}", pair=2 * n + (system == "B"), left=system, left_found=marks)
        for n in range(10)
        for system, marks in (("A", (True, n % 2 == 0)), ("B", (n % 2 == 1, True)))
    ]
    [sentence] = summarise_figures(made(judged, criteria=[]))
    assert sentence.startswith("A answers the largest share of disambiguations: 75.0 % (")
    assert sentence.endswith("). B may do as well.")


def test_the_summary_of_experts():
    judged = verdicts(*["correct"] * 20) + [
        ItemJudgment(question=f"q{n}", pair=50 + n, left="B", verdict="wrong") for n in range(20)
    ]
    assert summarise_figures(made(judged, criteria=[])) == [
        "A has the highest precision: 100.0 % (83.9 to 100.0)."
    ]


def test_nothing_judged_is_said():
    found = made([])
    assert found["counts"]["judgments"] == 0
    assert summarise_figures(found) == ["There are no judgments yet."]
