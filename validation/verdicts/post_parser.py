"""Read the validation form.

The form is complete, so that two windows can be compared: it names its columns by opaque
tokens, and lists the answers of each row. Texts are cleaned as in generation.

Fields, where K is the key of a row and N the number of a column from 1:
``column`` (a token, once per column), ``row`` ("r2;0.0,1.1;c": key, members, "c" for combined and
"x" for excluded, once per row), ``select`` (keys), ``row-K-answer``
and ``row-K-origin`` ("0.1.2", or nothing where written here) side by side, once per form,
``row-K-question``, ``row-K-from`` ("0.1", or nothing where written here) side by side,
``row-K-keep`` (the places of the questions that count), ``row-K-why``; ``verdict-N`` and
``verdict-N-was`` ("correct", "incorrect" or nothing), or ``verdict-N-as`` (the number of a column
that says the same); ``exclude_reason``, ``feedback``, and
``keep-rule``, ``keep-field``, ``keep-reason`` side by side.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from annotation.generation.responses import MAX_FEEDBACK
from annotation.sheets.answers import MAX_ANSWER, MAX_QUESTION
from annotation.sheets.fields import FormData
from annotation.sheets.keeps import MAX_REASON
from annotation.sheets.many import posted_keeps
from annotation.text.cleaning import ResponseError, check_count, line_of, passage_of
from validation.verdicts.merging import Member
from validation.verdicts.presses import MAX_ROWS, shared_forms
from validation.verdicts.responses import (
    AnswerRow,
    Contribution,
    Form,
    FormOrigin,
    Phrasing,
    ValidationResponse,
    each_once,
)

MAX_COLUMNS = 30
MAX_TEXTS = 500
_ROW = re.compile(r"(r[1-9]\d{0,4});((?:\d{1,3}\.\d{1,3},?)*);(c?x?)", re.ASCII)
_PLACE = re.compile(r"(\d{1,3})\.(\d{1,3})", re.ASCII)
_FORM = re.compile(r"(\d{1,3})\.(\d{1,3})\.(\d{1,3})", re.ASCII)
_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
_RELOAD = "Reload the page; your last saved text is there."
_WORDS: Mapping[str, bool | None] = {"correct": True, "incorrect": False, "": None}


def from_post(
    data: FormData,
    *,
    stored: ValidationResponse,
    said: Sequence[Contribution],
    tokens: Mapping[str, int],
) -> ValidationResponse:
    """Read the form, with the stored draft and the generators' annotations.

    `tokens` gives the annotation behind each column token. Every answer of an annotation still in
    use has to be in exactly one row. Raises ResponseError, saying what cannot be read.
    """
    covers = _covers(data, tokens)
    here = {pk: contribution for contribution in said if (pk := contribution.annotation) in covers}
    columns: dict[int, Contribution] = {
        covers.index(pk): contribution for pk, contribution in here.items()
    }
    stored_rows = {row.key: row for row in stored.rows} if stored.covers == covers else {}
    lines = data.getlist("row")
    check_count(len(lines), MAX_ROWS, "There are {count} answers. The maximum is {most}.")
    rows = [_row(data, str(line), columns, stored_rows) for line in lines]
    _check_whole(rows, covers, columns)
    verdicts = stored.verdicts if stored.covers == covers else (None,) * len(covers)
    return ValidationResponse(
        covers=covers,
        rows=tuple(rows),
        verdicts=tuple(
            _verdict(data, number, verdict) for number, verdict in enumerate(verdicts, start=1)
        ),
        exclude_reason=_long(data, "exclude_reason", MAX_REASON, "The reason"),
        feedback=_long(data, "feedback", MAX_FEEDBACK, "The feedback"),
        keeps=posted_keeps(data),
    )


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
    if verb != "remove-form" or row is None or not _NUMBER.fullmatch(place):
        return press
    value = str(values[int(place)]) if int(place) < len(values) else ""
    text = " ".join(value.split())
    at = [n for n, form in enumerate(row.forms) if " ".join(form.text.split()) == text]
    return f"{verb} {key} {at[0]}" if at else "save"


def why_excluded(data: FormData) -> str:
    """Return the reason for excluding the whole question; raise ResponseError if it is empty."""
    reason = _long(data, "exclude-why", MAX_REASON, "The reason")
    if not reason:
        raise ResponseError(
            "Write why the question is excluded. The people who answered it will see the reason."
        )
    return reason


def _misfit() -> ResponseError:
    return ResponseError(f"This form does not fit the answers to the question. {_RELOAD}")


def _long(data: FormData, name: str, most: int, what: str) -> str:
    values = data.getlist(name)
    return passage_of(values[-1] if values else "", most, what)


def _covers(data: FormData, tokens: Mapping[str, int]) -> tuple[int, ...]:
    """Return the annotations of the form's columns; a negative number for a withdrawn one."""
    names = [str(name) for name in data.getlist("column")]
    check_count(len(names), MAX_COLUMNS, "There are {count} columns. The maximum is {most}.")
    covers = tuple(tokens.get(name, -place) for place, name in enumerate(names, start=1))
    if not covers or len(set(covers)) != len(covers):
        raise _misfit()
    return covers


def _row(
    data: FormData, line: str, columns: Mapping[int, Contribution], known: Mapping[str, AnswerRow]
) -> AnswerRow:
    read = _ROW.fullmatch(line)
    if not read:
        raise _misfit()
    key, flags = read[1], read[3]
    members = tuple(Member(int(a), int(b)) for a, b in _PLACE.findall(read[2]))
    was = known.get(key)
    same = was is not None and was.members == members
    shown = [m for m in members if m.annotation in columns]
    for member in shown:
        if member.pair >= len(columns[member.annotation].pairs):
            raise _misfit()
    shared = was.shared if same and was is not None else shared_forms(columns, shown)
    whys = data.getlist(f"row-{key}-why")
    why = line_of(whys[-1] if whys else "", MAX_REASON, "The reason for excluding an answer")
    return AnswerRow(
        key=key,
        members=members,
        shared=shared,
        forms=forms_of(data, key, members, columns),
        phrasings=phrasings_of(data, key, members, columns, was),
        combined="c" in flags,
        excluded="x" in flags,
        why=why if "x" in flags else "",
        suggestion=was.suggestion if was else None,
    )


def forms_of(
    data: FormData,
    key: str,
    members: Sequence[Member],
    columns: Mapping[int, Contribution],
) -> tuple[Form, ...]:
    """Return the forms of a row, each with its origin if an annotator wrote it.

    A text identical to an annotator's counts as theirs, wherever it was typed.
    """
    origins: dict[str, FormOrigin] = {}
    for member in members:
        if member.annotation in columns:
            pair = columns[member.annotation].pairs[member.pair]
            for number, text in enumerate(pair.forms):
                origins.setdefault(text, (member.annotation, member.pair, number))
    texts, places = data.getlist(f"row-{key}-answer"), data.getlist(f"row-{key}-origin")
    if places and len(texts) != len(places):
        raise _misfit()
    forms = []
    for value, place in zip_longest(texts, places, fillvalue=""):
        origin = _form_origin(str(place), members, columns)
        own = _own_form(origin, columns)
        # An annotator's own form stays as it is, even if cleaning would change it.
        if value and value == own:
            forms.append(Form(own, origin))
            continue
        text = value if isinstance(value, str) and value in origins else ""
        text = text or line_of(value, MAX_ANSWER, "This form of an answer")
        if text:
            forms.append(Form(text, origins.get(text, origin)))
    check_count(len(forms), MAX_TEXTS, "An answer has {count} forms. The maximum is {most}.")
    return each_once(forms)


def _form_origin(
    place: str, members: Sequence[Member], columns: Mapping[int, Contribution]
) -> FormOrigin | None:
    if not place:
        return None
    read = _FORM.fullmatch(place)
    if not read or Member(int(read[1]), int(read[2])) not in members:
        raise _misfit()
    origin = int(read[1]), int(read[2]), int(read[3])
    if origin[0] in columns and origin[2] >= len(columns[origin[0]].pairs[origin[1]].forms):
        raise _misfit()
    return origin


def _own_form(origin: FormOrigin | None, columns: Mapping[int, Contribution]) -> str:
    """Return the original text of a form; empty where the validator wrote it."""
    if origin is None or origin[0] not in columns:
        return ""
    return columns[origin[0]].pairs[origin[1]].forms[origin[2]]


def phrasings_of(
    data: FormData,
    key: str,
    members: Sequence[Member],
    columns: Mapping[int, Contribution],
    was: AnswerRow | None = None,
) -> tuple[Phrasing, ...]:
    """Return the questions of a row. If any has text, at least one of them is kept."""
    texts, places = data.getlist(f"row-{key}-question"), data.getlist(f"row-{key}-from")
    if len(texts) != len(places):
        raise _misfit()
    check_count(len(texts), MAX_TEXTS, "An answer has {count} questions. The maximum is {most}.")
    ticked = {str(place) for place in data.getlist(f"row-{key}-keep")}
    phrasings: list[Phrasing] = []
    for number, (value, place) in enumerate(zip(texts, places, strict=True)):
        origin = _origin(str(place), members)
        own = (
            columns[origin[0]].pairs[origin[1]].question if origin and origin[0] in columns else ""
        )
        text = own if value == own and own else line_of(value, MAX_QUESTION, "The question")
        phrasings.append(Phrasing(text, origin, str(number) in ticked))
    # An emptied question keeps its place, so that page and draft number them alike.
    while phrasings and not phrasings[-1].text and phrasings[-1].origin is None:
        phrasings.pop()
    if any(phrasing.text for phrasing in phrasings) and not any(
        phrasing.kept and phrasing.text for phrasing in phrasings
    ):
        before = {phrasing.origin or phrasing.text for phrasing in was.kept} if was else set()
        last = next(
            (at for at, p in enumerate(phrasings) if p.text and (p.origin or p.text) in before),
            next(at for at, p in enumerate(phrasings) if p.text),
        )
        phrasings[last] = replace(phrasings[last], kept=True)
    return tuple(phrasings)


def _origin(place: str, members: Sequence[Member]) -> tuple[int, int] | None:
    if not place:
        return None
    read = _PLACE.fullmatch(place)
    if not read or Member(int(read[1]), int(read[2])) not in members:
        raise _misfit()
    return int(read[1]), int(read[2])


def _check_whole(
    rows: Sequence[AnswerRow], covers: Sequence[int], columns: Mapping[int, Contribution]
) -> None:
    """Raise ResponseError unless each answer is in exactly one row and the keys are unique."""
    members = [member for row in rows for member in row.members]
    wanted = {
        Member(column, place) for column, s in columns.items() for place in range(len(s.pairs))
    }
    twice = len(set(members)) != len(members) or len({row.key for row in rows}) != len(rows)
    if twice or not wanted <= set(members) or any(m.annotation >= len(covers) for m in members):
        raise _misfit()


def _verdict(data: FormData, number: int, before: bool | None) -> bool | None:
    """Return the verdict chosen on the page, or `before` if the choice there was not changed.

    A column with the same answers as an earlier one takes its verdict from there.
    """
    read = []
    like = data.getlist(f"verdict-{number}-as")
    shown = str(like[-1]) if like and re.fullmatch(r"[1-9]\d?", str(like[-1])) else number
    for name in (f"verdict-{shown}", f"verdict-{shown}-was"):
        values = data.getlist(name)
        text = str(values[-1]) if values else ""
        if text not in _WORDS:
            raise ResponseError(f"Annotator {number} can be correct or incorrect. {_RELOAD}")
        read.append(_WORDS[text])
    now, was = read
    return before if now is None or now == was else now
