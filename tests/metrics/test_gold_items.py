"""How soon gold items find people: by hand, against the binomial law, and by simulation."""

import math
import random

import pytest

from metrics.gold_items import Rule, count_golds_needed, flag_probabilities


def test_by_hand():
    assert flag_probabilities(0.5, Rule(1, 1), 3) == pytest.approx([0.5, 0.75, 0.875])
    assert flag_probabilities(0.5, Rule(2, 2), 3) == pytest.approx([0, 0.25, 0.5])
    assert flag_probabilities(1.0, Rule(5, 3), 6) == pytest.approx([0, 0, 0, 0, 1, 1])
    assert flag_probabilities(0.0, Rule(1, 1), 4) == [0, 0, 0, 0]
    assert flag_probabilities(0.3, Rule(1, 1), 0) == []


def test_a_number_of_misses_is_the_tail_of_the_binomial_law():
    rule, error = Rule(1, 4), 0.2
    for items, chance in enumerate(flag_probabilities(error, rule, 30), 1):
        few = sum(
            math.comb(items, k) * error**k * (1 - error) ** (items - k)
            for k in range(min(4, items + 1))
        )
        assert chance == pytest.approx(1 - few)


def test_a_share_is_looked_at_after_each_item():
    draw = random.Random(18)
    rule, error, people = Rule(5, None, 0.5), 0.3, 20_000
    caught = 0
    for _ in range(people):
        missed = 0
        for seen in range(1, 21):
            missed += draw.random() < error
            if rule.flags(seen, missed):
                caught += 1
                break
    assert flag_probabilities(error, rule, 20)[-1] == pytest.approx(caught / people, abs=0.012)


def test_items_until_95_per_cent():
    rule = Rule(5, 3)
    assert count_golds_needed(0.5, rule) == 11
    curve = flag_probabilities(0.5, rule, 11)
    assert curve[-2] < 0.95 <= curve[-1]
    assert count_golds_needed(0.01, rule, most=50) is None


@pytest.mark.parametrize("error", [-0.1, 1.1])
def test_an_error_rate_lies_between_0_and_1(error):
    with pytest.raises(ValueError, match="between 0 and 1"):
        flag_probabilities(error, Rule(), 3)
