"""The type of an official layout of releases."""

import abc
import datetime as dt
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Split

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
Keep = Callable[[str, str, Record], None]
"""Is told of each record of a release: its split, the question's id, and the record."""


@dataclass(frozen=True)
class Layout:
    """One official layout.

    `counts` makes the counter for `parts`; `parts` yields the whole file in pieces, within a
    snapshot of the database, and tells its last argument each record; `card` writes the dataset
    card from the manifest. `fields` says for the card what each key holds. `columns` are those of
    the tables, and `row` gives a record's values for them from its id and the record.
    `ending`: of the file's name.
    """

    key: str
    label: str
    hint: str
    fields: tuple[tuple[str, str], ...]
    counts: Callable[[], Counted]
    parts: Callable[[Project, str | None, Any, Keep], Generator[bytes]]
    card: Callable[[Mapping[str, Any], "Layout", Project, Sequence[StagePolicy]], str]
    columns: tuple[Column, ...]
    row: Callable[[str, Record], dict[str, Any]]
    ending: str = "json"
