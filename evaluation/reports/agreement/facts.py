"""What the panels of agreement are made from: questions that several people answered."""

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any, TypeVar

from annotation.exports.rows import fetch_rows
from annotation.figures.filters import Filters
from annotation.figures.panel import Value, of_shown
from annotation.figures.registry import Request
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.stages import registry as stages
from evaluation.reports.agreement.statements import ANSWERED_QUESTIONS, WRITERS
from metrics import agreement
from metrics.score import Evaluation, Figure
from validation.agreement import project_report
from validation.agreement.facts import read_facts
from validation.agreement.figures import AgreementFacts, ValidatorResult
from validation.agreement.long_answer_figures import WrittenAnswers, compare_writers
from validation.agreement.reporting import Unit, label_figures

Key = TypeVar("Key")
# A pair of people by id, the smaller first, and how close their answers are, 0 to 1.
Pair = tuple[int, int, float]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that people answered here. day: of its last answer. people: who answered."""

    pk: int
    text: str
    split: str
    day: dt.date
    people: frozenset[int]

    def within(self, filters: Filters) -> bool:
        """Whether the filters leave it in: its day in the period, and everyone chosen answered."""
        if not filters.narrow:
            return True
        chosen = {filters.person, filters.other} - {None}
        return (
            (filters.since is None or filters.since <= self.day)
            and (filters.until is None or self.day <= filters.until)
            and chosen <= self.people
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """A question that two or more people answered, with every pair of them."""

    asked: Asked
    pairs: tuple[Pair, ...]

    @property
    def value(self) -> float:
        """How close the answers are, 0 to 1: mean over the pairs."""
        return sum(value for *_, value in self.pairs) / len(self.pairs)


def read_asked(request: Request) -> dict[str, Asked]:
    """Return the questions that people answered here, by external id, whatever the filters say."""
    values = _values(request) | {"stages": stages.list_writing_stages(request.project)}
    return {
        name: Asked(pk, text, split, day, frozenset(people))
        for pk, name, text, split, day, people in fetch_rows(ANSWERED_QUESTIONS, values)
    }


def read_every_fact(request: Request) -> tuple[list[AgreementFacts], list[ValidatorResult]]:
    """Return all questions and validators' results, whatever the filters say."""
    return read_facts(request.project, request.filters.split or None)


def select_facts(request: Request) -> list[tuple[Asked, AgreementFacts]]:
    """Return the answered questions that the filters leave in."""
    asked = request.once(read_asked)
    return [
        (asked[row.question], row)
        for row in request.once(read_every_fact)[0]
        if row.question in asked and asked[row.question].within(request.filters)
    ]


def read_long_answers(request: Request) -> list[WrittenAnswers]:
    """Return the accepted questions with their long answers, whatever the filters say."""
    return project_report.read_written_answers(request.project, request.filters.split or None)


def select_long_answers(request: Request) -> list[tuple[Asked, WrittenAnswers]]:
    """Return the accepted questions that people wrote about here and the filters leave in."""
    asked = request.once(read_asked)
    return [
        (asked[row.question], row)
        for row in request.once(read_long_answers)
        if row.question in asked and asked[row.question].within(request.filters)
    ]


def select_compared(request: Request) -> list[Compared]:
    """Return what two or more people answered: by F1-answer, long answers by ROUGE-L.

    With people chosen, only the pairs that they are in.
    """
    if is_long(request):
        rows = _long_compared(request)
    else:
        rows = [
            Compared(
                asked,
                _pairs(
                    [each.person for each in row.given],
                    agreement.pair_f1s([each.answers for each in row.given]),
                ),
            )
            for asked, row in request.once(select_facts)
            if len(row.given) > 1
        ]
    return list(_chosen(rows, request.filters))


def compare_everyone(request: Request) -> list[Compared]:
    """Return the same whatever people are chosen."""
    if request.filters.person is None:
        return request.once(select_compared)
    filters = replace(request.filters, person=None, other=None)
    return select_compared(replace(request, filters=filters, _read={}))


def is_narrowed(request: Request) -> bool:
    """Whether a filter besides the split is set."""
    return request.filters.narrow


def is_long(request: Request) -> bool:
    """Whether people write long answers."""
    return protocols.protocol_of(request.project).has_feature(Feature.LONG)


def name_measure(request: Request) -> str:
    """Return the name of what compares two people's answers."""
    return "ROUGE-L" if is_long(request) else "F1-answer"


def average_values(values: Sequence[float]) -> Value:
    """Return the mean of values from 0 to 1, one for each question, with its interval."""
    return average_groups({0: values})[0]


def average_groups(groups: Mapping[Key, Sequence[float]]) -> dict[Key, Value]:
    """Return the mean of each group. Groups of one size are resampled together: it is faster."""
    sizes: dict[int, list[Key]] = defaultdict(list)
    for key, values in groups.items():
        sizes[len(values)].append(key)
    found = {key: Value(None, 0) for key in sizes.pop(0, [])}
    for size, keys in sizes.items():
        names = {str(place): key for place, key in enumerate(keys)}
        evaluation = Evaluation(
            task="means",
            ids=[str(place) for place in range(size)],
            columns={name: groups[key] for name, key in names.items()},
            figures=[Figure(name, (name,)) for name in names],
        )
        labels: dict[str, tuple[str, Unit]] = dict.fromkeys(names, ("", "score"))
        figures = label_figures(labels, evaluation, "")
        found |= {key: of_shown(figure) for key, figure in zip(keys, figures, strict=True)}
    return found


def _values(request: Request) -> dict[str, Any]:
    return {"project": request.project.pk, "split": request.filters.split or None}


def _pairs(people: Sequence[int], values: Iterable[float]) -> tuple[Pair, ...]:
    return tuple(
        (min(one, other), max(one, other), value)
        for (one, other), value in zip(combinations(people, 2), values, strict=True)
    )


def _long_compared(request: Request) -> list[Compared]:
    writers: dict[str, list[int | None]] = dict(fetch_rows(WRITERS, _values(request)))
    rows: list[tuple[Asked, list[int], list[str]]] = []
    for asked, written in request.once(select_long_answers):
        answers, people = written.scored.annotations, writers[written.question]
        # An answer imported as finished work has no writer here.
        mine = [
            (who, text.long_answer)
            for who, text in zip(people, answers, strict=True)
            if who is not None
        ]
        if len(mine) > 1:
            rows.append((asked, [who for who, _ in mine], [text for _, text in mine]))
    close = compare_writers(
        {
            (asked.pk, place): two
            for asked, _, texts in rows
            for place, two in enumerate(combinations(texts, 2))
        }
    )
    values = (lsum for lsum, _ in close.values())
    return [
        Compared(asked, _pairs(people, islice(values, math.comb(len(people), 2))))
        for asked, people, _ in rows
    ]


def _chosen(rows: Iterable[Compared], filters: Filters) -> Iterator[Compared]:
    chosen = {filters.person, filters.other} - {None}
    for row in rows:
        pairs = tuple(pair for pair in row.pairs if chosen <= set(pair[:2]))
        if pairs:
            yield replace(row, pairs=pairs)


def group_by_split(rows: Iterable[Compared]) -> Mapping[str, list[Compared]]:
    """Return the rows by their split, in the order of the papers."""
    groups: dict[str, list[Compared]] = {split: [] for split in ("train", "dev", "test")}
    for row in rows:
        groups[row.asked.split].append(row)
    return {split: group for split, group in groups.items() if group}
