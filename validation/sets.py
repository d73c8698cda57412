"""The accepted sets of a question as staff edit them: from what is accepted, to a result.

Nothing here writes. A set is a list of pairs; a pair has accepted wordings of its question and
accepted forms of its answer, one per line of the form. As well as sets that staff put together,
each annotation can be accepted as it was written. A line that is changed keeps its origin.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from annotation.cleaning import ResponseError
from metrics.text import answer_key
from validation.merging import Member
from validation.responses import (
    Accepted,
    Contribution,
    Form,
    FormOrigin,
    Phrasing,
    Result,
    Row,
    as_written,
    each_once,
    union,
)

MOST_SETS, MOST_PAIRS, MOST_LINES, LONGEST = 10, 50, 30, 1000
_OF = re.compile(r"([1-9]\d{0,18})\.(\d{1,3})", re.ASCII)


@dataclass(frozen=True, slots=True)
class EditedPair:
    """One pair: wordings (none where there is one answer, to the prompt itself) and forms.

    `of` names the pair that it is a copy of: the annotation and the place in it. `sources` and
    `asked` say of stored texts which form and which question they were, before any edit.
    """

    key: str
    questions: tuple[str, ...] = ()
    forms: tuple[str, ...] = ()
    of: tuple[int, int] | None = field(default=None, compare=False)
    sources: Mapping[str, FormOrigin] = field(default_factory=dict, compare=False)
    asked: Mapping[str, tuple[int, int]] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class EditedSet:
    """One set of pairs that is to be accepted."""

    key: str
    pairs: tuple[EditedPair, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """Everything on the form. `stand` are the annotations that stand as they were written."""

    stand: frozenset[int] = frozenset()
    sets: tuple[EditedSet, ...] = ()
    exclude: bool = False

    def pair(self, key: str) -> EditedPair | None:
        """Return the pair with this key."""
        return next((p for each in self.sets for p in each.pairs if p.key == key), None)


Stored = tuple[int | None, Sequence[Row]]
"""One accepted set as it is kept: the annotation that it is, if any, and its rows."""


def standing(
    stored: Iterable[Stored], said: Sequence[Contribution], *, excluded: bool = False
) -> Edited:
    """Return what stands, as the form begins with it."""
    there = {each.annotation for each in said}
    stand: set[int] = set()
    sets: list[EditedSet] = []
    for annotation, rows in stored:
        if annotation in there and annotation is not None:
            stand.add(annotation)
        else:
            sets.append(_set(f"s{len(sets) + 1}", rows))
    return Edited(frozenset(stand), tuple(sets), excluded)


def _set(key: str, rows: Iterable[Row]) -> EditedSet:
    return EditedSet(
        key,
        tuple(
            EditedPair(
                f"{key}p{place}",
                tuple(each.text for each in row.kept),
                tuple(form.text for form in row.forms),
                sources={form.text: form.origin for form in row.forms if form.origin},
                asked={each.text: each.origin for each in row.kept if each.origin},
            )
            for place, row in enumerate(rows, start=1)
        ),
    )


# --- from the form -----------------------------------------------------------------------------


def from_post(post: Mapping[str, str], stand: Iterable[str]) -> Edited:
    """Read the form. Raises ResponseError with a sentence where it is not one of ours."""
    keys = _keys(post.get("sets", ""), MOST_SETS)
    sets = []
    for key in keys:
        pairs = _keys(post.get(f"pairs-{key}", ""), MOST_PAIRS)
        sets.append(
            EditedSet(
                key,
                tuple(
                    EditedPair(
                        pair,
                        _lines(post.get(f"questions-{pair}", "")),
                        _lines(post.get(f"answers-{pair}", "")),
                        _of(post.get(f"of-{pair}", "")),
                    )
                    for pair in pairs
                ),
            )
        )
    return Edited(
        frozenset(int(pk) for pk in stand if pk.isascii() and pk.isdigit() and len(pk) < 19),
        tuple(sets),
        bool(post.get("exclude")),
    )


def _keys(text: str, most: int) -> list[str]:
    keys = list(dict.fromkeys(text.split()))
    if len(keys) > most:
        raise ResponseError(f"There are {len(keys)} parts on the form. The maximum is {most}.")
    if not all(key.isascii() and key.isalnum() and len(key) < 20 for key in keys):
        raise ResponseError("This form cannot be read. Open it again.")
    return keys


def _of(text: str) -> tuple[int, int] | None:
    read = _OF.fullmatch(text)
    return (int(read[1]), int(read[2])) if read else None


def _lines(text: str) -> tuple[str, ...]:
    lines = dict.fromkeys(
        clean for line in text.replace("\x00", "").splitlines() if (clean := " ".join(line.split()))
    )
    if len(lines) > MOST_LINES:
        raise ResponseError(f"One field has {len(lines)} lines. The maximum is {MOST_LINES}.")
    if any(len(line) > LONGEST for line in lines):
        raise ResponseError(f"A line has at most {LONGEST:,} characters.")
    return tuple(lines)


def pressed(edited: Edited, action: str, said: Sequence[Contribution]) -> Edited:
    """Return the form after a button: a pair or a set comes or goes, or an annotation is copied."""
    verb, _, key = action.partition(" ")
    if verb == "add-set":
        new = _free("s", (each.key for each in edited.sets))
        return replace(edited, sets=(*edited.sets, EditedSet(new, (EditedPair(f"{new}p1"),))))
    if verb == "remove-set":
        return replace(edited, sets=tuple(each for each in edited.sets if each.key != key))
    if verb == "add-pair":
        return replace(edited, sets=tuple(_with_pair(each, key) for each in edited.sets))
    if verb == "remove-pair":
        return replace(
            edited,
            sets=tuple(
                replace(each, pairs=tuple(p for p in each.pairs if p.key != key))
                for each in edited.sets
            ),
        )
    if verb == "copy":
        column = next((n for n, each in enumerate(said) if str(each.annotation) == key), None)
        if column is not None:
            new = _free("s", (each.key for each in edited.sets))
            copy = _set(new, as_written(said, column).pairs)
            pairs = tuple(
                replace(pair, of=(said[column].annotation, place))
                for place, pair in enumerate(copy.pairs)
            )
            return replace(
                edited,
                stand=edited.stand - {said[column].annotation},
                sets=(*edited.sets, replace(copy, pairs=pairs)),
            )
    raise ResponseError("This form cannot be read. Open it again.")


def _with_pair(each: EditedSet, key: str) -> EditedSet:
    if each.key != key:
        return each
    new = _free(f"{key}p", (pair.key for pair in each.pairs))
    return replace(each, pairs=(*each.pairs, EditedPair(new)))


def _free(stem: str, taken: Iterable[str]) -> str:
    used = set(taken)
    return next(key for n in range(1, len(used) + 2) if (key := f"{stem}{n}") not in used)


# --- what follows ------------------------------------------------------------------------------


def rows_of(each: EditedSet, said: Sequence[Contribution], before: Edited) -> tuple[Row, ...]:
    """Return a set as rows that know where each of their texts came from."""
    return tuple(
        _row(pair, said, before.pair(pair.key) or _copied(pair, said)) for pair in each.pairs
    )


def _copied(pair: EditedPair, said: Sequence[Contribution]) -> EditedPair | None:
    """Return the pair that one was copied from, as it was written; None where it is not a copy."""
    for column, each in enumerate(said):
        if pair.of and each.annotation == pair.of[0] and pair.of[1] < len(each.pairs):
            [copy] = _set("", [as_written(said, column).pairs[pair.of[1]]]).pairs
            return copy
    return None


def _row(pair: EditedPair, said: Sequence[Contribution], before: EditedPair | None) -> Row:
    keys = {answer_key(text) for text in pair.forms} - {""}
    near = [
        Member(column, place)
        for column, each in enumerate(said)
        for place, own in enumerate(each.pairs)
        if keys & {answer_key(text) for text in own.forms}
    ]
    sources, asked = (before.sources, before.asked) if before else ({}, {})
    forms = _renamed(pair.forms, before.forms if before else ())
    questions = _renamed(pair.questions, before.questions if before else ())
    return Row(
        key=pair.key,
        forms=tuple(
            Form(text, sources.get(was) or _form_origin(was, near, said)) for text, was in forms
        ),
        phrasings=tuple(
            Phrasing(text, asked.get(was) or _question_origin(was, near, said))
            for text, was in questions
        ),
    )


def _renamed(now: Sequence[str], before: Sequence[str]) -> list[tuple[str, str]]:
    """Return each text with what it was: itself, or the text that went when it came."""
    gone = [text for text in before if text not in now]
    return [(text, text if text in before or not gone else gone.pop(0)) for text in now]


def _form_origin(
    text: str, near: Sequence[Member], said: Sequence[Contribution]
) -> FormOrigin | None:
    for column, place in _nearest_first(near, said):
        forms = said[column].pairs[place].forms
        if text in forms:
            return column, place, forms.index(text)
    return None


def _question_origin(
    text: str, near: Sequence[Member], said: Sequence[Contribution]
) -> tuple[int, int] | None:
    for column, place in _nearest_first(near, said):
        if said[column].pairs[place].question == text:
            return column, place
    return None


def _nearest_first(near: Sequence[Member], said: Sequence[Contribution]) -> list[tuple[int, int]]:
    first = [(member.annotation, member.pair) for member in near]
    rest = [(column, place) for column, each in enumerate(said) for place in range(len(each.pairs))]
    return list(dict.fromkeys([*first, *rest]))


def result_of(edited: Edited, said: Sequence[Contribution], before: Edited) -> Result:
    """Return what staff accept: the outcome follows from what was changed, as for a validator."""
    if edited.exclude:
        return Result((), "exclusion", excluded=True)
    alone = [
        as_written(said, column)
        for column, each in enumerate(said)
        if each.annotation in edited.stand and each.pairs
    ]
    made = [_accepted(rows_of(each, said, before)) for each in edited.sets if each.pairs]
    if made:
        change: Literal["none", "exclusion", "edit"] = (
            "exclusion" if all(_only_left_out(each.pairs, said) for each in made) else "edit"
        )
    else:
        everything = all(each.annotation in edited.stand for each in said)
        change = "none" if everything else "exclusion"
    return Result((*made, *alone), change, excluded=False)


def _accepted(rows: tuple[Row, ...]) -> Accepted:
    kept = tuple(replace(row, phrasings=each_once(row.phrasings)) for row in rows)
    return Accepted("multiple" if len(rows) > 1 else "single", kept)


def _only_left_out(rows: Iterable[Row], said: Sequence[Contribution]) -> bool:
    """Whether each row is part of one row of the union: nothing was written or combined."""
    start = union(said).rows
    return all(
        any(
            {form.text for form in row.forms} <= {form.text for form in whole.forms}
            and {each.text for each in row.phrasings} <= {each.text for each in whole.phrasings}
            for whole in start
        )
        for row in rows
    )
