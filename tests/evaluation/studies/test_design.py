"""The items of a study: drawn by its seed, and balanced."""

import random
from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.studies.design import (
    DesignError,
    PlannedItem,
    count_repeats,
    plan_items,
    sample_questions,
)
from evaluation.studies.estimates import estimate_study

PAIRINGS = ("all", "matching", "blocks", "reference")
designs = st.fixed_dictionaries(
    {
        "questions": st.integers(1, 40).map(lambda n: list(range(100, 100 + n))),
        "systems": st.integers(2, 8).map(lambda n: list(range(1, 1 + n))),
        "pairing": st.sampled_from(PAIRINGS),
        "seed": st.integers(0, 2**53),
        "repeats": st.sampled_from((0, 1, 10, 50, 100)),
    }
)


def planned(**options):
    return plan_items(**({"reference": 1, "repeats": 0, "seed": 1} | options))


def originals(items):
    return [item for item in items if item.repeats is None]


def spread(counts, keys):
    """The difference between the largest and the smallest count."""
    return max(counts[key] for key in keys) - min(counts[key] for key in keys)


def pairs_of(systems):
    return [(a, b) for place, a in enumerate(systems) for b in systems[place + 1 :]]


# --- samples ------------------------------------------------------------------------------------


def test_a_stratified_sample_keeps_the_shares():
    sizes = dict.fromkeys(range(60), 2) | dict.fromkeys(range(60, 90), 3) | {90: 4, 91: 7, 92: 9}
    sizes |= dict.fromkeys(range(93, 100), 5)
    drawn = sample_questions(sizes, size=10, seed=3, stratified=True)
    assert Counter(min(sizes[n], 4) for n in drawn) == {2: 6, 3: 3, 4: 1}


def test_the_largest_remainder_gets_what_is_left():
    sizes = dict.fromkeys(range(7), 2) | dict.fromkeys(range(7, 10), 3)  # 2.8 and 1.2 of 4
    assert Counter(sizes[n] for n in sample_questions(sizes, size=4, seed=0, stratified=True)) == {
        2: 3,
        3: 1,
    }


@given(
    sizes=st.dictionaries(st.integers(0, 10**6), st.integers(1, 12), min_size=1, max_size=50),
    seed=st.integers(0, 2**53),
    stratified=st.booleans(),
    data=st.data(),
)
def test_a_sample_depends_on_the_seed_and_not_on_the_order(sizes, seed, stratified, data):
    size = data.draw(st.integers(1, len(sizes)))
    drawn = sample_questions(sizes, size=size, seed=seed, stratified=stratified)
    shuffled = dict(data.draw(st.permutations(list(sizes.items()))))
    assert sample_questions(shuffled, size=size, seed=seed, stratified=stratified) == drawn
    assert len(set(drawn)) == size
    assert set(drawn) <= set(sizes)
    if stratified:
        strata, taken = (Counter(min(sizes[n], 4) for n in of) for of in (sizes, drawn))
        for key, number in strata.items():
            assert abs(taken[key] - size * number / len(sizes)) < 1


def test_other_seeds_draw_other_questions_in_another_order():
    sizes = dict.fromkeys(range(1000), 2)
    one, other = (sample_questions(sizes, size=45, seed=seed, stratified=False) for seed in (1, 2))
    assert set(one) != set(other)
    assert one != sorted(one)


@pytest.mark.parametrize(("size", "text"), [(3, "3 questions are wanted and only 2"), (0, "one")])
def test_a_sample_that_cannot_be_drawn_is_refused(size, text):
    with pytest.raises(DesignError, match=text):
        sample_questions({1: 2, 2: 2}, size=size, seed=1, stratified=True)


# --- pairs --------------------------------------------------------------------------------------


def test_the_study_of_asqa_has_135_comparisons():
    items = planned(questions=list(range(45)), systems=[1, 2, 3, 4, 5, 6], pairing="matching")
    assert len(items) == 135
    for question in range(45):
        systems = [s for i in items if i.question == question for s in (i.first, i.second)]
        assert sorted(systems) == [1, 2, 3, 4, 5, 6]
    assert set(Counter((i.first, i.second) for i in items).values()) == {9}


@given(designs)
def test_pairs_are_distinct_in_a_question_and_questions_stay_together(options):
    items = originals(planned(**options))
    assert [q for q, _ in runs(items)] == options["questions"]
    for _, group in runs(items):
        pairs = [frozenset((item.first, item.second)) for item in group]
        assert len(set(pairs)) == len(pairs)
        assert all(len(pair) == 2 for pair in pairs)


def runs(items):
    groups = []
    for item in items:
        if not groups or groups[-1][0] != item.question:
            groups.append((item.question, []))
        groups[-1][1].append(item)
    return groups


@given(designs)
def test_every_two_systems_meet_equally_often(options):
    items = originals(planned(**options))
    systems, pairing = options["systems"], options["pairing"]
    met = Counter((item.first, item.second) for item in items)
    judged = Counter(s for item in items for s in (item.first, item.second))
    if pairing == "reference":
        assert met == {(1, other): len(options["questions"]) for other in systems[1:]}
    else:
        assert spread(met, pairs_of(systems)) <= 1
        assert spread(judged, systems) <= 1


@pytest.mark.parametrize(
    ("pairing", "systems", "each"),
    [("all", 6, 15), ("blocks", 6, 9), ("blocks", 5, 6), ("matching", 5, 2), ("reference", 6, 5)],
)
def test_the_number_of_pairs_of_a_question(pairing, systems, each):
    items = planned(questions=[1, 2, 3], systems=list(range(1, systems + 1)), pairing=pairing)
    assert Counter(item.question for item in items) == {1: each, 2: each, 3: each}


@pytest.mark.parametrize("pairing", ["alone", "expert"])
def test_single_answers_have_no_second_no_side_and_no_repeats(pairing):
    items = planned(questions=[7, 8], systems=[1, 2, 3], pairing=pairing, repeats=50)
    shown = sorted((item.question, item.first) for item in items)
    assert shown == [(7, 1), (7, 2), (7, 3), (8, 1), (8, 2), (8, 3)]
    assert {(i.second, i.swapped, i.repeats) for i in items} == {(None, False, None)}


def test_the_pairs_of_a_question_are_in_random_order():
    items = planned(questions=list(range(200)), systems=[1, 2, 3], pairing="all")
    first = Counter((group[0].first, group[0].second) for _, group in runs(items))
    assert len(first) == 3
    assert all(40 < number < 95 for number in first.values())


def test_answers_that_do_not_exist_are_not_shown():
    outputs = {(1, 1), (1, 2), (1, 3), (2, 1), (2, 3), (3, 2)}
    items = planned(questions=[1, 2, 3], systems=[1, 2, 3], pairing="all", outputs=outputs)
    assert Counter(item.question for item in items) == {1: 3, 2: 1}
    for pairing in PAIRINGS:
        for item in planned(
            questions=[1, 2, 3], systems=[1, 2, 3], pairing=pairing, outputs=outputs
        ):
            assert {(item.question, item.first), (item.question, item.second)} <= outputs


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"systems": [1]}, "at least two systems"),
        ({"systems": [1, 1]}, "named twice"),
        ({"questions": [5, 5]}, "named twice"),
        ({"pairing": "reference", "reference": 9}, "compared with"),
        ({"pairing": "reference", "reference": None}, "compared with"),
        ({"pairing": "guess"}, "not a pairing"),
        ({"outputs": {(5, 1)}}, "No question has the answers"),
        ({"questions": []}, "No question has the answers"),
    ],
)
def test_what_cannot_be_planned_is_refused(options, text):
    with pytest.raises(DesignError, match=text):
        planned(**({"questions": [5, 6], "systems": [1, 2], "pairing": "all"} | options))


# --- sides --------------------------------------------------------------------------------------


@given(designs)
def test_each_system_is_on_the_left_in_half_of_its_items(options):
    items = originals(planned(**options))
    tally, of_pair = Counter(), defaultdict(Counter)
    for item in items:
        left, right = (item.first, item.second)[:: -1 if item.swapped else 1]
        tally[left] += 1
        tally[right] -= 1
        of_pair[item.first, item.second][item.swapped] += 1
    assert all(abs(difference) <= 1 for difference in tally.values())
    assert all(abs(sides[True] - sides[False]) <= 1 for sides in of_pair.values())


@settings(max_examples=200)
@given(designs, st.floats(0.3, 1), st.randoms(use_true_random=False))
def test_sides_are_balanced_where_answers_are_missing(options, share, chance):
    outputs = {
        (q, s)
        for q in options["questions"]
        for s in options["systems"]
        if q == options["questions"][0] or chance.random() < share
    }
    items = originals(planned(**options, outputs=outputs))
    tally = Counter()
    for item in items:
        tally[item.first] += -1 if item.swapped else 1
        tally[item.second] -= -1 if item.swapped else 1
    assert all(abs(difference) <= 1 for difference in tally.values())


def test_sides_depend_on_the_seed():
    options = {"questions": list(range(20)), "systems": [1, 2, 3, 4], "pairing": "matching"}
    sides = {tuple(i.swapped for i in planned(**options, seed=seed)) for seed in range(10)}
    assert len(sides) == 10


# --- repeats ------------------------------------------------------------------------------------


@given(designs)
def test_repeats_come_last_and_show_their_original_again(options):
    items = planned(**options)
    count = len(originals(items))
    assert [item.repeats is None for item in items] == [True] * count + [False] * (
        len(items) - count
    )
    again = items[count:]
    assert len(again) == count_repeats(count, options["repeats"])
    assert len({item.repeats for item in again}) == len(again)
    for item in again:
        original = items[item.repeats]
        assert original == PlannedItem(item.question, item.first, item.second, item.swapped)


@pytest.mark.parametrize(
    ("pairs", "percent", "number"),
    [(135, 10, 14), (134, 10, 13), (5, 10, 1), (3, 1, 1), (3, 0, 0), (4, 100, 4), (300, 10, 30)],
)
def test_the_number_of_repeats_is_rounded_half_up(pairs, percent, number):
    assert count_repeats(pairs, percent) == number


@given(designs)
def test_the_same_seed_plans_the_same(options):
    random.seed(options["seed"] + 1)  # whatever others drew before
    assert planned(**options) == planned(**options)


@given(designs)
def test_the_estimate_counts_what_is_planned(options):
    items = planned(**options)
    found = estimate_study(
        questions=len(options["questions"]),
        systems=len(options["systems"]),
        pairing=options["pairing"],
        raters=1,
        repeats=options["repeats"],
        minutes=2,
    )
    assert (found.items, found.repeats) == (len(originals(items)), len(items) - found.items)
