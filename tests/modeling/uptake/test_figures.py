"""The figures of suggestions, from plain values, counted by hand."""

import pytest

from metrics.proportions import wilson_interval
from metrics.resampling import difference_interval
from modeling.uptake import SuggestionFates, SuggestionWork, as_csv, compute_uptake_figures

READER = ("generation", "Reader 8B", "1", "pair")
THAMES, SEVERN = (("1843",), ("1869",)), (("1886",),)


def used(question, version="1", **fates):
    return SuggestionFates("generation", "Reader 8B", version, "pair", question, fates)


def work(question, arm, *seconds, answers=()):
    return SuggestionWork("generation", "Reader 8B", question, arm, seconds, answers)


def by_name(rows):
    return {(row.version, row.figure): row for row in rows}


def test_shares_are_of_what_was_shown():
    rows = by_name(
        compute_uptake_figures([used("a", accepted=2, dismissed=1), used("b", edited=1)], [])
    )
    counts = {name: rows["1", name].value for name in ("shown", "accepted", "edited", "dismissed")}
    assert counts == {"shown": 4, "accepted": 2, "edited": 1, "dismissed": 1}
    share = rows["1", "share.accepted"]
    assert (share.value, share.n, share.of) == (0.5, 2, READER)
    assert (share.low, share.note) == (None, "too few to tell")
    assert rows["1", "share.undecided"].value == 0


def test_one_suggestion_for_each_question_has_wilson_s_interval():
    rows = by_name(compute_uptake_figures([used(str(n), **{"accepted": 1}) for n in range(4)], []))
    share = rows["1", "share.accepted"]
    assert (share.low, share.high) == wilson_interval(4, 4)


def test_versions_are_counted_apart():
    rows = by_name(compute_uptake_figures([used("a", accepted=1), used("a", "2", dismissed=1)], []))
    assert rows["1", "share.accepted"].value == 1
    assert rows["2", "share.accepted"].value == 0


def test_times_are_means_of_questions():
    rows = by_name(
        compute_uptake_figures(
            [], [work("a", "with", 60, 120), work("b", "with", 30), work("c", "without", 100)]
        )
    )
    assert rows["", "seconds.with"].value == 60  # the mean of 90 and 30
    assert rows["", "seconds.with"].n == 2
    assert rows["", "seconds.without"].value == 100
    change = rows["", "seconds.change"]
    assert (change.value, change.low, change.n) == (-40, None, 1)
    assert change.note == "too few to tell"


def test_the_difference_has_an_interval_from_five_questions_on_each_side():
    quick, slow = [50, 60, 70, 60, 55, 65], [100, 90, 110, 120, 100]
    arms = [("with", quick), ("without", slow)]
    rows = [work(f"{arm}{n}", arm, s) for arm, times in arms for n, s in enumerate(times)]
    change = by_name(compute_uptake_figures([], rows))["", "seconds.change"]
    assert change.value == pytest.approx(60 - 104)
    interval = difference_interval(quick, slow).interval
    assert (change.low, change.high) == (interval.low, interval.high)
    assert change.low < -44 < change.high < 0


def test_a_difference_that_is_always_the_same_has_words():
    rows = [work(f"{arm}{n}", arm, 60) for arm in ("with", "without") for n in range(6)]
    change = by_name(compute_uptake_figures([], rows))["", "seconds.change"]
    assert (change.value, change.low, change.note) == (0, None, "all the same")


def test_suggestions_that_few_questions_had_most_of_rest_on_few():
    rows = [used("a", accepted=30), *(used(str(n), dismissed=1) for n in range(9))]
    share = by_name(compute_uptake_figures(rows, []))["1", "share.accepted"]
    assert (share.n, share.low, share.note) == (10, None, "too few to tell")


def test_agreement_is_of_questions_that_two_people_answered():
    rows = by_name(
        compute_uptake_figures(
            [],
            [
                work("a", "with", 1, 1, answers=[THAMES, THAMES]),
                work("b", "with", 1, answers=[THAMES]),
                work("c", "without", 1, 1, answers=[THAMES, THAMES[:1]]),
                work("d", "without", 1, 1, answers=[THAMES, SEVERN]),
            ],
        )
    )
    assert (rows["", "f1_answer.with"].value, rows["", "f1_answer.with"].n) == (1, 1)
    assert rows["", "f1_answer.without"].value == pytest.approx((2 / 3 + 0) / 2)
    assert rows["", "exact.without"].value == 0
    assert rows["", "f1_answer.change"].value == pytest.approx(2 / 3)


def test_long_answers_are_compared_by_their_words():
    def written(question, arm, *texts):
        return SuggestionWork(
            "long_answer", "Reader 8B", question, arm, [60] * len(texts), texts=texts
        )

    same, other = "It opened in 1843.", "Trains ran from 1869 on."
    rows = by_name(
        compute_uptake_figures(
            [], [written("a", "with", same, same), written("b", "without", same, other)]
        )
    )
    assert rows["", "rouge_lsum.with"].value == 1
    assert rows["", "rouge_lsum.without"].value < 0.2
    assert rows["", "f1_answer.with"].value is None


def test_kinds_are_counted_apart():
    passage = SuggestionFates("generation", "Reader 8B", "1", "passage", "a", {"undecided": 10})
    rows = compute_uptake_figures([used("a", accepted=1), passage], [])
    shown = {row.kind: row.value for row in rows if row.figure == "shown"}
    assert shown == {"pair": 1, "passage": 10}


def test_without_held_out_questions_there_is_no_comparison():
    rows = by_name(compute_uptake_figures([], [work("a", "with", 60)]))
    assert rows["", "seconds.without"].value is rows["", "seconds.change"].value is None
    assert rows["", "f1_answer.with"].value is None


def test_nothing_is_nothing():
    assert compute_uptake_figures([], []) == []


def test_names_cannot_be_formulas_in_a_spreadsheet():
    [head, row, *_] = as_csv(
        compute_uptake_figures(
            [SuggestionFates("generation", "=1+1", "@1", "pair", "a", {"edited": 1})], []
        )
    ).splitlines()
    assert head == "stage,system,version,kind,figure,value,low,high,n,note"
    assert row == "generation,'=1+1,'@1,pair,shown,1.0,,,1,"
