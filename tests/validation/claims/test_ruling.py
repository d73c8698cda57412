"""Accepted sets as staff edit them: from what stands, from a form, to a result with provenance."""

import pytest
from django.http import QueryDict

from annotation.text.cleaning import ResponseError
from tests.validation.claims.conftest import made_of, row
from validation.claims.ruling_form import (
    EditedSet,
    RulingEdits,
    apply_press,
    attach_text_origins,
    build_ruling_form,
    from_post,
    result_of,
)
from validation.verdicts.responses import (
    AnswerRow,
    Contribution,
    ContributionPair,
    Form,
    Phrasing,
    as_written,
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


def posted(edited):
    """The form with this on it, as a browser sends it."""
    post = QueryDict(mutable=True)
    post.setlist("stand", map(str, edited.stand))
    for made in edited.sets:
        post.appendlist("set", made.key)
        for each in made.rows:
            post.appendlist("row", f"{made.key} {each.key}")
            for form in each.forms:
                post.appendlist(f"row-{each.key}-answer", form.text)
                post.appendlist(f"row-{each.key}-origin", ".".join(map(str, form.origin or ())))
            for place, asked in enumerate(each.phrasings):
                post.appendlist(f"row-{each.key}-question", asked.text)
                post.appendlist(f"row-{each.key}-from", ".".join(map(str, asked.origin or ())))
                if asked.kept:
                    post.appendlist(f"row-{each.key}-keep", str(place))
    return post


def copied():
    return apply_press(RulingEdits(frozenset({7})), "copy 7", SAID, QueryDict())


def only(**fields):
    post = QueryDict(mutable=True)
    for name, value in fields.items():
        for each in value if isinstance(value, list) else [value]:
            post.appendlist(name.replace("_", "-"), each)
    return post


def test_what_stands_is_annotations_and_sets_of_their_own():
    rows = as_written(SAID, 0).pairs
    edited = build_ruling_form([(7, rows), (None, rows), (99, rows)], SAID)
    assert edited.stand == {7}
    assert [each.key for each in edited.sets] == ["s1", "s2"]
    assert [each.key for each in edited.rows] == ["r1", "r2", "r3", "r4"]
    assert [form.text for form in edited.rows[0].forms] == ["1", "one"]
    assert edited.rows[0].forms[1].origin == (0, 0, 1)


def test_the_form_comes_back_as_it_went():
    edited = build_ruling_form([(9, ()), (None, as_written(SAID, 0).pairs)], SAID)
    assert from_post(posted(edited), SAID) == edited


@pytest.mark.parametrize(
    "post",
    [
        only(set=["s1", "<b>"]),
        only(set=["s1", "s1"]),
        only(set=[f"s{n}" for n in range(1, 12)]),
        only(set="s1", row="s2 r1"),
        only(set="s1", row=["s1 r1", "s1 r1"]),
        only(set="s1", row=[f"s1 r{n}" for n in range(1, 302)]),
        only(set="s1", row="s1 r1", row_r1_answer="x" * 1001),
        only(set="s1", row="s1 r1", row_r1_answer="9", row_r1_origin="7.0.0"),
        only(set="s1", row="s1 r1", row_r1_answer="9", row_r1_origin="0.0.9"),
    ],
)
def test_what_is_not_ours_is_refused(post):
    with pytest.raises(ResponseError):
        from_post(post, SAID)


def test_buttons():
    def press(edited, action):
        return apply_press(edited, action, SAID, posted(edited))

    edited = copied()
    assert edited.stand == frozenset()
    assert [[form.text for form in each.forms] for each in edited.rows] == [["1", "one"], ["2"]]
    edited = press(edited, "add s1")
    assert edited.rows[-1].key == "r3"
    assert [each.key for each in press(edited, "move-up r3").rows] == ["r1", "r3", "r2"]
    assert [form.text for form in press(edited, "remove-form r1 0").rows[0].forms] == ["one"]
    edited = press(edited, "exclude r1")
    assert [each.key for each in edited.rows] == ["r2", "r3"]
    two = press(edited, "add-set")
    assert [each.key for each in two.sets[1].rows] == ["r1"]  # a key that no set has
    assert [each.key for each in press(two, "remove-set s1").sets] == ["s2"]
    for nonsense in ("save", "copy 1000", "burn s1", "reset", "combine r2", "exclude r9"):
        assert press(edited, nonsense) == edited


def test_an_annotators_own_words_are_put_back():
    edited = copied()
    [first, second] = edited.rows
    asked = Phrasing("A, really?", first.phrasings[0].origin)
    changed = RulingEdits(sets=(EditedSet("s1", (AnswerRow("r1", phrasings=(asked,)), second)),))
    put_back = apply_press(changed, "restore r1 0", SAID, posted(changed))
    assert put_back.rows[0].phrasings[0].text == "A?"


def test_each_text_knows_where_it_came_from():
    rows = [row("r1", ["A?"], ["1", "uno"]), row("r2", ["C?"], ["3", "three"])]
    first, second = attach_text_origins(rows, SAID)
    assert [(form.text, form.origin) for form in first.forms] == [("1", (0, 0, 0)), ("uno", None)]
    assert first.phrasings[0].origin == (0, 0)
    assert [form.origin for form in second.forms] == [(1, 1, 0), None]


def test_of_two_who_asked_the_same_the_one_with_that_answer_is_the_source():
    said = [
        Contribution(1, "multiple", (ContributionPair("Both?", ("x",)),)),
        Contribution(2, "multiple", (ContributionPair("Both?", ("3",)),)),
    ]
    [found] = attach_text_origins([row("r1", ["Both?"], ["3", "2"])], said)
    assert found.phrasings[0].origin == (1, 0)


def test_a_text_that_is_edited_keeps_its_origin():
    post = posted(copied())
    post.setlist("row-r1-answer", ["in 1", "one"])
    post.setlist("row-r1-question", ["A, really?"])
    first, second = from_post(post, SAID).rows
    assert [(form.text, form.origin) for form in first.forms] == [
        ("in 1", (0, 0, 0)),
        ("one", (0, 0, 1)),
    ]
    assert (first.phrasings[0].text, first.phrasings[0].origin) == ("A, really?", (0, 0))
    assert second.forms[0].origin == (0, 1, 0)


def test_what_was_edited_before_keeps_its_origin_when_it_is_edited_again():
    stored = AnswerRow("a0", forms=(Form("in 1", (0, 0, 0)),), phrasings=(Phrasing("A?", (0, 0)),))
    post = posted(build_ruling_form([(None, (stored,))], SAID))
    assert from_post(post, SAID).rows[0].forms == (Form("in 1", (0, 0, 0)),)
    post.setlist("row-r1-answer", ["in the year 1"])
    assert from_post(post, SAID).rows[0].forms == (Form("in the year 1", (0, 0, 0)),)


@pytest.mark.parametrize(
    ("edited", "change", "outcome", "sets"),
    [
        (RulingEdits(frozenset({7, 9})), "none", "accepted", 2),
        (RulingEdits(frozenset({9})), "exclusion", "edited", 1),
        (RulingEdits(exclude=True), "exclusion", "excluded", 0),
        (
            made_of((("A?",), ("1",)), (("B?",), ("2",))),
            "exclusion",
            "edited",
            1,
        ),
        (made_of((("A?",), ("1",)), (("D?",), ("4",))), "edit", "edited", 1),
        (RulingEdits(frozenset({7}), made_of(((), ("9",))).sets), "edit", "edited", 2),
    ],
)
def test_the_outcome_follows_from_what_changed(edited, change, outcome, sets):
    result = result_of(edited, SAID)
    assert (result.change, result.outcome, len(result.accepted)) == (change, outcome, sets)


def test_one_pair_is_a_single_answer():
    result = result_of(made_of((("A?",), ("1",))), SAID)
    assert result.accepted[0].kind == "single"
