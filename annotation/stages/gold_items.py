"""Gold items: tasks whose right verdict is known. What a stage says about them; no rows here.

A stage may have `golds`, an object with two functions: it makes known-wrong copies of ordinary
tasks, and items from finished questions. What people submit is graded by the stage's sheet
(`Sheet.grade_response`). The engine service (`annotation.golds.services`) draws them, mixes them
in, and counts. `docs/gold_items.md` explains the whole.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

Values = Mapping[str, Any]
COPIES, FINISHED, BOTH = "copies", "finished", "both"


@dataclass(frozen=True)
class Host:
    """An ordinary open task that a gold item may be put next to."""

    task: int
    question: int
    unit: str
    split: str


@dataclass(frozen=True)
class Gold:
    """One gold item.

    question: the question it is shown under; unit: the unit that its page shows (not the unit of
    its task, which is a name of its own); content: what the page shows in place of the unit's own
    content, {} where it shows that; expected: as in `KnownItem`; origin, origin_unit: the question
    that its content was taken from, None if that is its own, and the unit there; barred: the ids of
    people who never get it, such as who wrote its content. Those barred from the task that it is
    put next to are, too.
    """

    question: int
    unit: str = ""
    content: Values = field(default_factory=dict)
    expected: Values = field(default_factory=dict)
    origin: int | None = None
    origin_unit: str = ""
    barred: Sequence[int] = ()


class Golds(Protocol):
    """How a stage makes gold items.

    sources: whether it makes known-wrong copies (COPIES), takes finished questions (FINISHED), or
    does either; first_rate: per cent of the work that they are in a new project, until staff
    choose.
    """

    @property
    def sources(self) -> Sequence[str]: ...

    @property
    def first_rate(self) -> int: ...

    def make_wrong_copies(self, hosts: Sequence[Host], *, draw: Random) -> Mapping[int, Gold]:
        """Return a known-wrong copy for each host task that can have one, by the task's id.

        All randomness comes from `draw`, so that a stored seed draws the same items again.
        """
        ...

    def list_finished_items(self, project: int, split: str) -> Sequence[Gold]:
        """Return items from questions of a split that are finished and whose answer is known."""
        ...

    def count_unsuggested(self, project: int, split: str, system: str) -> int:
        """Return on how many things that people may be shown under questions of a split a system
        suggests nothing, though it suggests something on the others of the same question.

        0 where suggestions are about a question: a copy has those of the question of its host.
        """
        ...


def sources_of(golds: Golds | None) -> list[str]:
    """Return where the items of a stage can come from, the first one unless staff choose."""
    if golds is None:
        return []
    return [*golds.sources, *([BOTH] if len(golds.sources) > 1 else [])]


class NoGolds:
    """Makes nothing: a base for stages that only copy, or only take finished questions."""

    sources: Sequence[str] = (FINISHED,)
    first_rate = 0

    def make_wrong_copies(self, hosts: Sequence[Host], *, draw: Random) -> Mapping[int, Gold]:
        """Return no copies."""
        return {}

    def count_unsuggested(self, project: int, split: str, system: str) -> int:
        """Return 0: suggestions are about questions."""
        return 0

    def list_finished_items(self, project: int, split: str) -> Sequence[Gold]:
        """Return no items."""
        return []
