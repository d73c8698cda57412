"""What a release needs to know of an official layout."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from annotation.models import Project, StagePolicy


class Counted(Protocol):
    """What a release holds and leaves out, counted while it is written."""

    left_out: Counter[str]
    guidelines: set[int]
    newest: dt.datetime | None

    @property
    def total(self) -> int:
        """How many questions are in the release."""
        ...

    def as_json(self) -> dict[str, object]:
        """Return the counts as the manifest holds them; every key is always there."""
        ...

    def left_out_json(self) -> dict[str, object]:
        """Return what is left out and why."""
        ...


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
