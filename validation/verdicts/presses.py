"""Presses on the validation form, as values: each turns a response into another.

A press is the value of the button that was used: a verb and its object, such as "exclude r2" (a
row by its key) or "derive 1" (a column from 1). Nothing is saved here. Every change of the rows can
be undone: the rows before it are appended to ``past``. Texts are changed by the form itself
(validation.verdicts.form); ``record_undo_step`` records them in ``past``.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from annotation.text.cleaning import ResponseError
from metrics.text import answer_key
from validation.verdicts.merging import Member
from validation.verdicts.responses import (
    PAST,
    AnswerRow,
    Contribution,
    Phrasing,
    ValidationResponse,
    build_union_response,
    each_once,
    free_key,
    row_of,
)

MAX_ROWS = 300
# Maximum characters of all undo steps together: a draft has 400,000 bytes.
MAX_PAST = 120_000
_FRAME = 80
_NUMBER = re.compile(r"\d{1,4}", re.ASCII)
Rows = tuple[AnswerRow, ...]


def apply_press(
    response: ValidationResponse,
    press: str,
    *,
    said: Sequence[Contribution],
    selected: Collection[str] = (),
) -> ValidationResponse:
    """Return the response after the press. Unknown presses, and "save", change nothing.

    ``selected`` are the keys of the ticked rows: combine needs two; separate and exclude use
    them where the press names no row. Raises ResponseError only beyond MAX_ROWS.
    """
    verb, _, rest = press.partition(" ")
    if verb == "undo":
        return undo_last_change(response)
    if verb == "derive":
        return _following(response, rest)
    if verb == "include":
        return replace(response, exclude_reason="")
    keys = {rest} if rest else set(selected)
    rows = response.rows
    if verb == "reset":
        return changed_to(response, build_union_response(said).rows)
    if verb == "add":
        if len(rows) >= MAX_ROWS:
            raise ResponseError(f"There are {len(rows)} answers. The maximum is {MAX_ROWS}.")
        return changed_to(response, (*rows, AnswerRow(key=free_key(rows))))
    if verb in _ON_ONE:
        key, _, place = rest.partition(" ")
        return changed_to(response, _ON_ONE[verb](rows, key, place, said))
    if verb in _ON_SOME:
        return changed_to(response, _ON_SOME[verb](rows, keys, said))
    return response


def anchor_after_press(
    response: ValidationResponse, press: str, *, before: ValidationResponse
) -> str:
    """Return the id of the element to look at after the press."""
    verb, _, rest = press.partition(" ")
    key, _, place = rest.partition(" ")
    keys = [row.key for row in response.rows]
    if verb == "add" and len(keys) > len(before.rows):
        return f"row-{keys[-1]}-answer"
    if verb == "restore" and key in keys and _NUMBER.fullmatch(place):
        return f"row-{key}-question-{int(place) + 1}"
    if verb == "remove-form" and key in keys:
        return f"row-{key}-answer"
    if verb == "derive" and _NUMBER.fullmatch(rest):
        return f"verdict-{int(rest)}"
    if verb in ("include", "exclude-question"):
        return "checks-title"
    if verb == "exclude" and (gone := _newly(before.rows, response.rows)):
        return f"row-{gone[0]}-why"
    if key in keys:
        return f"cluster-{key}"
    touched = _touched(before.rows, response.rows)
    if touched:
        return f"cluster-{touched[0]}"
    if key in (before_keys := [row.key for row in before.rows]) and keys:
        return f"cluster-{keys[min(before_keys.index(key), len(keys) - 1)]}"
    return "write"


# --- what came before ----------------------------------------------------------------------------


def changed_to(response: ValidationResponse, rows: Iterable[AnswerRow]) -> ValidationResponse:
    """Return the response with other rows; undo brings back those it had."""
    rows = tuple(rows)
    if rows == response.rows:
        return response
    return replace(response, rows=rows, past=_kept((*response.past, response.rows)))


def record_undo_step(stored: ValidationResponse, posted: ValidationResponse) -> ValidationResponse:
    """Return the posted response with the past of the stored one.

    Typing in one row is one undo step, however often it was saved; a change of texts in another
    row is a step of its own.
    """
    if posted.rows == stored.rows:
        return replace(posted, past=stored.past)
    past = stored.past
    row = _only_text(stored.rows, posted.rows)
    if not (past and row is not None and row == _only_text(past[-1], stored.rows)):
        past = _kept((*past, stored.rows))
    return replace(posted, past=past)


def undo_last_change(response: ValidationResponse) -> ValidationResponse:
    """Return the response with the rows before the last change."""
    if not response.past:
        return response
    return replace(response, rows=response.past[-1], past=response.past[:-1])


def _kept(past: tuple[Rows, ...]) -> tuple[Rows, ...]:
    """Return as many of the last undo steps as a draft has room for."""
    past = past[-PAST:]
    while len(past) > 1 and sum(map(_size, past)) > MAX_PAST:
        past = past[1:]
    return past


def _size(rows: Rows) -> int:
    """Return roughly how many characters these rows take in a draft."""
    texts = [text for row in rows for text in (row.why, *row.shared)]
    for row in rows:
        texts += [form.text for form in row.forms] + [phrasing.text for phrasing in row.phrasings]
    frames = len(texts) + sum(1 + len(row.members) for row in rows)
    return sum(map(len, texts)) + _FRAME * frames


def _only_text(before: Rows, after: Rows) -> str | None:
    """Return the key of the only row that differs, and only in its texts; otherwise None."""
    if len(before) != len(after):
        return None
    differing = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    if len(differing) != 1 or _shape(differing[0][0]) != _shape(differing[0][1]):
        return None
    return differing[0][1].key


def _shape(row: AnswerRow) -> tuple[object, ...]:
    return (row.key, row.members, row.combined, row.excluded)


def describe_change(before: Sequence[AnswerRow], after: Sequence[AnswerRow]) -> str:
    """Return in a few words what one change did; empty where nothing changed."""
    old, new = {row.key: row for row in before}, {row.key: row for row in after}
    if tuple(before) == tuple(after):
        return ""
    if old.keys() == new.keys():
        differing = [key for key in new if new[key] != old[key]]
        gone = [key for key in differing if new[key].excluded and not old[key].excluded]
        back = [key for key in differing if old[key].excluded and not new[key].excluded]
        if gone and len(gone) == len(differing):
            return f"Excluded {_names(new[key] for key in gone)}"
        if back and len(back) == len(differing):
            return f"Restored {_names(new[key] for key in back)}"
        if not differing:
            places = {row.key: place for place, row in enumerate(before)}
            moved = [row for place, row in enumerate(after) if places[row.key] != place]
            return f"Moved {name_of(moved[0])}"
        if len(differing) == 1 and _shape(old[differing[0]]) == _shape(new[differing[0]]):
            return f"Edited {name_of(new[differing[0]])}"
    lost = [old[key] for key in old if key not in new]
    fresh = [new[key] for key in new if key not in old]
    if lost and not fresh and all(row.members for row in lost):
        return f"Combined {_names([row for row in before if _gone_into(row, lost, new)])}"
    if lost and not fresh:
        return f"Removed {_names(lost)}"
    if fresh and not lost and all(not row.members for row in fresh):
        return "Added an answer"
    if fresh and not lost:
        split = [row for row in before if len(row.members) > len(new[row.key].members)]
        return f"Separated {_names(split)}"
    return "Changed the answers"


def _gone_into(row: AnswerRow, lost: Sequence[AnswerRow], new: Mapping[str, AnswerRow]) -> bool:
    return row in lost or len(new[row.key].members) > len(row.members)


def _newly(before: Rows, after: Rows) -> list[str]:
    old = {row.key: row.excluded for row in before}
    return [row.key for row in after if row.excluded and not old.get(row.key, False)]


def _touched(before: Rows, after: Rows) -> list[str]:
    """Return the keys of the rows that differ from before, in their order."""
    old = {row.key: row for row in before}
    return [row.key for row in after if old.get(row.key) != row]


def name_of(row: AnswerRow) -> str:
    """Return what sentences call a row: its first form in quotation marks, cut to 40 characters."""
    if not row.forms:
        return "an empty answer"
    text = row.forms[0].text
    return f"“{text if len(text) <= 40 else text[:39].rstrip() + '…'}”"


def _names(rows: Iterable[AnswerRow]) -> str:
    names = [name_of(row) for row in rows]
    if len(names) > 3:
        return f"{len(names)} answers"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


# --- presses on rows -----------------------------------------------------------------------------


def _following(response: ValidationResponse, rest: str) -> ValidationResponse:
    """Derive verdicts from the rows again; "1+2" means columns that wrote the same."""
    chosen = list(response.verdicts)
    for number in rest.split("+"):
        if _NUMBER.fullmatch(number) and 0 < int(number) <= len(chosen):
            chosen[int(number) - 1] = None
    return replace(response, verdicts=tuple(chosen))


def _combined(rows: Rows, keys: Collection[str], said: Sequence[Contribution]) -> Rows:
    """Merge the chosen answers that are not excluded into the first of them."""
    chosen = [row for row in rows if row.key in keys and not row.excluded]
    if len(chosen) < 2:
        return rows
    texts: dict[str, Phrasing] = {}
    for phrasing in (p for row in chosen for p in row.phrasings):
        earlier = texts.get(phrasing.text)
        if earlier is None or (phrasing.kept and not earlier.kept):
            texts[phrasing.text] = phrasing
    whole = replace(
        chosen[0],
        members=tuple(member for row in chosen for member in row.members),
        shared=each_text(text for row in chosen for text in row.shared),
        forms=each_once(form for row in chosen for form in row.forms),
        phrasings=tuple(texts.values()),
        combined=True,
        suggestion=next((row.suggestion for row in chosen if row.suggestion), None),
    )
    gone = {row.key for row in chosen[1:]}
    return tuple(whole if row.key == whole.key else row for row in rows if row.key not in gone)


def each_text(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts without repetitions."""
    return tuple(dict.fromkeys(texts))


def _separated(rows: Rows, keys: Collection[str], said: Sequence[Contribution]) -> Rows:
    """Give each member of the chosen rows a row of its own, as its author wrote it.

    Edited texts stay edited; texts written by the validator stay with the first.
    """
    separated: list[AnswerRow] = list(rows)
    for row in rows:
        if row.key not in keys or len(row.members) < 2 or row.excluded:
            continue
        at = separated.index(row)
        parts = [_part(row, row.members[0], row.key, said)]
        for member in row.members[1:]:
            parts.append(_part(row, member, free_key((*separated, *parts)), said))
        parts[0] = replace(
            parts[0],
            forms=each_once((*parts[0].forms, *(f for f in row.forms if f.origin is None))),
            phrasings=each_once(
                (*parts[0].phrasings, *(p for p in row.phrasings if p.origin is None))
            ),
        )
        separated[at : at + 1] = parts
    return tuple(separated)


def _part(row: AnswerRow, member: Member, key: str, said: Sequence[Contribution]) -> AnswerRow:
    """Return one member of a row as a row of its own, with the edits of its texts."""
    forms: dict[object, str] = {form.origin: form.text for form in row.forms}
    questions: dict[object, str] = {p.origin: p.text for p in row.phrasings if p.text}
    part = row_of(said, [member], key=key).with_texts(
        lambda form: replace(form, text=forms.get(form.origin, form.text)),
        lambda asked: replace(asked, text=questions.get(asked.origin, asked.text)),
    )
    return replace(part, forms=each_once(part.forms))


def _changed(rows: Rows, keys: Collection[str], **changes: Any) -> Rows:
    return tuple(replace(row, **changes) if row.key in keys else row for row in rows)


def _excluded(rows: Rows, keys: Collection[str], said: Sequence[Contribution]) -> Rows:
    """Take answers out of the final set; one that the validator added is deleted."""
    left = tuple(row for row in rows if row.members or row.key not in keys)
    return _changed(left, keys, excluded=True)


def _put_back(rows: Rows, keys: Collection[str], said: Sequence[Contribution]) -> Rows:
    return _changed(rows, keys, excluded=False, why="")


def _up(rows: Rows, key: str, place: str, said: Sequence[Contribution]) -> Rows:
    at = next((at for at, row in enumerate(rows) if row.key == key), 0)
    if at == 0:
        return rows
    return (*rows[: at - 1], rows[at], rows[at - 1], *rows[at + 1 :])


def _down(rows: Rows, key: str, place: str, said: Sequence[Contribution]) -> Rows:
    at = next((at for at, row in enumerate(rows) if row.key == key), len(rows))
    return _up(rows, rows[at + 1].key, place, said) if at + 1 < len(rows) else rows


def _without_form(rows: Rows, key: str, place: str, said: Sequence[Contribution]) -> Rows:
    row = next((row for row in rows if row.key == key), AnswerRow(key))
    left = tuple(form for at, form in enumerate(row.forms) if str(at) != place)
    return _changed(rows, [key], forms=left)


def _restored(rows: Rows, key: str, place: str, said: Sequence[Contribution]) -> Rows:
    """Put a generator's own words back into a question."""
    row = next((row for row in rows if row.key == key), AnswerRow(key))
    phrasings = list(row.phrasings)
    for at, phrasing in enumerate(phrasings):
        if str(at) == place and phrasing.origin is not None:
            column, pair = phrasing.origin
            phrasings[at] = replace(phrasing, text=said[column].pairs[pair].question)
    return _changed(rows, [key], phrasings=tuple(phrasings))


_ON_SOME: Mapping[str, Callable[[Rows, Collection[str], Sequence[Contribution]], Rows]] = {
    "combine": _combined,
    "separate": _separated,
    "exclude": _excluded,
    "put-back": _put_back,
}
_ON_ONE: Mapping[str, Callable[[Rows, str, str, Sequence[Contribution]], Rows]] = {
    "move-up": _up,
    "move-down": _down,
    "remove-form": _without_form,
    "restore": _restored,
}


# --- why a row is one ----------------------------------------------------------------------------


def shared_forms(said: Mapping[int, Contribution], members: Sequence[Member]) -> tuple[str, ...]:
    """Return the forms that two or more members wrote, as first written."""
    first: dict[str, str] = {}
    seen: dict[str, set[Member]] = {}
    for member in members:
        for text in said[member.annotation].pairs[member.pair].forms:
            if key := answer_key(text):
                first.setdefault(key, text)
                seen.setdefault(key, set()).add(member)
    return tuple(first[key] for key in first if len(seen[key]) > 1)
