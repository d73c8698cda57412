"""Questions with options, read from text; checks spread between questions; codes and links."""

import datetime as dt
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds import codes, links
from crowds.platforms import ID, PLATFORMS
from crowds.questions import (
    RIGHT,
    SCREEN_OUT,
    BadQuestions,
    OptionQuestion,
    questions_before_check,
    read_checks,
    read_questions,
)
from tests.crowds.factories import CHECKS, FORM

NOW = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)


def test_a_form_is_read_with_its_marks():
    assert read_questions(FORM, mark=SCREEN_OUT) == [
        OptionQuestion("How old are you?", ("Under 18", "18 to 34", "35 or older"), ("Under 18",)),
        OptionQuestion("Country you live in"),
    ]


@given(
    st.lists(
        st.tuples(
            st.text("abc ?", min_size=1).map(str.strip).filter(bool),
            st.lists(st.text("xyz", min_size=1), min_size=2, max_size=4, unique=True),
        ),
        max_size=5,
        unique_by=lambda row: " ".join(row[0].split()),
    )
)
def test_what_is_typed_is_what_is_asked(rows):
    text = "\n\n".join("\n".join([label, *(f"- {o}" for o in options)]) for label, options in rows)
    asked = read_questions(text, mark=SCREEN_OUT)
    assert [(row.label, list(row.options)) for row in asked] == [
        (" ".join(label.split()), options) for label, options in rows
    ]
    assert [row.dump() for row in asked] == [
        {"label": row.label, "options": [*row.options], "marked": []} for row in asked
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- Red", "Line 1: this option has no question"),
        ("Age?\n- 18", "needs no options, or 2"),
        ("Age?\n18", "Line 2: begin options"),
        ("Age?\n- 18\n- 18", "Line 3: this option is empty, or there already"),
        ("Age?\n- 18\n- (screen out)", "Line 3"),
        ("Age?\n- 18\n- I’d rather not say", "Line 3"),
        ("Age?\n\nage?", "is there twice"),
        ("x" * 301, "Line 1 has 301 characters"),
        ("\n\n".join(f"Q{n}" for n in range(31)), "There are 31 questions"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(text, words):
    with pytest.raises(BadQuestions, match=words):
        read_questions(text, mark=SCREEN_OUT)


@pytest.mark.parametrize("text", ["Say anything", "A?\n- b\n- c", f"A?\n- b {RIGHT}\n- c {RIGHT}"])
def test_a_check_has_one_right_option(text):
    with pytest.raises(BadQuestions, match="one of them must end with"):
        read_checks(text)
    assert len(read_checks(CHECKS)) == 1


@given(st.integers(2, 500), st.integers(1, 30))
def test_checks_come_between_questions_in_order(questions, checks):
    checks = min(checks, questions - 1)
    places = [questions_before_check(n, checks=checks, questions=questions) for n in range(checks)]
    assert places == sorted(places)
    assert places[0] >= 1
    assert places[-1] < questions


def test_codes_can_be_read_aloud_and_differ():
    made = {codes.make_completion_code() for _ in range(500)}
    assert len(made) == 500
    assert all(len(code) == 9 and not set(code) & set("01OILU") for code in made)


# --- links ----------------------------------------------------------------------------------------


def test_a_link_says_who_it_is_for_and_until_when(settings):
    link = links.RecruitmentLink(7, 1_700_000_000, "p-1", int(NOW.timestamp()))
    token = link.signed_token()
    assert links.read_link(token) == link
    assert (link.is_over(NOW), link.is_over(NOW - dt.timedelta(seconds=1))) == (True, False)
    settings.SECRET_KEY = "another"
    with pytest.raises(links.BadLink):
        links.read_link(token)


@given(st.text(max_size=600))
def test_no_other_text_is_a_link(text):
    with pytest.raises(links.BadLink):
        links.read_link(text)


@given(st.integers(0, 200), st.characters(codec="ascii"))
def test_a_changed_link_is_no_link(place, letter):
    token = links.RecruitmentLink(7, 1_700_000_000, "p-1", 1_800_000_000).signed_token()
    place %= len(token)
    changed = token[:place] + letter + token[place + 1 :]
    if changed == token:
        return
    with suppress(links.BadLink):
        assert links.read_link(changed) == links.read_link(
            token
        )  # the last bits of base64 mean nothing


def test_what_a_platform_says_of_a_person():
    prolific = PLATFORMS["prolific"]
    good = {"PROLIFIC_PID": "a" * 24, "SESSION_ID": "b" * 24, "STUDY_ID": "c" * 24}
    arrival = prolific.find_arrival(good)
    assert (arrival.external_id, arrival.session, arrival.study) == ("a" * 24, "b" * 24, "c" * 24)
    for name in good:
        for bad in ("", "{{%PROLIFIC_PID%}}", "a" * 23, "A" * 24, "a" * 24 + "\n", "=1+1"):
            assert prolific.find_arrival(good | {name: bad}) is None
    assert prolific.query == (
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}&STUDY_ID={{%STUDY_ID%}}"
    )
    assert prolific.finish_address("C1") == "https://app.prolific.com/submissions/complete?cc=C1"
    assert prolific.finish_address("") == PLATFORMS["personal"].finish_address("C1") == ""


@pytest.mark.parametrize("text", ["", "=1+1", "-1", "a b", "a" * 65, "ä", "a\n", "a@b.c"])
def test_ids_are_plain(text):
    assert not ID.fullmatch(text)
