"""Labels from many people: against crowd-kit's numbers, and what must hold for any data."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.crowd import Vote, dawid_skene, majority_vote
from metrics.score import BadInput

CASES = json.loads((Path(__file__).parent / "cases/dawid_skene.json").read_text())["sets"]

LABELS = st.dictionaries(
    st.tuples(st.sampled_from("tuvxyz"), st.sampled_from("1234")),
    st.sampled_from("abc"),
    min_size=1,
).map(lambda given: [(item, worker, label) for (item, worker), label in given.items()])


@pytest.mark.parametrize("case", CASES, ids=["two classes", "three classes"])
def test_dawid_skene_is_that_of_crowd_kit(case):
    found = dawid_skene([tuple(row) for row in case["labels"]], steps=5000, tolerance=1e-15)

    assert found.priors == pytest.approx(case["priors"], abs=1e-6)
    for item, expected in case["probabilities"].items():
        assert found.probabilities[item] == pytest.approx(expected, abs=1e-6)
    for worker, matrix in case["confusion"].items():
        for true, expected in matrix.items():
            assert found.confusion[worker][true] == pytest.approx(expected, abs=1e-6)


def test_a_careless_worker_counts_for_less():
    labels = []
    for number in range(20):
        true = "yes" if number % 2 else "no"
        labels += [(f"t{number}", worker, true) for worker in ("ann", "ben")]
        labels += [(f"t{number}", worker, "yes") for worker in ("cy", "di")]

    found = dawid_skene(labels)

    assert found.labels == {f"t{n}": "yes" if n % 2 else "no" for n in range(20)}
    assert found.accuracy["ann"] == pytest.approx(1, abs=1e-6)
    assert found.accuracy["cy"] == pytest.approx(0.5, abs=1e-6)
    assert found.confusion["cy"]["no"] == pytest.approx({"yes": 1, "no": 0}, abs=1e-6)
    assert found.converged
    assert found.n == 80
    assert majority_vote(labels)["t0"].tied == ("no", "yes")


@settings(max_examples=60, deadline=None)
@given(LABELS)
def test_dawid_skene_gives_chances(labels):
    found = dawid_skene(labels)

    assert sum(found.priors.values()) == pytest.approx(1)
    for by_label in found.probabilities.values():
        assert sum(by_label.values()) == pytest.approx(1)
    for matrix in found.confusion.values():
        for row in matrix.values():
            assert sum(row.values()) == pytest.approx(1)
    for item, label in found.labels.items():
        assert found.probabilities[item][label] == max(found.probabilities[item].values())
    assert found.log_likelihood <= 1e-6


@settings(max_examples=40, deadline=None)
@given(LABELS, st.randoms(use_true_random=False))
def test_the_order_of_labels_does_not_matter(labels, random):
    mixed = list(labels)
    random.shuffle(mixed)

    one, other = dawid_skene(labels, steps=50), dawid_skene(mixed, steps=50)

    for item, expected in one.probabilities.items():
        assert other.probabilities[item] == pytest.approx(expected, abs=1e-4)


def test_the_likelihood_never_falls():
    labels = [tuple(row) for row in CASES[0]["labels"]]
    reached = [dawid_skene(labels, steps=n, tolerance=0).log_likelihood for n in range(1, 30)]

    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(reached))
    assert not dawid_skene(labels, steps=2, tolerance=0).converged


def test_majority_vote():
    votes = majority_vote(
        [("t", "1", "a"), ("t", "2", "a"), ("t", "3", "b"), ("u", "1", "b"), ("u", "2", "a")]
    )

    assert votes["t"] == Vote("a", pytest.approx(2 / 3), 3)
    assert votes["u"] == Vote(None, 0.5, 2, ("b", "a"))


def test_labels_may_be_of_any_kind():
    found = dawid_skene([("t", "1", True), ("t", "2", True), ("u", "1", None), ("u", "2", None)])

    assert found.labels == {"t": True, "u": None}


@pytest.mark.parametrize("count", [majority_vote, dawid_skene])
def test_what_cannot_be_counted(count):
    with pytest.raises(BadInput, match="no label"):
        count([])
    with pytest.raises(BadInput, match="ann labelled t1 twice"):
        count([("t1", "ann", "a"), ("t1", "ann", "b")])
