"""The accepted sets of a question as staff edit them when they rule on a claim.

A set is rows of answers, as on the sheet of validation, and the same code reads, edits, checks and
shows them. This module adds what only a ruling has: several sets, and annotations that are accepted
as written. Nothing here writes.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from annotation.sheets.fields import Form, FormData, ListField, SentTextField, TickField
from annotation.sheets.many import Many, PostedPart
from annotation.text.cleaning import ResponseError, check_count
from metrics.text import answer_key
from validation.verdicts import presses as editing
from validation.verdicts.fitting import fit_forms, fit_phrasings
from validation.verdicts.form import KEY, TEXTS, RowLines, pressed_on
from validation.verdicts.merging import Member
from validation.verdicts.responses import (
    AnswerRow,
    Change,
    Contribution,
    FormOrigin,
    ProposedSet,
    ValidationResponse,
    ValidationResult,
    as_written,
    build_union_response,
    free_key,
)

MAX_SETS = 10
_ON_ROWS = {"exclude", "move-up", "move-down", "remove-form", "restore"}
_SET = re.compile(r"s[1-9][0-9]{0,4}")
_NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_UNREADABLE = "This form cannot be read. Open it again."


@dataclass(frozen=True, slots=True)
class EditedSet:
    """One set that is to be accepted. Keys of rows are unique across all sets of a ruling."""

    key: str
    rows: tuple[AnswerRow, ...] = ()


@dataclass(frozen=True, slots=True)
class RulingEdits:
    """Everything on the form. `stand` are the annotations that are accepted as written."""

    stand: frozenset[int] = frozenset()
    sets: tuple[EditedSet, ...] = ()
    exclude: bool = False

    @property
    def rows(self) -> list[AnswerRow]:
        """The rows of all sets."""
        return [row for edited_set in self.sets for row in edited_set.rows]

    @property
    def content(self) -> tuple[object, ...]:
        """What is accepted, to be compared: without the origins of the texts."""
        texts = [
            [
                ([f.text for f in row.forms], [phrasing.text for phrasing in row.kept])
                for row in edited_set.rows
            ]
            for edited_set in self.sets
        ]
        return self.stand, texts, self.exclude


Stored = tuple[int | None, Sequence[AnswerRow]]
"""One accepted set as it is stored: the id of its annotation, if it is one, and its rows."""


def build_ruling_form(
    stored: Iterable[Stored], said: Sequence[Contribution], *, excluded: bool = False
) -> RulingEdits:
    """Return the accepted sets as the form first shows them."""
    in_use = {contribution.annotation for contribution in said}
    edited = RulingEdits(exclude=excluded)
    for annotation, rows in stored:
        if annotation in in_use and annotation is not None:
            edited = replace(edited, stand=edited.stand | {annotation})
        else:
            edited = _with_set(edited, rows)
    return edited


def _with_set(edited: RulingEdits, rows: Iterable[AnswerRow]) -> RulingEdits:
    """Return the ruling with another set, whose rows have no members but keep texts' origins."""
    taken, own = edited.rows, list[AnswerRow]()
    for row in rows:
        key = free_key((*taken, *own))
        own.append(AnswerRow(key=key, forms=row.forms, phrasings=row.phrasings))
    keys = {edited_set.key for edited_set in edited.sets}
    key = next(key for n in range(1, len(keys) + 2) if (key := f"s{n}") not in keys)
    return replace(edited, sets=(*edited.sets, EditedSet(key, tuple(own))))


# --- from the form -------------------------------------------------------------------------------


class StandField(ListField):
    """The annotations that are accepted as written, by their ids."""

    def from_post(self, data: FormData, name: str, where: str) -> Any:
        return frozenset(int(pk) for pk in map(str, data.getlist(name)) if _NUMBER.fullmatch(pk))


class SetsField(Many[EditedSet]):
    """Sets with their rows: ``set`` (a key) for each, ``row`` ("s1 r2") for each row of any set."""

    def list_posted(self, data: FormData) -> Sequence[FormData]:
        keys = [str(key) for key in data.getlist("set")]
        lines = [str(line).partition(" ") for line in data.getlist("row")]
        known = set(filter(_SET.fullmatch, keys))
        if len(known) < len(keys) or not {within for within, _, _ in lines} <= known:
            raise ResponseError(_UNREADABLE)
        rows = {key: [row for within, _, row in lines if within == key] for key in keys}
        return [PostedPart(data, own={"key": [key], "row": rows[key]}) for key in keys]


_KEY = SentTextField("A key", {})
_ROWS = RowLines(
    AnswerRow,
    "answer",
    "Answer",
    editing.MAX_ROWS,
    {"key": _KEY, **TEXTS},
    line=re.compile(f"(?P<key>{KEY})"),
    wrong=_UNREADABLE,
)
FORM = Form(
    RulingEdits,
    {
        "stand": StandField(),
        "sets": SetsField(EditedSet, "set", "Set", MAX_SETS, {"key": _KEY, "rows": _ROWS}),
        "exclude": TickField(),
    },
)


def from_post(post: FormData, said: Sequence[Contribution]) -> RulingEdits:
    """Read the form, whose rows have the texts of `validation.verdicts.form`.

    Raises ResponseError where it cannot be read.
    """
    edited = FORM.from_post(post)
    keys = [row.key for row in edited.rows]
    check_count(len(keys), editing.MAX_ROWS, "There are {count} answers. The maximum is {most}.")
    if len(set(keys)) < len(keys):
        raise ResponseError(_UNREADABLE)
    columns = dict(enumerate(said))

    def fit_row(row: AnswerRow) -> AnswerRow:
        members = _nearest((form.text for form in row.forms), said)
        return replace(
            row,
            forms=fit_forms(row.forms, members, columns),
            phrasings=fit_phrasings(row.phrasings, members, columns),
        )

    sets = (replace(each, rows=tuple(map(fit_row, each.rows))) for each in edited.sets)
    return replace(edited, sets=tuple(sets))


def apply_press(
    edited: RulingEdits, press: str, said: Sequence[Contribution], post: FormData
) -> RulingEdits:
    """Return the form after a press; presses on a row are those of `validation.verdicts.presses`.

    Unknown presses, and "save", change nothing.
    """
    verb, _, rest = press.partition(" ")
    if verb == "add-set":
        return _with_set(edited, [AnswerRow(key="")])
    if verb == "remove-set":
        return replace(
            edited, sets=tuple(edited_set for edited_set in edited.sets if edited_set.key != rest)
        )
    if verb == "copy":
        for column, contribution in enumerate(said):
            if str(contribution.annotation) == rest:
                copied = _with_set(edited, as_written(said, column).pairs)
                return replace(copied, stand=edited.stand - {contribution.annotation})
        return edited
    if verb == "add":
        return _changed(edited, rest, lambda rows: (*rows, AnswerRow(key=free_key(edited.rows))))
    key = rest.partition(" ")[0]
    at = next(
        (
            edited_set.key
            for edited_set in edited.sets
            if key in {row.key for row in edited_set.rows}
        ),
        "",
    )

    def on_row(rows: tuple[AnswerRow, ...]) -> tuple[AnswerRow, ...]:
        response = ValidationResponse(rows=rows)
        return editing.apply_press(response, pressed_on(press, response, post), said=said).rows

    return _changed(edited, at, on_row) if verb in _ON_ROWS else edited


def _changed(
    edited: RulingEdits, key: str, change: Callable[[tuple[AnswerRow, ...]], tuple[AnswerRow, ...]]
) -> RulingEdits:
    return replace(
        edited,
        sets=tuple(
            replace(edited_set, rows=change(edited_set.rows))
            if edited_set.key == key
            else edited_set
            for edited_set in edited.sets
        ),
    )


# --- where texts came from -----------------------------------------------------------------------


def attach_text_origins(
    rows: Iterable[AnswerRow], said: Sequence[Contribution]
) -> tuple[AnswerRow, ...]:
    """Return rows with the origin of each text that an annotator wrote, even if staff typed it."""
    return tuple(_sourced(row, said) for row in rows)


def _sourced(row: AnswerRow, said: Sequence[Contribution]) -> AnswerRow:
    texts: dict[str, FormOrigin] = {}
    questions: dict[str, tuple[int, int]] = {}
    for member in _nearest([form.text for form in row.forms], said):
        pair, place = said[member.annotation].pairs[member.pair], (member.annotation, member.pair)
        questions.setdefault(pair.question, place)
        for number, text in enumerate(pair.forms):
            texts.setdefault(text, (*place, number))
    return row.with_texts(
        lambda form: replace(form, origin=form.origin or texts.get(form.text)),
        lambda asked: replace(asked, origin=asked.origin or questions.get(asked.text)),
    )


def _nearest(texts: Iterable[str], said: Sequence[Contribution]) -> list[Member]:
    """Return all answers of the annotators, first those that share a form with these texts."""
    keys = {answer_key(text) for text in texts} - {""}
    members = [
        Member(column, n)
        for column, contribution in enumerate(said)
        for n in range(len(contribution.pairs))
    ]

    def far(member: Member) -> bool:
        forms = said[member.annotation].pairs[member.pair].forms
        return not keys & {answer_key(text) for text in forms}

    return sorted(members, key=far)


# --- what follows --------------------------------------------------------------------------------


def result_of(edited: RulingEdits, said: Sequence[Contribution]) -> ValidationResult:
    """Return the result of the form; its outcome follows from the changes, as for a validator."""
    if edited.exclude:
        return ValidationResult((), "exclusion", excluded=True)
    alone = [
        as_written(said, column)
        for column, contribution in enumerate(said)
        if contribution.annotation in edited.stand and contribution.pairs
    ]
    made = [
        _accepted(attach_text_origins(edited_set.rows, said))
        for edited_set in edited.sets
        if edited_set.rows
    ]
    change: Change
    if made:
        change = (
            "exclusion"
            if all(_only_left_out(accepted.pairs, said) for accepted in made)
            else "edit"
        )
    else:
        everything = all(contribution.annotation in edited.stand for contribution in said)
        change = "none" if everything else "exclusion"
    return ValidationResult((*made, *alone), change, excluded=False)


def _accepted(rows: tuple[AnswerRow, ...]) -> ProposedSet:
    in_final_set = tuple(replace(row, phrasings=row.kept) for row in rows)
    return ProposedSet("multiple" if len(rows) > 1 else "single", in_final_set)


def _only_left_out(rows: Iterable[AnswerRow], said: Sequence[Contribution]) -> bool:
    """Whether each row is part of one row of the union: nothing was written or combined."""
    start = build_union_response(said).rows
    return all(
        any(
            {form.text for form in row.forms} <= {form.text for form in whole.forms}
            and {phrasing.text for phrasing in row.phrasings}
            <= {phrasing.text for phrasing in whole.phrasings}
            for whole in start
        )
        for row in rows
    )
