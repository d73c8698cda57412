"""What is asked although its answer is known, and the grade of a response to it.

An item of an exam, a sample to learn from and a gold item are asked in different places, and their
rows lie apart. What is known and how it is graded is the same: the sheet of the work grades all of
them (`Sheet.grade_response`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_EPSILON = 1e-9


@dataclass(frozen=True)
class Grade:
    """The grade of a response: a score from 0 to 1, and whether that is enough.

    `passed` is None where no measure can say, as of a long answer, which people grade. `edit` is
    EDIT-F1, None if there is nothing to compare; `open` lists what the rules still ask for;
    `figures` are shown to people who grade.
    """

    score: float
    passed: bool | None
    edit: float | None = None
    open: tuple[str, ...] = ()
    figures: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class KnownItem:
    """A prompt and what is known of its answer, as JSON that the sheet's `grade_response` reads.

    A response passes from the score `threshold` on.
    """

    prompt: str = ""
    expected: Mapping[str, Any] = field(default_factory=dict)
    threshold: float = 1.0

    def grade_score(
        self, score: float, *, unanswered: Sequence[str] = (), edit: float | None = None
    ) -> Grade:
        """Return the grade of a score: it passes if it is enough and nothing is unanswered."""
        enough = score >= self.threshold - _EPSILON
        return Grade(score, enough and not unanswered, edit, tuple(unanswered))
