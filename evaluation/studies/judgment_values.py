"""One judgment as a value: what results, exports and imports all read and write."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Side = Literal["left", "right"]


# From the left answer being much better to the right one: what a choice on five steps is worth.
CHOICES: Mapping[str, int] = {"left_much": -2, "left": -1, "tie": 0, "right": 1, "right_much": 2}


@dataclass(frozen=True, slots=True)
class ItemJudgment:
    """What one person said of one item, sides as they were shown.

    question: its external id; pair: the position of the item in its study, for a repeat that of the
    item it repeats; left, right: names of systems, right "" where there is one answer alone; judge:
    a pseudonym; left_found, right_found: for each disambiguation of the question whether it can be
    answered from that answer, empty if that was not asked; choices: by key of criterion, as in
    `CHOICES`; verdict: an expert's (`Consensus.Verdict`), "" from a judge.
    """

    question: str
    pair: int
    left: str
    right: str = ""
    judge: str = ""
    repeat: bool = False
    left_found: tuple[bool, ...] = ()
    right_found: tuple[bool, ...] = ()
    choices: Mapping[str, int] = field(default_factory=dict)
    verdict: str = ""
    reason: str = ""
    seconds: int = 0
