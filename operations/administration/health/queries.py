"""Looks at the parts of the installation, with how long each took."""

import datetime as dt
import time
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache

from operations.administration.queries import HEALTH_KEY
from operations.health import CHECKS, DOWN, OK, Check, HealthPart, run_check

REMEMBERED_SECONDS = 300


@dataclass(frozen=True)
class LookedAt:
    """A part, how it is, and how many milliseconds the look took."""

    check: Check
    part: HealthPart
    milliseconds: int

    @property
    def now(self) -> str:
        """What is to be said of it at this moment."""
        sentence = self.part.sentence.removeprefix("ok").removeprefix(": ")
        return sentence or f"answered in {self.milliseconds} ms"


@dataclass(frozen=True)
class Health:
    """How the installation is. state: that of the part that is worst."""

    at: dt.datetime
    rows: Sequence[LookedAt]

    @property
    def state(self) -> str:
        states = {row.part.state for row in self.rows}
        return next(state for state in (DOWN, "warning", OK) if state in states)

    @property
    def troubled(self) -> list[LookedAt]:
        """The parts that are not in order."""
        return [row for row in self.rows if row.part.state != OK]


def look_at_all(now: dt.datetime) -> Health:
    """Look at every part now, and remember for the other pages how many are not in order."""
    rows = []
    for check in CHECKS:
        started = time.monotonic()
        part = run_check(check)
        rows.append(LookedAt(check, part, round(1000 * (time.monotonic() - started))))
    health = Health(now, rows)
    cache.set(HEALTH_KEY, (len(health.troubled), health.state), REMEMBERED_SECONDS)
    return health
