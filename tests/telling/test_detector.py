"""The detector finds what is planted, and nothing in noise."""

import random

import pytest

from tests.telling.detector import tell

GOLD, OTHER = 200, 1_800


def noise(seed):
    """Return items with features that say nothing, their labels, and their stages."""
    draw = random.Random(seed)
    labels = [True] * GOLD + [False] * OTHER
    draw.shuffle(labels)
    items = [
        {f"n{k}": draw.random() for k in range(40)}
        | {f"w{k}": draw.choice("abcd") for k in range(9)}
        for _ in labels
    ]
    return items, labels, [draw.choice(["check", "verify"]) for _ in labels]


def test_it_finds_nothing_in_noise():
    told = tell(*noise(1), seed=18)
    assert told.single.p > 0.05
    assert told.tree.p > 0.05


def test_chance_is_as_good_as_chance():
    """Of twenty searches in noise few are below one in ten."""
    low = [tell(*noise(seed), seed=18, shuffles=39).single.p <= 0.1 for seed in range(20)]
    assert low.count(True) <= 6


@pytest.mark.parametrize("share", [1, 0.2])
def test_it_finds_a_feature_that_some_gold_items_have(share):
    items, labels, strata = noise(2)
    draw = random.Random(3)
    for item, gold in zip(items, labels, strict=True):
        item["used"] = not (gold and draw.random() < share)
        item["seen"] = "yes" if gold and draw.random() < share / 2 else None
    told = tell(items, labels, strata, seed=18)
    assert (told.single.what, told.single.p) == ("used > 0", 1 / 200)
    assert told.tree.p == 1 / 200


def test_a_tree_finds_two_features_that_tell_together():
    items, labels, strata = noise(4)
    draw = random.Random(5)
    for item, gold in zip(items, labels, strict=True):
        item["left"] = draw.random() < (0.62 if gold else 0.5)
        item["right"] = item["left"] if gold else draw.random() < 0.5
    assert tell(items, labels, strata, seed=18).tree.p == 1 / 200


def test_what_several_people_had_counts_once():
    """Ten tasks that fifty people had are ten facts, whatever is the same in all of them."""
    items, labels, strata, same = [], [], [], []
    draw = random.Random(7)
    for task in range(10):
        for _ in range(50):
            items.append({"task": task, "noise": draw.random()})
            labels.append(task in (1, 4, 8))
            strata.append("check")
            same.append(task)
    assert tell(items, labels, strata, seed=18).single.p == 1 / 200
    assert tell(items, labels, strata, seed=18, same=same).single.p > 0.05


def test_the_share_of_a_stage_tells_nothing():
    items, labels, _ = noise(6)
    strata = ["check" if gold or n % 2 else "verify" for n, gold in enumerate(labels)]
    for item, stage in zip(items, strata, strict=True):
        item["stage"] = stage
    assert tell(items, labels, strata, seed=18).single.p > 0.05
