"""Algorithm 1 of AmbigQA: what becomes of a question of which one answer is known (A94)."""

from collections import Counter

import pytest

from modeling.base import BaselineQuestion
from modeling.training import cotraining
from modeling.training.cotraining import LEFT_OUT, ONE, SEVERAL, find_agreed_answers
from modeling.training.text_examples import build_text_examples
from modeling.training.values import Labelled, LabelledPair
from tests.modeling.corpora import TRAINS, TUNNEL

Y = ("1843",)


def models(*given):
    """Return what models answer: each of these is (how many models, their answers)."""
    return [answers for count, answers in given for _ in range(count)]


CASES = {
    "three of six are not most": (models((3, ["1843", "1869"]), (3, ["1843"])), LEFT_OUT, ()),
    "four of six are": (models((4, ["1843", "1869"]), (2, ["1843"])), SEVERAL, ("1869",)),
    "three of five are": (models((3, ["1869"]), (2, [])), SEVERAL, ("1869",)),
    "two of three are": (models((2, ["1869"]), (1, [])), SEVERAL, ("1869",)),
    "one of two is not": (models((1, ["1869"]), (1, [])), LEFT_OUT, ()),
    "one of one is": (models((1, ["1869"])), SEVERAL, ("1869",)),
    "a model that says it twice has one vote": (
        models((3, ["1843", "1869", "1869.", "The 1869"]), (3, ["1843"])),
        LEFT_OUT,
        (),
    ),
    "other forms of an answer are one": (
        models((2, ["1843", "1869"]), (2, ["1869!"]), (2, [])),
        SEVERAL,
        ("1869",),
    ),
    "another form of y is y": (models((6, ["1843", "the 1843.", "“1843"[1:]])), ONE, ()),
    "nothing but y": (models((6, ["1843"])), ONE, ()),
    "nothing at all": (models((6, [])), ONE, ()),
    "empty text says nothing": (models((6, ["1843", "", " "])), ONE, ()),
    "one model adds one": (models((1, ["1843", "1869"]), (5, ["1843"])), LEFT_OUT, ()),
    "each of six adds another": ([["1843", str(n)] for n in range(6)], LEFT_OUT, ()),
    "several, and one that few give": (
        models((4, ["1869", "1894"]), (1, ["1894", "1900"]), (1, [])),
        SEVERAL,
        ("1869", "1894"),
    ),
}


@pytest.mark.parametrize(("given", "branch", "further"), CASES.values(), ids=CASES)
def test_what_models_add_to_a_known_answer(given, branch, further):
    assert find_agreed_answers(Y, given) == (branch, further)


def test_each_form_of_the_known_answer_is_known():
    known = ("Isambard Kingdom Brunel", "I. K. Brunel")
    given = models((6, ["isambard kingdom brunel", "I K Brunel"]))
    assert find_agreed_answers(known, given) == (ONE, ())


def test_signs_that_tell_answers_apart_are_kept():
    assert find_agreed_answers(("A+",), models((2, ["A-"]), (1, []))) == (SEVERAL, ("A-",))


# --- A round ------------------------------------------------------------------------------------


def question(name, *answers):
    pairs = tuple(LabelledPair((), (answer,)) for answer in answers)
    asked = BaselineQuestion(name, f"{name}?")
    return Labelled(1, asked.question, asked, "unfinished", (pairs,) if pairs else ())


PARTIAL = [
    (question("tunnel"), ["1843", "in 1843", "1843"]),
    (question("bridge"), ["1894"]),
    (question("ferry"), ["never"]),
]
GIVEN = [
    {"tunnel": ["1843", "1869"], "bridge": ["1894"], "ferry": ["never", "once"]},
    {"tunnel": ["in 1843", "1869"], "bridge": ["1894"], "ferry": ["never"]},
    {"tunnel": ["1843"], "bridge": ["the 1894"], "ferry": ["never"]},
]


def sets_of(rows):
    return {
        row.asked.id: [[pair.forms for pair in pairs] for pairs in row.annotations] for row in rows
    }


def test_a_round_adds_questions_and_counts_each_branch():
    labels = cotraining.label_partial_questions(PARTIAL, GIVEN)
    assert sets_of(labels.added) == {
        "tunnel": [[("1843", "in 1843"), ("1869",)]],
        "bridge": [[("1894",)]],
    }
    assert labels.branches == {SEVERAL: 1, ONE: 1, LEFT_OUT: 1}
    assert labels.agreed == 1
    assert {row.left_out for row in labels.added} == {""}


def test_a_question_that_a_model_was_not_asked_is_no_silent_vote():
    with pytest.raises(KeyError, match="ferry"):
        cotraining.label_partial_questions(PARTIAL, [*GIVEN, {"tunnel": [], "bridge": []}])


def test_each_round_begins_with_the_full_data_anew():
    full = [question("river", "16", "17")]
    first = cotraining.label_partial_questions(PARTIAL, GIVEN)
    assert sets_of(cotraining.build_round(full, first)) == {
        "river": [[("16",), ("17",)]],
        **sets_of(first.added),
    }
    silent = [dict.fromkeys(GIVEN[0], ("x",)), dict.fromkeys(GIVEN[0], ()), GIVEN[1]]
    second = cotraining.label_partial_questions(PARTIAL, silent)
    assert [row.asked.id for row in cotraining.build_round(full, second)] == ["river"]


def test_a_question_is_not_both_full_and_partial():
    labels = cotraining.label_partial_questions(PARTIAL, GIVEN)
    with pytest.raises(ValueError, match="The question tunnel has all of its answers already"):
        cotraining.build_round([question("tunnel", "1843")], labels)


def test_what_is_added_is_written_as_any_other_example():
    labels = cotraining.label_partial_questions(PARTIAL[:1], GIVEN)
    (example,) = build_text_examples("span-seq-gen", labels.added[0], [TUNNEL, TRAINS])
    assert example.targets == ("1843 [SEP] 1869", "in 1843 [SEP] 1869")


# --- Orders -------------------------------------------------------------------------------------


def test_seeds_have_orders_of_their_own():
    own = question("ships", *"abcd")
    assert cotraining.order_by_seed(own, 0) == own
    orders = [cotraining.order_by_seed(own, seed) for seed in range(1, 60)]
    assert orders == [cotraining.order_by_seed(own, seed) for seed in range(1, 60)]
    spelled = Counter(
        "".join(pair.forms[0] for pair in pairs) for each in orders for pairs in each.annotations
    )
    assert {"".join(sorted(order)) for order in spelled} == {"abcd"}
    assert len(spelled) > 15
