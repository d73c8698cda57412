"""The posted form as a response: what a browser sends, and what nobody should."""

from dataclasses import replace

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from annotation.text.cleaning import ResponseError
from tests.validation.verdicts.test_editing import KEYS, SAID, START, STEPS, press
from validation.verdicts.fitting import fit_response
from validation.verdicts.form import FORM, pressed_on, why_excluded
from validation.verdicts.merging import Member
from validation.verdicts.responses import Form, build_union_response, caught_up

TOKENS = {"a": 11, "b": 12, "c": 13, "d": 14, "e": 15}
NAMES = {pk: token for token, pk in TOKENS.items()}


def posted(response, **changes):
    """The fields that the page of a response has."""
    fields = {
        "column": [NAMES[pk] for pk in response.covers],
        "row": [],
        "exclude_reason": [response.exclude_reason],
        "feedback": [response.feedback],
    }
    for row in response.rows:
        members = ",".join(f"{m.annotation}.{m.pair}" for m in row.members)
        flags = f"{'c' * row.combined}{'x' * row.excluded}"
        fields["row"].append(f"{row.key};{members};{flags}")
        fields[f"row-{row.key}-answer"] = [*(f.text for f in row.forms), ""]
        fields[f"row-{row.key}-origin"] = [
            *(".".join(map(str, f.origin)) if f.origin else "" for f in row.forms),
            "",
        ]
        fields[f"row-{row.key}-why"] = [row.why]
        fields[f"row-{row.key}-question"] = [*(p.text for p in row.phrasings), ""]
        fields[f"row-{row.key}-from"] = [
            *(f"{p.origin[0]}.{p.origin[1]}" if p.origin else "" for p in row.phrasings),
            "",
        ]
        fields[f"row-{row.key}-keep"] = [
            *(str(n) for n, p in enumerate(row.phrasings) if p.kept),
            str(len(row.phrasings)),
        ]
    return fields | {name.replace("__", "-"): value for name, value in changes.items()}


def read(fields, stored=START, said=SAID):
    data = QueryDict(mutable=True)
    for name, values in fields.items():
        data.setlist(name, values)
    return fit_response(FORM.from_post(data), stored=stored, said=said, tokens=TOKENS)


@given(STEPS)
def test_a_page_sent_as_it_is_changes_nothing(steps):
    response = START
    for action, selected in steps:
        response = press(response, action, *selected)
    assert read(posted(response), stored=response) == replace(response, past=())


@given(STEPS)
def test_a_page_of_an_older_draft_still_says_what_it_showed(steps):
    """Two windows: mine is read from the form, whatever the other one stored."""
    response = START
    for action, selected in steps:
        response = press(response, action, *selected)
    mine = read(posted(response), stored=START)
    assert [(r.key, r.members, r.excluded) for r in mine.rows] == [
        (r.key, r.members, r.excluded) for r in response.rows
    ]


class TestTexts:
    def test_they_are_cleaned_like_those_of_generation(self):
        fields = posted(START)
        fields["row-r2-answer"] = ["1869", "  7\u0000 December\r\n1869 ", " ", ""]
        fields["row-r2-origin"] = ["0.1.0", "", "", ""]
        fields["row-r2-question"] = ["  A\ntrams? ", ""]
        row = read(fields).rows[1]
        assert [(f.text, f.origin) for f in row.forms] == [
            ("1869", (0, 1, 0)),
            ("7 December 1869", None),
        ]
        assert (row.phrasings[0].text, row.phrasings[0].origin) == ("A trams?", (0, 1))

    def test_a_written_phrasing_counts_beside_the_first(self):
        fields = posted(START)
        fields["row-r2-question"] = ["A trains?", "Another?"]
        assert [(p.text, p.kept, p.origin) for p in read(fields).rows[1].phrasings] == [
            ("A trains?", True, (0, 1)),
            ("Another?", True, None),
        ]

    def test_the_last_question_cannot_be_dropped(self):
        fields = posted(START)
        fields["row-r1-keep"] = ["2"]
        assert [p.kept for p in read(fields).rows[0].phrasings] == [True, False]

    def test_unless_another_is_written(self):
        fields = posted(START)
        fields["row-r1-keep"] = ["2"]
        fields["row-r1-question"] = ["A people?", "B walkers?", "Mine?"]
        assert [p.text for p in read(fields).rows[0].kept] == ["Mine?"]

    def test_an_emptied_question_keeps_its_place_and_its_author(self):
        fields = posted(START)
        fields["row-r1-question"] = ["", "B walkers?", ""]
        first, second = read(fields).rows[0].phrasings
        assert (first.text, first.origin, second.text) == ("", (0, 0), "B walkers?")

    def test_a_form_that_is_one_of_a_generator_is_theirs_again(self):
        stored = press(START, "remove-form r1 1")
        fields = posted(stored)
        fields["row-r1-answer"] = ["1843", "in 1843", ""]
        fields["row-r1-origin"] = ["0.0.0", "", ""]
        assert read(fields, stored=stored).rows == START.rows

    def test_an_edited_form_keeps_its_origin(self):
        fields = posted(START)
        fields["row-r2-answer"] = ["in 1869", ""]
        edited = read(fields)
        assert edited.rows[1].forms == (Form("in 1869", (0, 1, 0)),)
        again = posted(edited)
        again["row-r2-answer"] = ["in December 1869", ""]
        assert read(again, stored=edited).rows[1].forms == (Form("in December 1869", (0, 1, 0)),)
        again["row-r2-answer"] = ["1869", ""]
        assert read(again, stored=edited).rows == START.rows

    def test_a_form_edited_into_another_annotators_words_is_theirs(self):
        fields = posted(START)
        fields["row-r1-answer"] = ["in 1843", "in 1843", ""]
        assert read(fields).rows[0].forms == (Form("in 1843", (0, 0, 1)),)

    def test_an_emptied_form_is_gone_and_the_next_one_is_the_one_removed(self):
        fields = posted(START)
        fields["row-r1-answer"] = ["", "in 1843", ""]
        data = QueryDict(mutable=True)
        data.setlist("row-r1-answer", fields["row-r1-answer"])
        response = read(fields)
        assert response.rows[0].forms == (Form("in 1843", (0, 0, 1)),)
        assert pressed_on("remove-form r1 1", response, data) == "remove-form r1 0"
        assert pressed_on("remove-form r1 0", response, data) == "save"

    def test_why_only_where_it_is_excluded(self):
        out = press(START, "exclude r2")
        fields = posted(out)
        fields["row-r2-why"] = [" not an\nopening "]
        fields["row-r1-why"] = ["hidden"]
        rows = read(fields, stored=out).rows
        assert [row.why for row in rows] == ["", "not an opening", "", ""]


class TestVerdicts:
    def test_what_the_page_showed_is_no_choice(self):
        fields = posted(START, **{"verdict-1": ["correct"], "verdict-1-was": ["correct"]})
        assert read(fields).verdicts == (None,) * 4

    def test_another_one_is(self):
        fields = posted(START, **{"verdict-2": ["incorrect"], "verdict-2-was": ["correct"]})
        assert read(fields).verdicts == (None, False, None, None)

    def test_a_choice_stays_while_nothing_else_is_said(self):
        stored = replace(START, verdicts=(True, None, None, None))
        fields = posted(START, **{"verdict-1": ["correct"], "verdict-1-was": ["correct"]})
        assert read(fields, stored=stored).verdicts[0] is True

    def test_columns_that_wrote_the_same_have_one_verdict(self):
        fields = posted(
            START, **{"verdict-1": ["correct"], "verdict-1-was": [""], "verdict-3-as": ["1"]}
        )
        assert read(fields).verdicts == (True, None, True, None)

    def test_any_other_word_is_refused(self):
        with pytest.raises(ResponseError, match="correct or incorrect"):
            read(posted(START, **{"verdict-1": ["maybe"]}))


class TestNewcomers:
    LATER = [*SAID, replace(SAID[2], annotation=15)]

    def test_what_was_typed_before_somebody_else_came_is_kept(self):
        fields = posted(START)
        fields["row-r2-answer"] = ["1869", "mine"]
        mine = read(fields, said=self.LATER)
        there = caught_up(mine, self.LATER)
        assert [f.text for f in there.rows[1].forms] == ["1869", "mine"]
        assert Member(4, 0) in there.rows[3].members

    def test_a_column_that_was_taken_back_is_no_obstacle(self):
        tokens = {name: pk for name, pk in TOKENS.items() if name != "b"}
        data = QueryDict(mutable=True)
        for name, values in posted(START).items():
            data.setlist(name, values)
        left = [SAID[0], SAID[2], SAID[3]]
        mine = fit_response(FORM.from_post(data), stored=START, said=left, tokens=tokens)
        there = caught_up(mine, left)
        assert there.covers == (11, 13, 14)
        found = sorted((m.annotation, m.pair) for row in there.rows for m in row.members)
        assert found == [(0, 0), (0, 1), (1, 0)]


def hostile(**changes):
    return posted(START) | {name.replace("__", "-"): value for name, value in changes.items()}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        hostile(column=[]),
        hostile(column=["a", "a", "c", "d"]),
        hostile(row=["r1;0.0,1.0;", "r2;0.1;", "r3;1.1;"]),  # one is missing
        hostile(row=["r1;0.0,1.0;", "r2;0.1;", "r3;1.1;", "r4;2.0,0.0;"]),  # one is twice
        hostile(row=["r1;0.0,1.0;", "r1;0.1;", "r3;1.1;", "r4;2.0;"]),  # a key is twice
        hostile(row=["r1;0.0,1.0;", "r2;0.1;", "r3;1.1;", "r4;2.0,7.0;"]),  # no such column
        hostile(row=["r1;0.0,1.0;", "r2;0.1;", "r3;1.1;", "r4;2.0,2.9;"]),  # no such answer
        hostile(row=["<script>"]),
        hostile(row=["r0;0.0;"]),
        hostile(**{"row-r2-origin": ["1.0.0", ""]}),  # not one of this row's
        hostile(**{"row-r2-origin": ["0.1.7", ""]}),  # no such form
        hostile(**{"row-r2-origin": ["0.1", ""]}),
        hostile(**{"row-r2-origin": [""]}),
        hostile(**{"row-r2-from": ["1.0", ""]}),  # not one of this row's
        hostile(**{"row-r2-from": ["zz", ""]}),
        hostile(**{"row-r2-from": [""]}),
        hostile(**{"row-r2-answer": ["x" * 1001]}),
        hostile(**{"row-r2-question": ["x" * 2001, ""]}),
        hostile(**{"keep-rule": ["a"]}),
        hostile(**{"keep-rule": ["<b>"], "keep-field": ["x"], "keep-reason": ["y"]}),
        hostile(row=[f"r{n};;" for n in range(1, 400)]),
        hostile(**{"row-r2-answer": [str(n) for n in range(600)]}),
    ],
)
def test_what_does_not_fit_gets_a_sentence(fields):
    with pytest.raises(ResponseError) as refused:
        read(fields)
    text = str(refused.value)
    assert text.endswith(".")
    assert len(text) < 200


@given(
    st.dictionaries(
        st.sampled_from(
            [*posted(START), "verdict-1", "verdict-1-was", "verdict-2-as", "keep-rule"]
        ),
        st.lists(
            st.one_of(st.text(max_size=12), KEYS, st.sampled_from(["r1;0.0;", "a", "0.1"])),
            max_size=5,
        ),
    )
)
def test_garbage_is_read_or_refused_and_never_breaks(changes):
    try:
        response = read(posted(START) | changes)
    except ResponseError:
        return
    # What is there of the columns that the form names; of one taken back nothing is known.
    there = {each.annotation: each for each in SAID}
    known = {n: there[pk] for n, pk in enumerate(response.covers) if pk in there}
    members = [(m.annotation, m.pair) for row in response.rows for m in row.members]
    assert sorted(each for each in members if each[0] in known) == [
        (column, pair) for column, said in known.items() for pair in range(len(said.pairs))
    ]


def test_excluding_the_question_needs_a_reason():
    with pytest.raises(ResponseError, match="Write why"):
        why_excluded(QueryDict("exclude-why=%20"))
    assert why_excluded(QueryDict("exclude-why=Too+vague")) == "Too vague"


def test_the_union_is_what_the_page_starts_from():
    assert build_union_response(SAID) == START
