"""Reads for what stands beside every section."""

from dataclasses import dataclass

from django.db import connection

from operations.administration.statements import COUNT_FOR_SECTIONS


@dataclass(frozen=True)
class Badge:
    """What stands beside the name of a section. tone: "error", "warning" or "" for a plain one."""

    text: str
    tone: str = ""


def count_for_sections() -> dict[str, Badge]:
    """Return what the list of sections says beside their names, by key. One query."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_FOR_SECTIONS)
        people, projects = cursor.fetchone()
    return {"people": Badge(f"{people:,}"), "projects": Badge(f"{projects:,}")}
