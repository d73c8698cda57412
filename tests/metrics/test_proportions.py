"""The interval of a share: against scipy's and the exact binomial, and what always holds."""

import doctest
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import proportions
from metrics.proportions import wilson_interval

CASES = json.loads((Path(__file__).parent / "cases/wilson.json").read_text())["sets"]
SHARES = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize("case", CASES)
def test_it_is_what_scipy_computes(case):
    bounds = wilson_interval(case["successes"], case["n"], level=case["level"])
    assert bounds == pytest.approx(case["bounds"], abs=1e-12)


@given(SHARES)
def test_what_holds_for_any_share(share):
    successes, n = share
    low, high = wilson_interval(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert high - low > 1 / (n + 4)  # never without width
    other = wilson_interval(n - successes, n)
    assert (low, high) == pytest.approx((1 - other[1], 1 - other[0]), abs=1e-12)
    more = wilson_interval(4 * successes, 4 * n)
    assert more[1] - more[0] < high - low
    wider = wilson_interval(successes, n, level=0.99)
    assert wider[0] <= low
    assert wider[1] >= high


@pytest.mark.parametrize("n", [4, 7, 10, 30, 100])
def test_it_holds_the_truth_as_often_as_it_says(n):
    """Exactly, over all outcomes: 95 in 100 on average, and near it for any true share."""
    intervals = [wilson_interval(successes, n) for successes in range(n + 1)]
    truths = np.linspace(0.005, 0.995, 199)
    held = [
        sum(
            math.comb(n, successes) * truth**successes * (1 - truth) ** (n - successes)
            for successes, (low, high) in enumerate(intervals)
            if low <= truth <= high
        )
        for truth in truths
    ]
    assert 0.945 <= np.mean(held) <= 0.97
    assert min(held) > 0.82  # the bootstrap falls to 0 here


@pytest.mark.parametrize(
    ("successes", "n", "level"), [(1, 0, 0.95), (-1, 3, 0.95), (4, 3, 0.95), (1, 3, 1)]
)
def test_what_is_no_share(successes, n, level):
    with pytest.raises(ValueError, match=r"is not a share|between 0 and 1"):
        wilson_interval(successes, n, level=level)


def test_the_examples():
    assert doctest.testmod(proportions).failed == 0
