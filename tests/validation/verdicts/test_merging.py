"""Which answers are one: in whatever order they were given."""

from itertools import permutations

import pytest

from validation.verdicts.merging import Member, all_match, cluster_answers

YEAR, DATE, BOTH = [["1843"]], [["25 March 1843"]], [["1843", "25 March 1843"]]


def sizes(annotations):
    return sorted(len(each.members) for each in cluster_answers(annotations))


@pytest.mark.parametrize("order", list(permutations([YEAR, DATE, BOTH])))
def test_two_that_each_share_a_form_with_a_third_are_one(order):
    [cluster] = cluster_answers(order)
    assert len(cluster.members) == 3
    assert set(cluster.shared) == {"1843", "25 March 1843"}
    assert all_match(order)


@pytest.mark.parametrize("order", list(permutations([["x", "y"], ["z"]])))
@pytest.mark.parametrize("other", list(permutations([["x"], ["z", "w"]])))
def test_the_order_of_answers_does_not_matter(order, other):
    assert all_match([order, other])
    assert sizes([order, other]) == [2, 2]


@pytest.mark.parametrize("other", list(permutations([["x"], ["y"]])))
def test_answers_that_hang_together_without_being_one_do_not_match(other):
    """Which of the two is meant nobody can tell, in whatever order they stand."""
    assert not all_match([[["x", "y"], ["y"]], other])


def test_answers_of_one_annotation_stay_apart():
    found = cluster_answers([[["x"], ["y"]], [["x", "y"]]])
    assert [each.members for each in found] == [
        (Member(0, 0), Member(1, 0)),
        (Member(0, 1),),
    ]


def test_an_answer_joins_the_first_that_fits():
    found = cluster_answers([[["a"]], [["b"]], [["c"]], [["b", "c"]]])
    assert [each.members for each in found] == [
        (Member(0, 0),),
        (Member(1, 0), Member(2, 0), Member(3, 0)),
    ]


@pytest.mark.parametrize("alone", [[], [[["1843"]]]])
def test_one_person_matches_nobody(alone):
    assert not all_match(alone)


def test_nothing_matches_nothing_but_no_answer():
    assert all_match([[], []])
    assert not all_match([[], YEAR])
    assert not all_match([[["  "]], [["  "]]])
