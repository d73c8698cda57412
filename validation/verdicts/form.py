"""The form of validation, declared once: what a page sends, a client of the API, and a draft.

    {
        "columns": ["1f0c…", "9a2e…"],
        "rows": [{
            "key": "r1", "members": [[0, 0], [1, 0]],
            "combined": false, "excluded": false, "why": "",
            "forms": [{"text": "1843", "origin": [0, 0, 0]}],
            "questions": [{"text": "When …?", "origin": [0, 0], "kept": true}]
        }],
        "verdicts": [true, null], "exclude_reason": "", "feedback": "", "keeps": []
    }

`members` are the places of column and pair, from 0; an origin adds the place of the form. A draft
has the same shape, and besides it what only the server knows: the annotations behind the columns,
why answers are in one row, which suggestion a row began as, and the rows before each change.

The form of a page is complete, so that two windows can be compared. Its fields, where K is the key
of a row and N the number of a column from 1:
``column`` (a token, once per column), ``row`` ("r2;0.0,1.1;c": key, members, "c" for combined and
"x" for excluded, once per row), ``select`` (keys), ``row-K-answer``
and ``row-K-origin`` ("0.1.2", or nothing where written here) side by side, once per form,
``row-K-question``, ``row-K-from`` ("0.1", or nothing where written here) side by side,
``row-K-keep`` (the places of the questions that count), ``row-K-why``; ``verdict-N`` and
``verdict-N-was`` ("correct", "incorrect" or nothing), or ``verdict-N-as`` (the number of a column
that says the same); ``exclude_reason``, ``feedback``, and
``keep-rule``, ``keep-field``, ``keep-reason`` side by side.

Nothing here compares what is sent with the annotations: `validation.verdicts.fitting` does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from annotation.generation.responses import MAX_FEEDBACK
from annotation.sheets.answers import MAX_ANSWER, MAX_QUESTION
from annotation.sheets.fields import (
    Field,
    Form,
    FormData,
    ListField,
    PassageField,
    SentTextField,
    TickField,
    get_last_value,
    list_of,
)
from annotation.sheets.keeps import MAX_REASON, Keep
from annotation.sheets.many import Keeps, Many, PostedPart, SideBySide
from annotation.text.cleaning import ResponseError, format_value, passage_of
from validation.verdicts import responses
from validation.verdicts.form_context import WORDS
from validation.verdicts.merging import Member
from validation.verdicts.presses import MAX_ROWS
from validation.verdicts.responses import AnswerRow, Phrasing, ValidationResponse

MAX_COLUMNS = 30
MAX_TEXTS = 500
_RELOAD = "Reload the page; your last saved text is there."
MISFIT = f"This form does not fit the answers to the question. {_RELOAD}"
KEY = r"r[1-9][0-9]{0,4}"
_VERDICTS = {word: verdict for verdict, word in WORDS.items()}
P = TypeVar("P")


@dataclass(frozen=True)
class SentResponse:
    """What a page or a client sent: nothing in it is compared with the annotations yet.

    A verdict is None where the choice of before stays.
    """

    columns: tuple[str, ...]
    rows: tuple[AnswerRow, ...]
    verdicts: tuple[bool | None, ...]
    exclude_reason: str
    feedback: str
    keeps: tuple[Keep, ...]


# --- fields --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlaceField(Field):
    """A place among the annotations, two or three numbers: "0.1" in a POST, None for nowhere."""

    numbers: int

    def read(self, value: object, where: str) -> tuple[int, ...] | None:
        parts = [str(part) for part in list_of(value or [], "A place")]
        if parts and not (
            len(parts) == self.numbers and all(re.fullmatch("[0-9]{1,3}", part) for part in parts)
        ):
            raise ResponseError(MISFIT)
        return tuple(map(int, parts)) or None

    def from_post(self, data: FormData, name: str, where: str) -> tuple[int, ...] | None:
        text = str(get_last_value(data, name))
        return self.read(text.split(".") if text else None, where)

    def value_to_json(self, value: tuple[int, ...] | None) -> object:
        return list(value) if value else None

    def schema(self) -> dict[str, Any]:
        return {"oneOf": [_place_schema(self.numbers), {"type": "null"}]}


def _place_schema(numbers: int) -> dict[str, Any]:
    place = {"type": "integer", "minimum": 0}
    return {"type": "array", "items": place, "minItems": numbers, "maxItems": numbers}


def _read_member(value: object) -> Member:
    place = PlaceField(2).read(value, "")
    if place is None:
        raise ResponseError(MISFIT)
    return Member(*place)


def _read_verdict(value: object) -> bool | None:
    # 1 and 0 are not verdicts.
    if value is not None and not isinstance(value, bool):
        raise ResponseError(f"{format_value(value)} is not a verdict. Send true, false or null.")
    return value


class VerdictsField(ListField):
    """The verdict on each column; None where the choice of before stays."""

    def from_post(self, data: FormData, name: str, where: str) -> tuple[bool | None, ...]:
        columns = data.getlist("column")[:MAX_COLUMNS]
        return tuple(_posted_verdict(data, number) for number, _ in enumerate(columns, start=1))


def _posted_verdict(data: FormData, number: int) -> bool | None:
    """Return the verdict chosen on the page, None if it is the one that the page showed.

    A column with the same answers as an earlier one takes its verdict from there.
    """
    like = str(get_last_value(data, f"verdict-{number}-as"))
    shown = f"verdict-{like if re.fullmatch('[1-9][0-9]?', like) else number}"
    now, was = str(get_last_value(data, shown)), str(get_last_value(data, f"{shown}-was"))
    if not {now, was} <= _VERDICTS.keys():
        raise ResponseError(f"Annotator {number} can be correct or incorrect. {_RELOAD}")
    return None if now == was else _VERDICTS[now]


@dataclass(frozen=True)
class RowLines(Many[P]):
    """Rows of answers: a line ``row`` for each, and the fields ``row-K-…`` for the row with key K.

    What a line says is named by the groups of `line`, one of which is `key`; a group can hold
    places. `wrong` is the error for any other line.
    """

    line: re.Pattern[str]
    wrong: str = MISFIT

    def list_posted(self, data: FormData) -> Sequence[FormData]:
        rows = []
        for text in map(str, data.getlist("row")):
            read = self.line.fullmatch(text)
            if not read:
                raise ResponseError(self.wrong)
            own = {name: _split_places(group) for name, group in read.groupdict().items()}
            rows.append(PostedPart(data, f"row-{read['key']}-", own))
        return rows


def _split_places(text: str) -> list[object]:
    return [part.split(".") if "." in part else part for part in text.split(",") if part]


# --- the declaration -----------------------------------------------------------------------------

TEXTS: Mapping[str, Field] = {
    "forms": SideBySide(
        responses.Form,
        "form",
        "A form",
        MAX_TEXTS,
        {
            "text": SentTextField("A form", {"maxLength": MAX_ANSWER}, key="answer"),
            "origin": PlaceField(3),
        },
        uneven=MISFIT,
    ),
    "questions": SideBySide(
        Phrasing,
        "question",
        "A question",
        MAX_TEXTS,
        {
            "text": SentTextField("A question", {"maxLength": MAX_QUESTION}, key="question"),
            "origin": PlaceField(2, key="from"),
            "kept": TickField(key="keep"),
        },
        uneven=MISFIT,
        attribute="phrasings",
    ),
}
ROW: Mapping[str, Field] = {
    "key": SentTextField("The key of an answer", {"pattern": f"^{KEY}$"}),
    "members": ListField(
        _read_member,
        write_one=lambda member: [member.annotation, member.pair],
        one=_place_schema(2),
    ),
    "combined": TickField(),
    "excluded": TickField(),
    "why": SentTextField("The reason", {"maxLength": MAX_REASON}),
    **TEXTS,
}
_LINE = re.compile(
    rf"(?P<key>{KEY});(?P<members>(?:[0-9]{{1,3}}\.[0-9]{{1,3}},?)*);(?P<combined>c?)(?P<excluded>x?)"
)
REST: Mapping[str, Field] = {
    "verdicts": VerdictsField(_read_verdict, one={"enum": [True, False, None]}),
    "exclude_reason": PassageField(MAX_REASON, "The reason"),
    "feedback": PassageField(MAX_FEEDBACK, "The feedback"),
    "keeps": Keeps(),
}
FORM = Form(
    SentResponse,
    {
        "columns": ListField(one={"type": "string"}, most=MAX_COLUMNS, key="column"),
        "rows": RowLines(AnswerRow, "answer", "Answer", MAX_ROWS, ROW, line=_LINE),
        **REST,
    },
)


# --- what is read a second time ------------------------------------------------------------------


def read_ticked_rows(data: FormData) -> list[str]:
    """Return the keys of the rows that are ticked."""
    return [str(key) for key in data.getlist("select")]


def pressed_on(press: str, response: ValidationResponse, data: FormData) -> str:
    """Return the press with the place that its form has in the response, not on the page.

    The page counts fields; a field that was emptied is no longer a form.
    """
    verb, _, rest = press.partition(" ")
    key, _, place = rest.partition(" ")
    values = data.getlist(f"row-{key}-answer")
    row = next((row for row in response.rows if row.key == key), None)
    if verb != "remove-form" or row is None or not re.fullmatch("[0-9]{1,4}", place):
        return press
    value = str(values[int(place)]) if int(place) < len(values) else ""
    text = " ".join(value.split())
    at = [n for n, form in enumerate(row.forms) if " ".join(form.text.split()) == text]
    return f"{verb} {key} {at[0]}" if at else "save"


def why_excluded(data: FormData) -> str:
    """Return the reason for excluding the whole question; raise ResponseError if it is empty."""
    reason = passage_of(get_last_value(data, "exclude-why"), MAX_REASON, "The reason")
    if not reason:
        raise ResponseError(
            "Write why the question is excluded. The people who answered it will see the reason."
        )
    return reason
