"""Reads for what stands beside every section."""

import datetime as dt
from dataclasses import dataclass

from django.core.cache import cache
from django.db import connection

from operations.administration.statements import COUNT_FOR_SECTIONS

TONES = {"warning": "warning", "down": "error"}


@dataclass(frozen=True)
class Badge:
    """What stands beside the name of a section. tone: "error", "warning" or "" for a plain one."""

    text: str
    tone: str = ""


# How many parts were not in order at the last look, and the state of the worst.
HEALTH_KEY = "administration-health"
FAILED_FOR = dt.timedelta(days=30)


def count_for_sections(now: dt.datetime) -> dict[str, Badge]:
    """Return what the list of sections says beside their names, by key. One query.

    Health is that of the last look within five minutes: to look takes seconds when a part is down,
    and no other page should.
    """
    with connection.cursor() as cursor:
        cursor.execute(COUNT_FOR_SECTIONS, {"since": now - FAILED_FOR})
        people, projects, failed = cursor.fetchone()
    badges = {"people": Badge(f"{people:,}"), "projects": Badge(f"{projects:,}")}
    if failed:
        badges["jobs"] = Badge(f"{failed:,} failed", "error")
    troubled, state = cache.get(HEALTH_KEY) or (0, "")
    if troubled:
        badges["health"] = Badge(f"{troubled} to look at", TONES[state])
    return badges
