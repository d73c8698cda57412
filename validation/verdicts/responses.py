"""A validator's response, as values: rows of answers, verdicts, and the result of both.

Nothing here uses Django. A response begins as the union of all annotations, put into rows by
``verdicts/merging.py``; the validator then changes rows and gives verdicts. One pure function of
the response (``build_result``) gives what is accepted, so that the preview and the database agree.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from annotation.sheets.fields import Keep
from metrics.text import answer_key
from validation.verdicts.merging import Member, cluster_answers

Kind = Literal["multiple", "single", "none"]
Change = Literal["none", "exclusion", "edit"]
PAST = 20
FormOrigin = tuple[int, int, int]
"""The column, the pair and the form that a text came from, each from 0."""


@dataclass(frozen=True, slots=True)
class ContributionPair:
    """A pair as its generator wrote it; the question is empty where the prompt itself is meant.

    `pk` is the pair's own id, `form_pks` those of its forms, so that accepted texts can name
    their source.
    """

    question: str
    forms: tuple[str, ...]
    pk: int | None = None
    form_pks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Contribution:
    """One generator's annotation, without its author."""

    annotation: int
    kind: Kind
    pairs: tuple[ContributionPair, ...] = ()
    none_reason: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """An accepted string; `origin`: the form it was before any edit, None if written here."""

    text: str
    origin: FormOrigin | None = None


@dataclass(frozen=True, slots=True)
class Phrasing:
    """A question of a row; `origin` is the (column, pair) it came from. Only kept ones count."""

    text: str
    origin: tuple[int, int] | None = None
    kept: bool = True


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answer of the final set: the annotators' answers in it, its forms and its phrasings.

    `shared` are the forms that merged its members automatically; `combined` says that the
    validator put members together. An excluded row stays with its reason, and can be restored.
    `suggestion` is the id of the suggestion it began as.
    """

    key: str
    members: tuple[Member, ...] = ()
    shared: tuple[str, ...] = ()
    forms: tuple[Form, ...] = ()
    phrasings: tuple[Phrasing, ...] = ()
    combined: bool = False
    excluded: bool = False
    why: str = ""
    suggestion: int | None = None

    @property
    def kept(self) -> tuple[Phrasing, ...]:
        """The phrasings that count, each text once."""
        return each_once(phrasing for phrasing in self.phrasings if phrasing.kept and phrasing.text)

    def with_texts(
        self, form: Callable[[Form], Form], phrasing: Callable[[Phrasing], Phrasing]
    ) -> "AnswerRow":
        """Return the row with each of its texts changed."""
        return replace(
            self,
            forms=tuple(map(form, self.forms)),
            phrasings=tuple(map(phrasing, self.phrasings)),
        )


@dataclass(frozen=True, slots=True)
class ValidationResponse:
    """Everything on the validation form.

    `covers` are the ids of the annotations in the order of the columns; no page shows them.
    `verdicts` are as chosen, None where the validator has not chosen. `past` are the rows before
    each change, the newest last, for undo.
    """

    covers: tuple[int, ...] = ()
    rows: tuple[AnswerRow, ...] = ()
    verdicts: tuple[bool | None, ...] = ()
    exclude_reason: str = ""
    feedback: str = ""
    keeps: tuple[Keep, ...] = ()
    past: tuple[tuple[AnswerRow, ...], ...] = field(default=())

    @property
    def standing(self) -> tuple[AnswerRow, ...]:
        """The rows that are in the final set."""
        return tuple(row for row in self.rows if not row.excluded)


@dataclass(frozen=True, slots=True)
class ProposedSet:
    """One set of answers that would be accepted; `column` if it is accepted as written."""

    kind: Literal["multiple", "single"]
    pairs: tuple[AnswerRow, ...]
    column: int | None = None


@dataclass(frozen=True, slots=True)
class ValidationResult:
    """The result of a response: the accepted sets, and the kind of change to the annotations.

    `left_out` are the answers that the validator took out of the final set, with the reason.
    """

    accepted: tuple[ProposedSet, ...]
    change: Change
    excluded: bool
    left_out: tuple[AnswerRow, ...] = ()

    @property
    def outcome(self) -> Literal["accepted", "edited", "excluded"]:
        """The resulting state of the question."""
        if self.excluded:
            return "excluded"
        return "accepted" if self.change == "none" else "edited"


# --- the beginning -----------------------------------------------------------------------------


def build_union_response(said: Sequence[Contribution]) -> ValidationResponse:
    """Return the response validation begins with: all answers, merged by shared forms (A41)."""
    annotations = [[pair.forms for pair in contribution.pairs] for contribution in said]
    rows = [
        row_of(said, cluster.members, key=f"r{number}", shared=cluster.shared)
        for number, cluster in enumerate(cluster_answers(annotations), start=1)
    ]
    return ValidationResponse(
        covers=tuple(contribution.annotation for contribution in said),
        rows=tuple(rows),
        verdicts=(None,) * len(said),
    )


def row_of(
    said: Sequence[Contribution], members: Sequence[Member], *, key: str, shared: Sequence[str] = ()
) -> AnswerRow:
    """Return a row with every form and every phrasing of its members, each once."""
    forms: dict[str, Form] = {}
    phrasings: dict[str, Phrasing] = {}
    for member in members:
        pair = said[member.annotation].pairs[member.pair]
        for place, text in enumerate(pair.forms):
            forms.setdefault(text, Form(text, (member.annotation, member.pair, place)))
        if pair.question:
            phrasings.setdefault(
                pair.question, Phrasing(pair.question, (member.annotation, member.pair))
            )
    return AnswerRow(
        key=key,
        members=tuple(members),
        shared=tuple(shared),
        forms=tuple(forms.values()),
        phrasings=tuple(phrasings.values()),
    )


def caught_up(response: ValidationResponse, said: Sequence[Contribution]) -> ValidationResponse:
    """Return the response for the annotations now in use.

    If annotations have been added or removed since it was made (a late generator, work left out),
    rows, verdicts and text stay; the answers of a new annotation join the rows that share a form
    with them or get rows of their own, and its verdict is open.
    """
    covers = tuple(contribution.annotation for contribution in said)
    if not response.covers:
        return build_union_response(said)
    if response.covers == covers:
        return response
    moved = {old: covers.index(pk) for old, pk in enumerate(response.covers) if pk in covers}
    rows = [_moved(row, moved) for row in response.rows]
    for column in sorted(set(range(len(said))) - set(moved.values())):
        for place in range(len(said[column].pairs)):
            _join(rows, said, Member(column, place))
    chosen = {moved[old]: v for old, v in enumerate(response.verdicts) if old in moved}
    return replace(
        response,
        covers=covers,
        rows=tuple(rows),
        verdicts=tuple(chosen.get(column) for column in range(len(said))),
        past=(),
    )


def _moved(row: AnswerRow, columns: Mapping[int, int]) -> AnswerRow:
    """Return the row with its columns renumbered; texts of a removed column lose their origin."""

    def moved(origin: Any) -> Any:
        known = origin and origin[0] in columns
        return (columns[origin[0]], *origin[1:]) if known else None

    members = (m for m in row.members if m.annotation in columns)
    return replace(
        row.with_texts(
            lambda form: replace(form, origin=moved(form.origin)),
            lambda asked: replace(asked, origin=moved(asked.origin)),
        ),
        members=tuple(Member(columns[m.annotation], m.pair) for m in members),
    )


def _join(rows: list[AnswerRow], said: Sequence[Contribution], newcomer: Member) -> None:
    """Put a new answer into the row that shares a form with it, or into a row of its own."""
    own = row_of(said, [newcomer], key=free_key(rows))
    keys = {answer_key(form.text) for form in own.forms} - {""}
    for place, row in enumerate(rows):
        shared = [form.text for form in row.forms if answer_key(form.text) in keys]
        if shared and all(m.annotation != newcomer.annotation for m in row.members):
            rows[place] = replace(
                row,
                members=(*row.members, newcomer),
                shared=tuple(dict.fromkeys((*row.shared, *shared))),
                forms=each_once((*row.forms, *own.forms)),
                phrasings=each_once((*row.phrasings, *own.phrasings)),
            )
            return
    rows.append(own)


def row_letter(place: int) -> str:
    """Return what a row is called by its place from 0: A to Z, then AA."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def free_key(rows: Iterable[AnswerRow]) -> str:
    """Return a key that no row has."""
    taken = {row.key for row in rows}
    return next(key for number in range(1, len(taken) + 2) if (key := f"r{number}") not in taken)


T = TypeVar("T", Form, Phrasing)


def each_once(texts: Iterable[T]) -> tuple[T, ...]:
    by_text: dict[str, T] = {}
    for item in texts:
        by_text.setdefault(item.text, item)
    return tuple(by_text.values())


# --- what follows ------------------------------------------------------------------------------


def has_changed_rows(response: ValidationResponse, said: Sequence[Contribution]) -> bool:
    """Whether the rows are any other than the union that validation began with."""
    return _content(response.rows) != _content(build_union_response(said).rows)


def _content(rows: Iterable[AnswerRow]) -> list[tuple[Any, ...]]:
    return sorted(
        (
            tuple((m.annotation, m.pair) for m in row.members),
            tuple(form.text for form in row.forms),
            tuple((phrasing.text, phrasing.kept) for phrasing in row.phrasings),
            row.excluded,
        )
        for row in rows
    )


def derive_verdicts(
    response: ValidationResponse, said: Sequence[Contribution]
) -> tuple[bool | None, ...]:
    """Return the verdict on each column that follows from the rows; None if the validator must say.

    Nothing follows until the validator changes the rows. Then an annotation is incorrect if one of
    its answers is excluded or it lacks one, and correct if its answers are exactly the accepted
    ones in its own words. If only its wording was changed, the validator has to say whether it was
    wrong.
    """
    if not has_changed_rows(response, said):
        return (None,) * len(said)
    standing = response.standing
    return tuple(
        _derived(column, contribution, standing) for column, contribution in enumerate(said)
    )


def _derived(column: int, said: Contribution, standing: Sequence[AnswerRow]) -> bool | None:
    homes = [
        next((row for row in standing if Member(column, place) in row.members), None)
        for place in range(len(said.pairs))
    ]
    missing = any(all(m.annotation != column for m in row.members) for row in standing)
    if missing or None in homes or not standing:
        return False
    own_words = all(
        row is not None and _in_own_words(pair, row, several=len(standing) > 1)
        for pair, row in zip(said.pairs, homes, strict=True)
    )
    return True if own_words else None


def _in_own_words(pair: ContributionPair, row: AnswerRow, *, several: bool) -> bool:
    """Whether a row has all forms of a pair and, if there are several rows, its question."""
    if not {*pair.forms} <= {form.text for form in row.forms}:
        return False
    return not several or pair.question in {phrasing.text for phrasing in row.kept}


def resolve_verdicts(
    response: ValidationResponse, said: Sequence[Contribution]
) -> tuple[bool | None, ...]:
    """Return the verdict on each column: the chosen one, otherwise the derived one."""
    return tuple(
        from_rows if chosen is None else chosen
        for chosen, from_rows in zip(
            response.verdicts, derive_verdicts(response, said), strict=True
        )
    )


def build_result(response: ValidationResponse, said: Sequence[Contribution]) -> ValidationResult:
    """Return what is accepted if this is submitted (A37, A38, A47).

    While the rows are unchanged, every annotation marked correct is accepted as written. Once
    they have been changed, the final set is accepted, as well as each annotation that is marked
    correct although it has other answers.
    """
    if response.exclude_reason:
        return ValidationResult((), "exclusion", excluded=True)
    marked = resolve_verdicts(response, said)
    alone = [as_written(said, column) for column, good in enumerate(marked) if good]
    alone = [accepted for accepted in alone if accepted.pairs]
    if not has_changed_rows(response, said):
        return ValidationResult(
            tuple(alone), "none" if all(marked) else "exclusion", excluded=False
        )
    rows = tuple(replace(row, phrasings=row.kept) for row in response.standing)
    own = derive_verdicts(response, said)
    beside = [
        accepted
        for accepted in alone
        if accepted.column is not None and own[accepted.column] is False
    ]
    final = [ProposedSet(_kind(rows), rows)] if rows else []
    return ValidationResult(
        (*final, *beside),
        "edit" if _edited(response, said) else "exclusion",
        excluded=False,
        left_out=tuple(row for row in response.rows if row.excluded),
    )


def as_written(said: Sequence[Contribution], column: int) -> ProposedSet:
    """Return an annotation as a set to accept."""
    rows = tuple(
        row_of(said, [Member(column, place)], key=f"c{column}p{place}")
        for place in range(len(said[column].pairs))
    )
    kind: Literal["multiple", "single"] = (
        "multiple" if said[column].kind == "multiple" else "single"
    )
    return ProposedSet(kind, rows, column)


def _kind(rows: Sequence[AnswerRow]) -> Literal["multiple", "single"]:
    return "multiple" if len(rows) > 1 else "single"


def _edited(response: ValidationResponse, said: Sequence[Contribution]) -> bool:
    """Whether anything was written, combined or separated, not only excluded."""
    start = {row.members: row for row in build_union_response(said).rows}
    for row in response.standing:
        before = start.get(row.members)
        if before is None:
            return True
        if not {f.text for f in row.forms} <= {f.text for f in before.forms}:
            return True
        if not {p.text for p in row.kept} <= {p.text for p in before.phrasings}:
            return True
    return False
