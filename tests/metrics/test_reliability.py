"""Kappa and alpha: against published examples, scikit-learn and statsmodels."""

import json
import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.reliability import cohen_kappa, fleiss_kappa, krippendorff_alpha
from metrics.score import BadInput

CASES = Path(__file__).parent / "cases"
COHEN = json.loads((CASES / "cohen_kappa.json").read_text())["sets"]
FLEISS = json.loads((CASES / "fleiss_kappa.json").read_text())["sets"]

# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", sections A to D.
BINARY = ("0100000010", "1110010000")
FOUR_OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]

# A textbook table: how many of 14 raters gave each of 5 grades to 10 patients.
FOURTEEN_RATERS = [
    (0, 0, 0, 0, 14),
    (0, 2, 6, 4, 2),
    (0, 0, 3, 5, 6),
    (0, 3, 9, 2, 0),
    (2, 2, 8, 1, 1),
    (7, 7, 0, 0, 0),
    (3, 2, 6, 3, 0),
    (2, 5, 3, 2, 2),
    (6, 5, 2, 1, 0),
    (0, 2, 2, 3, 7),
]

RATINGS = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 4)), min_size=1, max_size=4), min_size=1
)


def unit_rows(*observers):
    return list(zip(*observers, strict=True))


@pytest.mark.parametrize(
    ("units", "scale", "expected"),
    [
        (unit_rows(*BINARY), "nominal", 0.095),
        (unit_rows("aabbdcccedda", "babbbccceddd"), "nominal", 0.692),
        (unit_rows(*FOUR_OBSERVERS), "nominal", 0.743),
        (unit_rows(*FOUR_OBSERVERS), "ordinal", 0.815),
        (unit_rows(*FOUR_OBSERVERS), "interval", 0.849),
        (unit_rows(*FOUR_OBSERVERS), "ratio", 0.797),
    ],
)
def test_the_published_examples_of_alpha(units, scale, expected):
    found = krippendorff_alpha(units, scale=scale)

    assert found.value == pytest.approx(expected, abs=0.0005)
    assert found.interval.low <= found.value <= found.interval.high
    if len(units[0]) == 4:
        assert found.n == 11  # the last unit has one rating, which agrees with nothing


def alpha_by_definition(units, scale):
    """Alpha from its coincidence matrix, cell by cell."""
    rated = [kept for unit in units if len(kept := [x for x in unit if x is not None]) > 1]
    values = sorted({x for unit in rated for x in unit})
    coincidence = dict.fromkeys(((c, k) for c in values for k in values), 0.0)
    for unit in rated:
        for i, c in enumerate(unit):
            for j, k in enumerate(unit):
                if i != j:
                    coincidence[c, k] += 1 / (len(unit) - 1)
    totals = {c: sum(coincidence[c, k] for k in values) for c in values}

    def difference(c, k):
        low, high = min(c, k), max(c, k)
        between = sum(totals[g] for g in values if low <= g <= high)
        return {
            "nominal": float(c != k),
            "ordinal": (between - (totals[c] + totals[k]) / 2) ** 2 if c != k else 0,
            "interval": (c - k) ** 2,
            "ratio": ((c - k) / (c + k)) ** 2,
        }[scale]

    n = sum(totals.values())
    observed = sum(coincidence[c, k] * difference(c, k) for c in values for k in values)
    expected = sum(totals[c] * totals[k] * difference(c, k) for c in values for k in values)
    return 1 - (n - 1) * observed / expected if expected else math.nan


@settings(max_examples=150, deadline=None)
@given(RATINGS, st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_is_its_definition(units, scale):
    if all(sum(x is not None for x in unit) < 2 for unit in units):
        with pytest.raises(BadInput, match="No unit has two ratings"):
            krippendorff_alpha(units, scale=scale, resamples=0)
        return
    found = krippendorff_alpha(units, scale=scale, resamples=0).value

    assert found == pytest.approx(alpha_by_definition(units, scale), abs=1e-9, nan_ok=True)
    assert math.isnan(found) or found <= 1 + 1e-12


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
def test_a_resample_is_the_alpha_of_its_units(scale):
    """The interval is that of alphas computed anew, unit by unit, from the same draws."""
    from metrics import resampling

    units = [unit for unit in unit_rows(*FOUR_OBSERVERS) if unit != (None, 3, None, None)]
    [times] = resampling.draw_resamples(len(units), resamples=40, seed=5)
    anew = [
        alpha_by_definition(
            [unit for unit, count in zip(units, row, strict=True) for _ in range(int(count))],
            scale,
        )
        for row in times
    ]
    found = krippendorff_alpha(units, scale=scale, resamples=40, seed=5).interval

    assert [found.low, found.high] == pytest.approx(np.nanquantile(anew, [0.025, 0.975]))


def test_ordinal_values_may_be_words():
    words = {1: "poor", 2: "fair", 3: "good", 4: "fine", 5: "best", None: None}
    units = [[words[x] for x in unit] for unit in unit_rows(*FOUR_OBSERVERS)]

    found = krippendorff_alpha(units, scale="ordinal", order=[words[x] for x in range(1, 6)])

    assert found.value == pytest.approx(0.815, abs=0.0005)


@pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
@pytest.mark.parametrize("case", COHEN, ids=["2", "3", "5"])
def test_cohen_kappa_is_that_of_scikit_learn(case, weights):
    order = sorted({*case["first"], *case["second"]})
    found = cohen_kappa(case["first"], case["second"], weights=weights, order=order)

    assert found.value == pytest.approx(case[weights], abs=1e-12)
    assert found.n == 50
    assert found.interval.low < found.value < found.interval.high


def test_cohen_kappa_by_hand():
    """Both said yes 20 times, both no 15; one yes and no 5, the other 10: (0.7 − 0.5) / 0.5."""
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15

    found = cohen_kappa([*first, "yes", None], [*second, None, "no"])

    assert found.value == pytest.approx(0.4)
    assert found.n == 50


@pytest.mark.parametrize("case", FLEISS, ids=["3 raters", "5 raters"])
def test_fleiss_kappa_is_that_of_statsmodels(case):
    assert fleiss_kappa(case["units"]).value == pytest.approx(case["kappa"], abs=1e-12)


def test_fleiss_kappa_of_fourteen_raters():
    units = [
        [grade for grade, count in enumerate(row) for _ in range(count)] for row in FOURTEEN_RATERS
    ]
    found = fleiss_kappa(units)

    assert found.value == pytest.approx(0.210, abs=0.0005)
    assert found.n == 10
    assert found.interval.low < 0.21 < found.interval.high


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=2), st.randoms()
)
def test_what_holds_for_any_two_raters(pairs, random):
    mixed = list(pairs)
    random.shuffle(mixed)
    options = {"resamples": 0}
    value = cohen_kappa(*zip(*pairs, strict=True), **options).value

    for other in (
        cohen_kappa(*zip(*mixed, strict=True), **options).value,  # the order of the units
        cohen_kappa(*reversed(list(zip(*pairs, strict=True))), **options).value,  # and of raters
    ):
        assert other == pytest.approx(value, abs=1e-12, nan_ok=True)
    assert math.isnan(value) or -1 - 1e-12 <= value <= 1 + 1e-12


def test_everybody_agrees():
    assert cohen_kappa("aab", "aab").value == 1
    assert fleiss_kappa([["a", "a"], ["b", "b"]]).value == 1
    for scale in ("nominal", "ordinal", "interval", "ratio"):
        assert krippendorff_alpha([[1, 1], [2, 2]], scale=scale).value == 1


def test_perfect_agreement_and_few_units_have_words_in_place_of_an_interval():
    same = krippendorff_alpha([[1, 1], [2, 2]] * 20, scale="ordinal")
    assert (same.value, same.interval, same.note) == (1, None, "all the same")
    assert "interval" not in same.signature
    few = krippendorff_alpha([[1, 1], [2, 3], [2, 2], [1, 2]])
    assert (few.interval, few.note) == (None, "too few to tell")
    units = [[1, 1]] * 9 + [[2, 1]]
    clustered = krippendorff_alpha(units, clusters=[0, 0, 1, 1, 2, 2, 3, 3, 3, 3])
    assert clustered.note == "too few to tell"


def test_one_value_only_is_no_evidence():
    for found in (
        cohen_kappa("aaa", "aaa"),
        fleiss_kappa([["a", "a"], ["a", "a"]]),
        krippendorff_alpha([[1, 1], [1, None, 1]]),
        krippendorff_alpha([[0.1, 0.1], [0.1, 0.1, 0.1]], scale="interval"),
        krippendorff_alpha([[0, 0], [0, 0]], scale="ratio"),
    ):
        assert math.isnan(found.value)
        assert found.interval is None
        assert "interval" not in found.signature.replace("scale:interval", "")


def test_the_signature_says_how():
    units = [[1, 1], [2, 3], [4, 4], [1, 2], [5, 5]]
    found = krippendorff_alpha(units, scale="ratio", resamples=200, seed=7, level=0.9)

    assert found.signature == (
        "agreement.krippendorff_alpha|over:units|scale:ratio"
        "|interval:bootstrap-percentile-0.9|resamples:200|seed:7|v:1"
    )
    assert found == krippendorff_alpha(units, scale="ratio", resamples=200, seed=7, level=0.9)


def test_nan_is_no_rating():
    assert krippendorff_alpha([[1, math.nan, 1], [2, 2], [math.nan, 3]]).n == 2
    assert cohen_kappa([1, math.nan, 2], [1, 1, 2]).n == 2


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: cohen_kappa("ab", "abc"), "2 ratings and the other 3"),
        (lambda: cohen_kappa([], []), "No unit was rated by both"),
        (lambda: cohen_kappa([None], ["a"]), "No unit was rated by both"),
        (lambda: cohen_kappa("ab", "ab", weights="linear"), "needs the order"),
        (lambda: cohen_kappa("ab", "ab", order="a"), "does not have 'b'"),
        (lambda: cohen_kappa("ab", "ab", order="aba"), "one of them twice"),
        (lambda: fleiss_kappa([]), "at least two ratings"),
        (lambda: fleiss_kappa([["a"]]), "at least two ratings"),
        (
            lambda: fleiss_kappa([["a", "b"], ["a", None]]),
            "Unit 2 has 1 rating and unit 1 has 2.*alpha",
        ),
        (lambda: krippendorff_alpha([]), "No unit has two ratings"),
        (lambda: krippendorff_alpha([["a", "b"]], scale="interval"), "'a' is not a number"),
        (lambda: krippendorff_alpha([["a", "b"]], scale="ordinal"), "give their order"),
        (lambda: krippendorff_alpha([[1, math.inf]], scale="interval"), "inf is not a number"),
        (lambda: krippendorff_alpha([[1, -1]], scale="ratio"), "-1 is below 0"),
        (lambda: krippendorff_alpha([["a", "b"]], order="ab"), "means nothing"),
    ],
)
def test_what_has_no_agreement(ask, message):
    with pytest.raises(BadInput, match=message):
        ask()


@pytest.mark.parametrize(
    "coefficient",
    [
        fleiss_kappa,
        krippendorff_alpha,
        lambda units, **given: krippendorff_alpha(units, scale="ordinal", **given),
    ],
)
def test_memory_does_not_grow_with_the_raters(coefficient, monkeypatch):
    """100 ratings of each of 100 units: 80 MB in one piece, a megabyte or so in blocks."""
    units = np.random.default_rng(1).integers(4, size=(100, 100)).tolist()
    whole = coefficient(units, resamples=300)
    monkeypatch.setattr("metrics.resampling._BLOCK", 50_000)
    tracemalloc.start()
    in_blocks = coefficient(units, resamples=300)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8_000_000
    assert (in_blocks.interval.low, in_blocks.interval.high) == pytest.approx(
        (whole.interval.low, whole.interval.high)
    )


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_units_of_a_cluster_are_drawn_together(scale):
    """Each unit ten times over is no more to know, if its copies are one cluster."""
    units = [[1, 1], [1, 2], [3, 3], [2, 3], [1, 1], [2, 2], [3, 1], [2, 2]]
    options = {"scale": scale, "resamples": 300, "seed": 4}
    plain = krippendorff_alpha(units, **options)
    copies = [unit for unit in units for _ in range(10)]
    names = [place for place in range(len(units)) for _ in range(10)]
    together = krippendorff_alpha(copies, clusters=names, **options)
    apart = krippendorff_alpha(copies, **options)
    # Of 160 ratings n - 1 is a larger share of n than of 16: nothing else differs.
    more = (159 / 160) / (15 / 16)
    for end, other in zip(together.interval[:2], plain.interval[:2], strict=True):
        assert 1 - end == pytest.approx((1 - other) * more)
    assert apart.interval.high - apart.interval.low < 0.5 * (
        together.interval.high - together.interval.low
    )
    assert "resampled:clusters" in together.signature


def test_units_without_two_ratings_leave_their_clusters():
    units = [[1, 1], [1], [2, 2], [2, 1]]
    found = krippendorff_alpha(units, clusters=["a", "b", "c", "c"], seed=2)
    assert found == krippendorff_alpha(units, clusters=["a", "zzz", "c", "c"], seed=2)
    with pytest.raises(BadInput, match="4 units and 1 clusters"):
        krippendorff_alpha(units, clusters=["a"])
