"""Presses on the validation form as values: no request, no database."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.cleaning import ResponseError
from validation.verdicts import presses as editing
from validation.verdicts.merging import Member
from validation.verdicts.presses import (
    anchor_after_press,
    apply_press,
    describe_change,
    record_undo_step,
)
from validation.verdicts.responses import (
    PAST,
    Contribution,
    ContributionPair,
    Form,
    Phrasing,
    build_result,
    build_union_response,
    row_letter,
)
from validation.verdicts.sheet import ValidationSheet

SHEET = ValidationSheet()
SAID = [
    Contribution(
        11,
        "multiple",
        (
            ContributionPair("A people?", ("1843", "in 1843")),
            ContributionPair("A trains?", ("1869",)),
        ),
    ),
    Contribution(
        12,
        "multiple",
        (ContributionPair("B walkers?", ("1843",)), ContributionPair("B again?", ("2010",))),
    ),
    Contribution(13, "single", (ContributionPair("", ("1865",)),)),
    Contribution(14, "none", (), "Nothing."),
]
START = build_union_response(SAID)


def press(response, action, *selected):
    return apply_press(response, action, said=SAID, selected=selected)


def row(response, key):
    return next(row for row in response.rows if row.key == key)


def texts(row):
    return [form.text for form in row.forms]


def members(response):
    return sorted((m.annotation, m.pair) for row in response.rows for m in row.members)


KEYS = st.sampled_from(["r1", "r2", "r3", "r4", "r5", "r6", "r9", "", "x"])
WORDS = st.text(max_size=8)
PRESSES = st.one_of(
    st.sampled_from(
        ["reset", "add", "undo", "save", "", "combine", "separate", "exclude", "include"]
    ),
    st.builds(
        "{} {}".format, st.sampled_from(["separate", "exclude", "put-back", "combine"]), KEYS
    ),
    st.builds("{} {}".format, st.sampled_from(["move-up", "move-down"]), KEYS),
    st.builds(
        "{} {} {}".format,
        st.sampled_from(["remove-form", "restore"]),
        KEYS,
        st.one_of(st.integers(-1, 4).map(str), WORDS),
    ),
    st.builds("derive {}".format, st.one_of(st.sampled_from(["1", "2+3", "9", "0"]), WORDS)),
    WORDS,
)
STEPS = st.lists(st.tuples(PRESSES, st.sets(KEYS, max_size=3)), max_size=25)


@given(STEPS)
def test_whatever_is_pressed_every_answer_is_in_exactly_one_row(steps):
    response = START
    for action, selected in steps:
        before, response = response, press(response, action, *selected)
        assert members(response) == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
        keys = [row.key for row in response.rows]
        assert len(set(keys)) == len(keys)
        assert len(response.past) <= PAST
        assert isinstance(anchor_after_press(response, action, before=before), str)
        assert (describe_change(before.rows, response.rows) == "") == (before.rows == response.rows)
        assert SHEET.load(SHEET.dump(response)) == response
        build_result(response, SAID)


@given(STEPS, PRESSES, st.sets(KEYS, max_size=3))
def test_undo_is_the_exact_inverse_of_every_press(steps, action, selected):
    response = START
    for each, chosen in steps:
        response = press(response, each, *chosen)
    response = replace(response, past=response.past[-(PAST - 1) :])
    after = press(response, action, *selected)
    if action != "undo" and after.rows != response.rows:
        undone = press(after, "undo")
        assert (undone.rows, undone.past) == (response.rows, response.past)


@given(STEPS)
def test_undoing_everything_comes_back_to_the_beginning(steps):
    response = START
    for action, selected in steps[:PAST]:
        if action != "undo":
            response = press(response, action, *selected)
    while response.past:
        response = press(response, "undo")
    assert response.rows == START.rows


class TestCombine:
    def test_two_become_the_first_with_all_forms_and_phrasings(self):
        after = press(START, "combine", "r2", "r3")
        whole = row(after, "r2")
        assert len(after.rows) == len(START.rows) - 1
        assert whole.combined
        assert texts(whole) == ["1869", "2010"]
        assert [p.text for p in whole.phrasings] == ["A trains?", "B again?"]
        assert describe_change(START.rows, after.rows) == "Combined “1869” and “2010”"

    @pytest.mark.parametrize("selected", [(), ("r1",), ("r1", "r9")])
    def test_one_alone_is_left(self, selected):
        assert press(START, "combine", *selected) == START

    def test_an_excluded_one_is_not_combined(self):
        out = press(START, "exclude r2")
        assert press(out, "combine", "r1", "r2") == out

    def test_a_phrasing_that_counts_in_one_of_them_counts(self):
        rows = tuple(
            replace(r, phrasings=(Phrasing("Same?", None, kept=r.key == "r3"),)) for r in START.rows
        )
        after = press(replace(START, rows=rows), "combine", "r2", "r3")
        assert [p.kept for p in row(after, "r2").phrasings] == [True]


class TestSeparate:
    def test_each_has_what_its_author_wrote(self):
        after = press(START, "separate r1")
        parts = [r for r in after.rows if r.key not in ("r2", "r3", "r4")]
        assert [r.members for r in parts] == [(Member(0, 0),), (Member(1, 0),)]
        assert [texts(r) for r in parts] == [["1843", "in 1843"], ["1843"]]
        assert describe_change(START.rows, after.rows) == "Separated “1843”"

    def test_what_was_written_here_stays_with_the_first_and_edits_with_theirs(self):
        first = START.rows[0]
        edited = replace(
            first,
            forms=(first.forms[0], Form("early in 1843", (0, 0, 1)), Form("March 1843")),
            phrasings=(
                first.phrasings[0],
                replace(first.phrasings[1], text="B on foot?"),
                Phrasing("Mine?"),
            ),
        )
        after = press(replace(START, rows=(edited, *START.rows[1:])), "separate", "r1")
        assert texts(after.rows[0]) == ["1843", "early in 1843", "March 1843"]
        assert [p.text for p in after.rows[0].phrasings] == ["A people?", "Mine?"]
        assert [p.text for p in after.rows[1].phrasings] == ["B on foot?"]

    def test_one_member_cannot_be_separated(self):
        assert press(START, "separate r2") == START


class TestExclude:
    def test_it_stays_and_comes_back(self):
        after = press(START, "exclude r2")
        assert row(after, "r2").excluded
        assert describe_change(START.rows, after.rows) == "Excluded “1869”"
        assert anchor_after_press(after, "exclude r2", before=START) == "row-r2-why"
        back = press(after, "put-back r2")
        assert back.rows == START.rows
        assert describe_change(after.rows, back.rows) == "Restored “1869”"

    def test_one_that_nobody_else_wrote_is_gone(self):
        added = press(START, "add")
        assert describe_change(START.rows, added.rows) == "Added an answer"
        gone = press(added, f"exclude {added.rows[-1].key}")
        assert gone.rows == START.rows
        assert describe_change(added.rows, gone.rows) == "Removed an empty answer"


class TestTexts:
    def typed(self, response, key, text):
        rows = tuple(
            replace(r, phrasings=(replace(r.phrasings[0], text=text),)) if r.key == key else r
            for r in response.rows
        )
        return replace(response, rows=rows)

    def test_typing_in_one_row_is_one_step(self):
        response = START
        for text in ("A t?", "A tr?", "A tram?"):
            response = record_undo_step(response, self.typed(response, "r2", text))
        response = record_undo_step(response, self.typed(response, "r3", "B?"))
        assert len(response.past) == 2
        once = press(response, "undo")
        assert row(once, "r3") == row(START, "r3")
        assert row(once, "r2").phrasings[0].text == "A tram?"
        assert press(once, "undo").rows == START.rows

    def test_typing_after_a_press_is_a_step_of_its_own(self):
        out = press(START, "exclude r3")
        after = record_undo_step(out, self.typed(out, "r2", "A tram?"))
        assert press(after, "undo").rows == out.rows
        assert describe_change(out.rows, after.rows) == "Edited “1869”"

    def test_back_to_the_generators_words(self):
        changed = self.typed(START, "r2", "A tram?")
        assert press(changed, "restore r2 0").rows == START.rows

    def test_the_past_never_outgrows_a_draft(self):
        response = START
        for number in range(PAST):
            text = f"{number} " + "x" * 9_000
            response = record_undo_step(response, self.typed(response, f"r{2 + number % 2}", text))
        assert sum(map(editing._size, response.past)) <= editing.MAX_PAST
        assert len(str(SHEET.dump(response))) < 400_000


def test_moving_changes_the_order_and_nothing_else():
    after = press(START, "move-down r1")
    assert [r.key for r in after.rows] == ["r2", "r1", "r3", "r4"]
    assert describe_change(START.rows, after.rows).startswith("Moved")
    assert press(after, "move-up r1").rows == START.rows
    assert press(START, "move-up r1") == START
    assert press(START, "move-down r4") == START


def test_start_over_can_be_undone():
    changed = press(press(START, "exclude r1"), "combine", "r2", "r3")
    fresh = press(changed, "reset")
    assert fresh.rows == START.rows
    assert press(fresh, "undo").rows == changed.rows


def test_a_verdict_follows_the_rows_again():
    chosen = replace(START, verdicts=(True, False, False, True))
    assert press(chosen, "derive 2+3").verdicts == (True, None, None, True)


def test_no_more_rows_than_can_be_kept():
    full = replace(START, rows=tuple(replace(START.rows[0], key=f"r{n}") for n in range(300)))
    with pytest.raises(ResponseError, match="The maximum is 300"):
        press(full, "add")


def test_letters_go_on_after_z():
    assert [row_letter(n) for n in (0, 25, 26, 51, 52, 701, 702)] == [
        "A",
        "Z",
        "AA",
        "AZ",
        "BA",
        "ZZ",
        "AAA",
    ]
