"""The type of an official layout of releases."""

import abc
import datetime as dt
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import Split
from annotation.exports.arrangements import Arrangement, Entry
from annotation.exports.format import JSON

SPLITS = tuple(Split.values)


@dataclass
class Counted(abc.ABC):
    """Counts of what a release holds and leaves out, made while it is written.

    `standing`: questions by their number of accepted annotations. `sources`: by who decided.
    """

    questions: Counter[Any] = field(default_factory=Counter)
    annotations: Counter[str] = field(default_factory=Counter)
    standing: Counter[int] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    guidelines: set[int] = field(default_factory=set)
    newest: dt.datetime | None = None

    @property
    def total(self) -> int:
        """The number of questions in the release."""
        return self.questions.total()

    def work_of(self, guidelines: Iterable[int], newest: dt.datetime | None) -> None:
        """Count the guidelines used for a question; keep the latest time of work."""
        self.guidelines.update(guidelines)
        if newest is not None:
            self.newest = max(self.newest or newest, newest)

    @abc.abstractmethod
    def add(self, question: Any, record: Mapping[str, Any] | None) -> None:
        """Count a question: with its record if it is released, without one if it is left out."""

    @abc.abstractmethod
    def as_json(self) -> dict[str, object]:
        """Return the counts as the manifest holds them; every key is always there."""

    @abc.abstractmethod
    def left_out_json(self) -> dict[str, object]:
        """Return the counts of what is left out, by reason."""


def by_number(counts: Mapping[int, int]) -> dict[str, int]:
    """Return counts by number, the smallest first, with text keys for JSON."""
    return {str(number): counts[number] for number in sorted(counts)}


@dataclass(frozen=True)
class Column:
    """A column of a layout's tables.

    It holds a text (or null), texts (`lists` 1), lists of texts (`lists` 2), or, with `parts`, a
    list of records that have those columns.
    """

    name: str
    holds: str
    lists: int = 0
    parts: tuple["Column", ...] = ()


Record = Mapping[str, Any]


@dataclass(frozen=True)
class Layout:
    """One official layout.

    `questions` yields those of a split (None: all) in chunks, within a snapshot of the database;
    each has `split`, `external_id` and `left_out`, the reason or "". `records` yields the record of
    each of some that are not left out, `encode` writes one, and `arrangement` is how they follow
    each other. `counts` makes what counts both. `card` is the template of the dataset card, and
    `fields` says for it what each key holds. `companions` are further files by the ending of their
    names, made from the counts once all is written. `columns` are those of the tables, and `row`
    gives a record's values for them from its id and the record.
    """

    key: str
    label: str
    hint: str
    fields: tuple[tuple[str, str], ...]
    questions: Callable[[Project, str | None], Generator[Sequence[Any]]]
    records: Callable[[Sequence[Any]], Iterator[Record]]
    counts: Callable[[], Counted]
    card: str
    columns: tuple[Column, ...]
    row: Callable[[str, Record], dict[str, Any]]
    arrangement: Arrangement
    encode: Callable[[Record], bytes] = orjson.dumps
    content_type: str = JSON
    companions: Callable[[Counted], Mapping[str, bytes]] = lambda counts: {}

    def iterate_entries(
        self, project: Project, split: str | None, counts: Counted
    ) -> Generator[Entry]:
        """Yield the records of a split (None: all); count them and what is left out."""
        with closing(self.questions(project, split)) as chunks:
            for questions in chunks:
                released = [question for question in questions if not question.left_out]
                records = self.records(released)
                for question in questions:
                    record = None if question.left_out else next(records)
                    counts.add(question, record)
                    if record is not None:
                        yield Entry(record, question.split, question.external_id)
