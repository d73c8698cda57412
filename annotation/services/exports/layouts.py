"""What a release needs to know of an official layout."""

import abc
import datetime as dt
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.models import Project, Split, StagePolicy

SPLITS = tuple(Split.values)


@dataclass
class Counted(abc.ABC):
    """What a release holds and leaves out, counted while it is written.

    `standing`: questions by how many accepted annotations they have. `sources`: by who decided.
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
        """How many questions are in the release."""
        return self.questions.total()

    def work_of(self, guidelines: Iterable[int], newest: dt.datetime | None) -> None:
        """Note which guidelines the people of a question had read, and when they last worked."""
        self.guidelines.update(guidelines)
        if newest is not None:
            self.newest = max(self.newest or newest, newest)

    @abc.abstractmethod
    def as_json(self) -> dict[str, object]:
        """Return the counts as the manifest holds them; every key is always there."""

    @abc.abstractmethod
    def left_out_json(self) -> dict[str, object]:
        """Return what is left out and why."""


def by_number(counts: Mapping[int, int]) -> dict[str, int]:
    """Return counts by a number, the smallest first, as JSON takes them."""
    return {str(number): counts[number] for number in sorted(counts)}


@dataclass(frozen=True)
class Layout:
    """One official layout.

    `counts` makes what `parts` counts into; `parts` gives the whole file in pieces, within a
    snapshot of the database; `card` writes the dataset card from the manifest. `fields` says for
    the card what each key holds.
    """

    key: str
    label: str
    hint: str
    fields: tuple[tuple[str, str], ...]
    counts: Callable[[], Counted]
    parts: Callable[[Project, str | None, Any], Generator[bytes]]
    card: Callable[[Mapping[str, Any], "Layout", Project, Sequence[StagePolicy]], str]
