"""What a form says survives every way it travels: POST, draft, API, and back, as written down.

`golden_forms.json` was written by what read and wrote these forms before there was one declaration
of them. It holds each response with all of its values, the JSON of the API, and the sentences
of what is refused. The response with all of its values is also how drafts were stored then.
"""

import datetime as dt
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from django.http import QueryDict

from annotation.sheets.fields import Keep
from annotation.text.cleaning import ResponseError
from tests.validation.claims.test_ruling import SAID as RULED
from tests.validation.claims.test_ruling import copied
from tests.validation.claims.test_ruling import posted as posted_ruling
from tests.validation.verdicts.test_editing import SAID, SHEET, START, press
from tests.validation.verdicts.test_forms import TOKENS, posted
from validation.claims import ruling_form
from validation.verdicts.given import ValidationContext
from validation.verdicts.tokens import column_token

GOLDEN = json.loads((Path(__file__).parent / "golden_forms.json").read_text())
TURN = 5
# Columns that no annotation stands for any more have numbers below zero.
COLUMN = {pk: column_token(TURN, pk) for pk in (*TOKENS.values(), *range(-4, 0))}
UNCHANGED = posted(START)
JUDGED = replace(
    press(press(START, "exclude r2"), "combine", "r3", "r4"),
    verdicts=(True, False, None, None),
    feedback="Two of them differ.",
    keeps=(Keep("wh-word", "row-r1-question-1", "It is one."),),
)
SUGGESTED = replace(
    START, rows=(*START.rows, replace(press(START, "add").rows[-1], suggestion=8)), past=()
)


def context(stored=START):
    return ValidationContext(
        assignment=TURN,
        said=SAID,
        stored=stored,
        prompt="When did it open?",
        reference_date=dt.date(2018, 1, 1),
        tokens=lambda: {COLUMN[pk]: pk for pk in TOKENS.values()},
    )


def query(fields):
    data = QueryDict(mutable=True)
    for name, values in fields.items():
        data.setlist(name, values)
    return data


# The stored response, and what comes from the page.
POSTS = {
    "untouched": (START, UNCHANGED),
    "undone before": (press(START, "exclude r1"), UNCHANGED),
    "typed": (
        START,
        UNCHANGED
        | {
            "row-r1-answer": ["1843", " in\n1843 AD\u0000", "in 1843", "  "],
            "row-r1-origin": ["0.0.0", "0.0.1", "", ""],
            "row-r2-question": ["A  trams?", "Mine?"],
        },
    ),
    "no origins of forms": (START, UNCHANGED | {"row-r1-answer": ["1843"], "row-r1-origin": []}),
    "questions emptied": (
        START,
        UNCHANGED | {"row-r1-question": ["", "", ""], "row-r2-question": ["", ""]},
    ),
    "no question kept": (START, UNCHANGED | {"row-r1-keep": [], "row-r2-keep": ["9"]}),
    "excluded and combined": (
        JUDGED,
        posted(JUDGED) | {"row-r2-why": [" Not an\nopening "], "row-r1-why": ["hidden"]},
    ),
    "an added answer": (
        press(START, "add"),
        posted(press(START, "add"))
        | {"row-r5-answer": ["1900"], "row-r5-origin": [""], "row-r5-question": ["C cars?"]},
    ),
    "a suggested answer": (
        SUGGESTED,
        posted(SUGGESTED) | {"row-r5-answer": ["1901"], "row-r5-origin": [""]},
    ),
    "judged": (
        JUDGED,
        posted(JUDGED)
        | {
            "verdict-1": ["correct"],
            "verdict-1-was": ["correct"],
            "verdict-2": ["correct"],
            "verdict-2-was": ["incorrect"],
            "verdict-3": [""],
            "verdict-4-as": ["2"],
        },
    ),
    "reasons": (
        START,
        UNCHANGED
        | {
            "exclude_reason": [" Too\r\nvague "],
            "feedback": ["Thanks.\u0007"],
            "keep-rule": ["wh-word", "wh-word", "other"],
            "keep-field": ["row-r1-question-1", "row-r1-question-1", "rows"],
            "keep-reason": ["First", "Second", ""],
        },
    ),
    "moved": (START, posted(press(START, "move-up r3"))),
    "another draft": (
        replace(START, covers=(11, 12, 13), verdicts=(True, True, True)),
        UNCHANGED | {"verdict-1": ["incorrect"]},
    ),
    "a column taken back": (
        START,
        UNCHANGED | {"column": ["?", "b", "c", "d"], "row-r2-answer": ["kept", ""]},
    ),
}


def as_plain(value):
    """Return a value as it comes back from JSON, with the ids of columns for their names."""
    text = json.dumps(value)
    for pk, token in COLUMN.items():
        text = text.replace(token, f"column {pk}")
    return json.loads(text)


def read_post(stored, fields):
    names = {token: COLUMN[pk] for token, pk in TOKENS.items()}
    columns = [names.get(name, name) for name in fields["column"]]
    return SHEET.read(query(fields | {"column": columns}), context(stored))


def travel(stored, fields):
    """Return the response of a POST, and its JSON of the API; it comes back the same from both."""
    response = read_post(stored, fields)
    draft = json.loads(json.dumps(SHEET.dump(response)))
    assert SHEET.load(draft) == response
    sent = SHEET.response_to_json(response, TURN) if min(response.covers) > 0 else None
    if sent is not None:
        again = SHEET.response_from_json(json.loads(json.dumps(sent)), context(response))
        assert replace(again, verdicts=()) == replace(response, verdicts=())
    return as_plain({"response": asdict(response), "api": sent})


@pytest.mark.parametrize("name", POSTS)
def test_a_form_of_validation_is_read_and_written_as_before(name):
    assert travel(*POSTS[name]) == GOLDEN["posts"][name]


@pytest.mark.parametrize("name", POSTS)
def test_a_draft_that_was_stored_before_still_opens(name):
    stored, fields = POSTS[name]
    assert SHEET.load(GOLDEN["posts"][name]["response"]) == read_post(stored, fields)


def test_a_draft_opens_with_more_than_can_be_sent():
    rows = tuple(replace(START.rows[0], key=f"r{n}") for n in range(1, 302))
    many = replace(START, rows=rows)
    assert SHEET.load(SHEET.dump(many)) == many
    with pytest.raises(ResponseError, match="There are 301 answers"):
        SHEET.response_from_json(SHEET.response_to_json(many, TURN), context())


def test_a_draft_has_the_shape_of_the_api_and_what_only_the_server_knows():
    draft, sent = SHEET.dump(JUDGED), SHEET.response_to_json(JUDGED, TURN)
    assert draft.keys() - sent.keys() == {"covers", "past"}
    assert sent.keys() - draft.keys() == {"columns"}
    assert all(draft[key] == sent[key] for key in sent.keys() - {"columns", "rows"})
    for stored, row in zip(draft["rows"], sent["rows"], strict=True):
        assert stored | row == stored
        assert stored.keys() - row.keys() <= {"shared", "suggestion"}


@pytest.mark.parametrize(
    "draft",
    [
        {"covers": 11},
        {"covers": ["a"]},
        {"rows": [1]},
        {"rows": [{"members": [[0]]}]},
        {"rows": [{"phrasings": 1, "members": []}]},
        {"rows": [{"phrasings": [], "members": [[0, 0]]}]},
        {"past": [1]},
        {"past": [[{"forms": [{"origin": "0.0.0"}]}]]},
        {"verdicts": [1]},
        {"exclude_reason": None},
    ],
)
def test_a_draft_of_another_shape_is_refused(draft):
    with pytest.raises(ResponseError):
        SHEET.load(draft)


def test_the_schema_of_the_api_is_the_same():
    assert as_plain(SHEET.schema()) == GOLDEN["schema"]


# --- what a client of the API sends ---------------------------------------------------------------

WHOLE = SHEET.response_to_json(JUDGED, TURN)


def with_row(place, **changes):
    rows = list(WHOLE["rows"])
    rows[place] = rows[place] | changes
    return WHOLE | {"rows": rows}


def with_form(**changes):
    return with_row(0, forms=[WHOLE["rows"][0]["forms"][0] | changes])


def with_question(**changes):
    return with_row(0, questions=[WHOLE["rows"][0]["questions"][0] | changes])


SENT = {
    "nothing": {},
    "as it is": WHOLE,
    "columns only": {"columns": WHOLE["columns"]},
    "columns are text": WHOLE | {"columns": "abc"},
    "a column is a number": WHOLE | {"columns": [11, 12, 13, 14]},
    "too many columns": WHOLE | {"columns": [str(n) for n in range(31)]},
    "rows are an object": WHOLE | {"rows": {}},
    "a row is text": WHOLE | {"rows": ["r1"]},
    "too many rows": WHOLE | {"rows": [{}] * 301},
    "a row is missing": WHOLE | {"rows": WHOLE["rows"][1:]},
    "a row is empty": WHOLE | {"rows": [*WHOLE["rows"], {}]},
    "a row of its own": WHOLE | {"rows": [*WHOLE["rows"], {"key": "r9"}]},
    "a key is a number": with_row(0, key=1),
    "a key is another": with_row(0, key="x1"),
    "a key has a line": with_row(0, key="r1\n"),
    "members are text": with_row(0, members="0.0"),
    "a member is an object": with_row(0, members=[{"annotation": 0, "pair": 0}]),
    "a member is a number": with_row(0, members=[7]),
    "a member has three places": with_row(0, members=[[0, 0, 0]]),
    "a member is below zero": with_row(0, members=[[0, -1]]),
    "a member is a fraction": with_row(0, members=[[0, 0.5]]),
    "a member is huge": with_row(0, members=[[0, 10**9]]),
    "a member is text": with_row(0, members=[["0", "0"], [1, 0]]),
    "flags are numbers": with_row(1, excluded=1, combined=1, why="gone"),
    "why is a number": with_row(1, why=3),
    "why is long": with_row(1, why="x" * 1001),
    "forms are text": with_row(0, forms="1843"),
    "a form is text": with_row(0, forms=["1843"]),
    "no forms": with_row(0, forms=[]),
    "too many forms": with_row(0, forms=[{"text": str(n)} for n in range(501)]),
    "a form is cleaned": with_form(text="  in\n1844 "),
    "a form without origin": with_form(origin=None),
    "a form with an empty origin": with_form(origin=[]),
    "a form of nowhere": with_form(origin=[0, 0, 9]),
    "a form of another row": with_form(origin=[0, 1, 0]),
    "a form of two places": with_form(origin=[0, 0]),
    "an origin of text": with_form(origin="0.0.0"),
    "a form of a number": with_form(text=1843),
    "a long form": with_form(text="x" * 1001),
    "questions are null": with_row(0, questions=None),
    "a question is text": with_row(0, questions=["Who?"]),
    "no questions": with_row(0, questions=[]),
    "too many questions": with_row(0, questions=[{"text": str(n)} for n in range(501)]),
    "a question of a number": with_question(text=5),
    "a long question": with_question(text="x" * 2001),
    "a question of another row": with_question(origin=[0, 1]),
    "a question is cleaned": with_question(text=" Who\nwalks? ", origin=None),
    "a question kept as a number": with_question(kept=1),
    "verdicts are text": WHOLE | {"verdicts": "yes"},
    "a verdict is a number": WHOLE | {"verdicts": [1, None, None, None]},
    "fewer verdicts": WHOLE | {"verdicts": [False]},
    "more verdicts": WHOLE | {"verdicts": [None] * 6},
    "a verdict taken back": WHOLE | {"verdicts": [None, True, False, None]},
    "the reason is null": WHOLE | {"exclude_reason": None},
    "the reason is long": WHOLE | {"exclude_reason": "x" * 1001},
    "the feedback is a list": WHOLE | {"feedback": []},
    "the feedback is long": WHOLE | {"feedback": "x" * 5001},
    "keeps are text": WHOLE | {"keeps": "x"},
    "a keep is text": WHOLE | {"keeps": ["x"]},
    "a keep of a number": WHOLE | {"keeps": [{"rule": 4, "field": "rows", "reason": "x"}]},
    "a keep without reason": WHOLE | {"keeps": [{"rule": "wh-word", "field": "rows"}]},
    "other keys": WHOLE | {"covers": [1], "past": [], "suggestion": 5},
}


def answer_client(sent):
    """Return the response as JSON of the API, or the sentence that refuses it."""
    try:
        response = SHEET.response_from_json(sent, context(JUDGED))
    except ResponseError as refused:
        return str(refused)
    SHEET.load(json.loads(json.dumps(SHEET.dump(response))))
    return as_plain(SHEET.response_to_json(response, TURN))


@pytest.mark.parametrize("name", SENT)
def test_a_client_gets_the_same_response_or_sentence(name):
    assert answer_client(SENT[name]) == GOLDEN["sent"][name]


# --- rulings --------------------------------------------------------------------------------------

COPIED = posted_ruling(copied())
TYPED = {
    "row-r1-answer": ["in 1", "one", "3", " "],
    "row-r1-origin": ["0.0.0", "0.0.1", "", ""],
    "row-r1-question": ["A, really?", ""],
    "row-r1-from": ["0.0", ""],
}
RULINGS = {
    "nothing": {},
    "one stands": {"stand": ["7", "x", "1" * 19]},
    "excluded": {"exclude": ["", "1"]},
    "copied": dict(COPIED.lists()),
    "typed": {**dict(COPIED.lists()), **TYPED},
    "no question kept": {**dict(COPIED.lists()), "row-r1-keep": [], "row-r2-keep": []},
    "empty rows": {"set": ["s1", "s2"], "row": ["s2 r1", "s1 r4"]},
    "an origin of nowhere": {**dict(COPIED.lists()), "row-r1-origin": ["7.0.0", "", ""]},
    "a question of nowhere": {**dict(COPIED.lists()), "row-r1-from": ["0.9"]},
    "a set of nothing": {"set": ["<b>"]},
    "a row of no set": {"set": ["s1"], "row": ["s2 r1"]},
    "too many sets": {"set": [f"s{n}" for n in range(1, 12)]},
}


def rule(fields):
    """Return what is on the form of a ruling and what follows, or the sentence that refuses it."""
    try:
        edited = ruling_form.from_post(query(fields), RULED)
    except ResponseError as refused:
        return str(refused)
    result = ruling_form.result_of(edited, RULED)
    return as_plain(
        {
            "stand": sorted(edited.stand),
            "sets": [asdict(each) for each in edited.sets],
            "exclude": edited.exclude,
            "result": asdict(result),
        }
    )


@pytest.mark.parametrize("name", RULINGS)
def test_a_ruling_is_read_as_before(name):
    assert rule(RULINGS[name]) == GOLDEN["rulings"][name]


def write_down():
    """Return what `golden_forms.json` holds."""
    return {
        "posts": {name: travel(*case) for name, case in POSTS.items()},
        "schema": as_plain(SHEET.schema()),
        "sent": {name: answer_client(sent) for name, sent in SENT.items()},
        "rulings": {name: rule(fields) for name, fields in RULINGS.items()},
    }
