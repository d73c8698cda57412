"""Accepted sets as staff edit them: from what stands, from a form, to a result with provenance."""

from dataclasses import replace

import pytest

from annotation.cleaning import ResponseError
from validation.responses import Contribution, ContributionPair, as_written
from validation.sets import (
    Edited,
    EditedPair,
    EditedSet,
    from_post,
    pressed,
    result_of,
    rows_of,
    standing,
)

ANN = Contribution(
    7,
    "multiple",
    (ContributionPair("A?", ("1", "one"), 1, (1, 2)), ContributionPair("B?", ("2",), 2, (3,))),
)
BEN = Contribution(
    9,
    "multiple",
    (ContributionPair("A, then?", ("1",), 3, (4,)), ContributionPair("C?", ("3",), 4, (5,))),
)
SAID = [ANN, BEN]


def put_together(*pairs):
    return EditedSet("s1", tuple(EditedPair(f"s1p{n}", *pair) for n, pair in enumerate(pairs, 1)))


def test_what_stands_is_annotations_and_sets_of_their_own():
    rows = as_written(SAID, 0).pairs
    edited = standing([(7, rows), (None, rows), (99, rows)], SAID)
    assert edited.stand == {7}
    assert [each.key for each in edited.sets] == ["s1", "s2"]
    assert edited.sets[0].pairs[0] == EditedPair("s1p1", ("A?",), ("1", "one"))


def test_the_form_comes_back_as_it_went():
    edited = standing([(9, ()), (None, as_written(SAID, 0).pairs)], SAID)
    post = {"sets": "s1", "pairs-s1": "s1p1 s1p2"}
    for pair in edited.sets[0].pairs:
        post[f"questions-{pair.key}"] = "\r\n".join(pair.questions)
        post[f"answers-{pair.key}"] = "\n \n".join(pair.forms) + "\n"
    assert from_post(post, ["9"]) == edited


@pytest.mark.parametrize(
    "post",
    [
        {"sets": "s1 <b>"},
        {"sets": " ".join(f"s{n}" for n in range(11))},
        {"sets": "s1", "pairs-s1": " ".join(f"p{n}" for n in range(51))},
        {"sets": "s1", "pairs-s1": "p1", "answers-p1": "x" * 1001},
        {"sets": "s1", "pairs-s1": "p1", "answers-p1": "\n".join(map(str, range(31)))},
    ],
)
def test_what_is_not_ours_is_refused(post):
    with pytest.raises(ResponseError):
        from_post(post, [])


def test_buttons():
    edited = Edited(frozenset({7}))
    edited = pressed(edited, "copy 7", SAID)
    assert edited.stand == frozenset()
    assert [pair.forms for pair in edited.sets[0].pairs] == [("1", "one"), ("2",)]
    edited = pressed(edited, "add-pair s1", SAID)
    assert edited.sets[0].pairs[-1].key == "s1p3"
    edited = pressed(edited, "remove-pair s1p1", SAID)
    assert [pair.key for pair in edited.sets[0].pairs] == ["s1p2", "s1p3"]
    edited = pressed(pressed(edited, "add-set", SAID), "remove-set s1", SAID)
    assert [each.key for each in edited.sets] == ["s2"]
    for nonsense in ("", "copy 1000", "burn s1"):
        with pytest.raises(ResponseError):
            pressed(edited, nonsense, SAID)


def test_each_text_knows_where_it_came_from():
    before = Edited(sets=(put_together((("A?",), ("1", "one")), (("C?",), ("3",))),))
    after = put_together((("A, really?",), ("1", "uno")), (("C?",), ("3", "three")))
    first, second = rows_of(after, SAID, before)
    assert [(form.text, form.origin) for form in first.forms] == [
        ("1", (0, 0, 0)),
        ("uno", (0, 0, 1)),  # it was "one"
    ]
    assert first.phrasings[0].origin == (0, 0)  # it was "A?"
    assert [form.origin for form in second.forms] == [(1, 1, 0), None]


def test_a_copy_that_is_edited_keeps_the_origin_of_its_texts():
    edited = pressed(Edited(frozenset({7})), "copy 7", SAID)
    post = {"sets": "s1", "pairs-s1": "s1p1 s1p2", "of-s1p1": "7.0", "of-s1p2": "7.1"}
    post |= {"questions-s1p1": "A, really?", "answers-s1p1": "in 1\none"}
    post |= {"questions-s1p2": "B?", "answers-s1p2": "2"}
    assert [pair.of for pair in edited.sets[0].pairs] == [(7, 0), (7, 1)]
    first, second = rows_of(from_post(post, []).sets[0], SAID, Edited())
    assert [(form.text, form.origin) for form in first.forms] == [
        ("in 1", (0, 0, 0)),
        ("one", (0, 0, 1)),
    ]
    assert first.phrasings[0].origin == (0, 0)
    assert second.forms[0].origin == (0, 1, 0)


def test_what_was_edited_before_keeps_its_origin_when_it_is_edited_again():
    [rows] = [as_written(SAID, 0).pairs]
    row = replace(rows[0], forms=(replace(rows[0].forms[0], text="in 1"),))
    before = standing([(None, (row,))], SAID)
    after = put_together((("A?",), ("in the year 1",)))
    [now] = rows_of(after, SAID, before)
    assert [(form.text, form.origin) for form in now.forms] == [("in the year 1", (0, 0, 0))]
    [same] = rows_of(put_together((("A?",), ("in 1",))), SAID, before)
    assert same.forms[0].origin == (0, 0, 0)


@pytest.mark.parametrize("of", ["7", "7.9", "8.0", "x.y", "7.0.0"])
def test_a_copy_of_nothing_has_no_origin(of):
    post = {"sets": "s1", "pairs-s1": "s1p1", "of-s1p1": of, "answers-s1p1": "9"}
    [row] = rows_of(from_post(post, []).sets[0], SAID, Edited())
    assert row.forms[0].origin is None


@pytest.mark.parametrize(
    ("edited", "change", "outcome", "sets"),
    [
        (Edited(frozenset({7, 9})), "none", "accepted", 2),
        (Edited(frozenset({9})), "exclusion", "edited", 1),
        (Edited(exclude=True), "exclusion", "excluded", 0),
        (
            Edited(sets=(put_together((("A?",), ("1",)), (("B?",), ("2",))),)),
            "exclusion",
            "edited",
            1,
        ),
        (Edited(sets=(put_together((("A?",), ("1",)), (("D?",), ("4",))),)), "edit", "edited", 1),
        (Edited(frozenset({7}), (put_together(((), ("9",))),)), "edit", "edited", 2),
    ],
)
def test_the_outcome_follows_from_what_changed(edited, change, outcome, sets):
    result = result_of(edited, SAID, Edited())
    assert (result.change, result.outcome, len(result.accepted)) == (change, outcome, sets)


def test_one_pair_is_a_single_answer():
    result = result_of(Edited(sets=(put_together((("A?",), ("1",))),)), SAID, Edited())
    assert result.accepted[0].kind == "single"
