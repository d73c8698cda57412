"""Complete decisions: accepted texts with their origins, exclusions with reasons, verdicts.

The question page and the export of validations both read this. People are ids of users here; the
page turns them into names, the export into pseudonyms.
"""

import datetime as dt
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from annotation.exports.rows import Row, fetch_rows
from annotation.generation.stage import GENERATION
from validation.decisions.models import AcceptedAnnotation
from validation.decisions.statements import (
    ANNOTATIONS_IN_USE,
    EXCLUDED_ANSWERS,
    PAST_DECISIONS,
    PAST_SETS,
    VERDICTS_OF_VALIDATIONS,
    WRITTEN_ANSWERS,
)


@dataclass(frozen=True, slots=True)
class PairPlace:
    """A question-answer pair as its author submitted it; `number` counts from 1."""

    annotation: int
    author: int
    pair: int
    number: int


@dataclass(frozen=True, slots=True)
class Text:
    """An accepted text.

    origin: the submitted pair that it comes from, None where the person who decided wrote it, or
    where that pair was withdrawn; form: the number of the answer there, from 1, None for a
    question; original: the text there, the same as `text` unless it was edited; also: pairs of
    other annotators with exactly the same text.
    """

    text: str
    origin: PairPlace | None = None
    form: int | None = None
    original: str = ""
    edited: bool = False
    also: tuple[PairPlace, ...] = ()


@dataclass(frozen=True, slots=True)
class PairRecord:
    """An accepted answer with its questions; the only answer of a set has no question."""

    questions: tuple[Text, ...]
    answers: tuple[Text, ...]

    @property
    def places(self) -> tuple[PairPlace, ...]:
        """The submitted pairs that its texts come from, each once, in the order of the texts."""
        places = [
            place
            for text in (*self.questions, *self.answers)
            for place in (text.origin, *text.also)
            if place is not None
        ]
        return tuple(dict.fromkeys(places))


@dataclass(frozen=True, slots=True)
class AcceptedSetRecord:
    """One accepted set of answers: "multiple" or "single", as AcceptedAnnotation.Kind.

    annotation: the submission that is accepted as it was written, None where the set was put
    together from several or edited.
    """

    kind: str
    annotation: int | None
    pairs: tuple[PairRecord, ...]


@dataclass(frozen=True, slots=True)
class RemovedAnswer:
    """An answer that was taken out of the accepted set, with the pairs that had it."""

    answers: tuple[str, ...]
    questions: tuple[str, ...]
    reason: str
    places: tuple[PairPlace, ...]


@dataclass(frozen=True, slots=True)
class SubmissionVerdict:
    """The verdict on one submission; derived: the verdict that follows from the accepted set."""

    annotation: int
    author: int
    correct: bool
    derived: bool | None


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One decision with all that belongs to it; the codes are those of models.Decision.

    by: the person who made it, None for an import without one; assignment, seconds and keeps: the
    validator's assignment, its active seconds, and the warnings kept there with their reasons.
    """

    pk: int
    question: int
    source: str
    outcome: str
    change: str
    reason: str
    in_force: bool
    by: int | None
    at: dt.datetime
    replaces: int | None
    covers: tuple[int, ...]
    assignment: int | None = None
    seconds: int = 0
    keeps: Sequence[Mapping[str, str]] = ()
    sets: tuple[AcceptedSetRecord, ...] = ()
    excluded: tuple[RemovedAnswer, ...] = ()
    verdicts: tuple[SubmissionVerdict, ...] = ()


def read_decisions(decision_ids: Iterable[int]) -> list[DecisionRecord]:
    """Return decisions in the order of their ids. Five queries, however many there are."""
    rows = fetch_rows(PAST_DECISIONS, [list(decision_ids)])
    if not rows:
        return []
    pks = [row[0] for row in rows]
    written = _SubmissionTexts(pk for row in rows for pk in row[10])
    sets = _by_first(fetch_rows(PAST_SETS, [pks]))
    excluded = _by_first(fetch_rows(EXCLUDED_ANSWERS, [pks]))
    verdicts = _by_first(
        fetch_rows(VERDICTS_OF_VALIDATIONS, [[row[14] for row in rows if row[14]]])
    )
    return [
        _decided(
            row,
            sets=written.list_accepted_sets(sets.get(row[0], []), row[10]),
            excluded=tuple(
                RemovedAnswer(
                    tuple(exclusion[1]),
                    tuple(exclusion[2]),
                    exclusion[3],
                    written.places_of(exclusion[4]),
                )
                for exclusion in excluded.get(row[0], [])
            ),
            verdicts=tuple(
                SubmissionVerdict(*verdict[1:]) for verdict in verdicts.get(row[14], [])
            ),
        )
        for row in rows
    ]


def _decided(row: Row, **parts: Any) -> DecisionRecord:
    pk, question, source, outcome, change, reason, in_force, by, at, replaces, *rest = row
    covers, assignment, seconds, keeps, _ = rest
    return DecisionRecord(
        pk=pk,
        question=question,
        source=source,
        outcome=outcome,
        change=change,
        reason=reason,
        in_force=in_force,
        by=by,
        at=at,
        replaces=replaces,
        covers=tuple(covers),
        assignment=assignment,
        seconds=seconds,
        keeps=json.loads(keeps),
        **parts,
    )


def as_submitted(question_ids: Iterable[int]) -> dict[int, tuple[AcceptedSetRecord, ...]]:
    """Return the submissions in use on each question as accepted sets. Two queries.

    This is what is accepted where no decision is in force.
    """
    in_use = _by_first(fetch_rows(ANNOTATIONS_IN_USE, [list(question_ids), GENERATION]))
    written = _SubmissionTexts(row[1] for rows in in_use.values() for row in rows)
    return {
        question: tuple(written.as_accepted_set(row[1], row[2]) for row in rows)
        for question, rows in in_use.items()
    }


@dataclass(slots=True)
class _SubmittedPair:
    """One submitted pair: its place and question; its answers and their numbers, by id."""

    place: PairPlace
    question: str
    answers: dict[int, str] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)


class _SubmissionTexts:
    """The texts of some submissions, in which to look up origins of accepted texts. One query."""

    def __init__(self, annotation_ids: Iterable[int]) -> None:
        self.pairs: dict[int, _SubmittedPair] = {}
        self.pair_of: dict[int, int] = {}
        self.of_annotation: dict[int, list[_SubmittedPair]] = {}
        for row in fetch_rows(WRITTEN_ANSWERS, [sorted(set(annotation_ids))]):
            annotation, author, pair, position, question, answer, text, form = row
            own = self.pairs.get(pair)
            if own is None:
                own = _SubmittedPair(PairPlace(annotation, author, pair, position + 1), question)
                self.pairs[pair] = own
                self.of_annotation.setdefault(annotation, []).append(own)
            if answer is not None:
                own.answers[answer] = text
                own.numbers[answer] = form + 1
                self.pair_of[answer] = pair

    def places_of(self, pair_ids: Iterable[int]) -> tuple[PairPlace, ...]:
        """Return the places of pairs; those of withdrawn submissions are left out."""
        return tuple(self.pairs[pk].place for pk in pair_ids if pk in self.pairs)

    def as_accepted_set(self, annotation: int, kind: str) -> AcceptedSetRecord:
        """Return a submission as an accepted set."""
        single = kind == AcceptedAnnotation.Kind.SINGLE
        return AcceptedSetRecord(
            kind,
            annotation,
            tuple(
                PairRecord(
                    () if single else (Text(own.question, own.place, original=own.question),),
                    tuple(
                        Text(text, own.place, own.numbers[pk], text)
                        for pk, text in own.answers.items()
                    ),
                )
                for own in self.of_annotation.get(annotation, [])[: 1 if single else None]
            ),
        )

    def list_accepted_sets(
        self, rows: Sequence[Row], covers: Sequence[int]
    ) -> tuple[AcceptedSetRecord, ...]:
        """Return the accepted sets of one decision, made on the submissions in `covers`."""
        covered = [own for pk in covers for own in self.of_annotation.get(pk, [])]
        accepted = []
        for _, of_set in groupby(rows, itemgetter(1)):
            pairs = list(of_set)
            accepted.append(
                AcceptedSetRecord(
                    pairs[0][2],
                    pairs[0][3],
                    tuple(self._pair(row, covered) for row in pairs if row[4] is not None),
                )
            )
        return tuple(accepted)

    def _pair(self, row: Row, known: Sequence[_SubmittedPair]) -> PairRecord:
        questions = [
            self._question(*question, known)
            for question in zip(row[5], row[6], row[7], strict=True)
        ]
        answers = [
            self._answer(*answer, known) for answer in zip(row[8], row[9], row[10], strict=True)
        ]
        return PairRecord(tuple(questions), tuple(answers))

    def _question(
        self, text: str, pair: int | None, edited: bool, known: Sequence[_SubmittedPair]
    ) -> Text:
        origin = self.pairs.get(pair or 0)
        also = [own.place for own in known if own.question == text]
        return _text(text, origin, None, origin.question if origin else "", edited, also)

    def _answer(
        self, text: str, answer: int | None, edited: bool, known: Sequence[_SubmittedPair]
    ) -> Text:
        origin = self.pairs.get(self.pair_of.get(answer or 0, 0))
        original = origin.answers[answer] if origin and answer else ""
        form = origin.numbers[answer] if origin and answer else None
        also = [own.place for own in known if text in own.answers.values()]
        return _text(text, origin, form, original, edited, also)


def _text(
    text: str,
    origin: _SubmittedPair | None,
    form: int | None,
    original: str,
    edited: bool,
    also: Iterable[PairPlace],
) -> Text:
    """Return an accepted text; `also` names at most one pair of each other annotator."""
    if origin is None:
        return Text(text, edited=edited)
    others: dict[int, PairPlace] = {}
    for place in also:
        if place.annotation != origin.place.annotation:
            others.setdefault(place.annotation, place)
    return Text(text, origin.place, form, original, edited, tuple(others.values()))


def _by_first(rows: Iterable[Row]) -> dict[int, list[Row]]:
    return {key: list(group) for key, group in groupby(rows, itemgetter(0))}
