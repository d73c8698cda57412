"""Where people stand in the work of a project: past and present are told apart."""

import datetime as dt
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from django.db import connection

from annotation.core.models.projects import Project
from annotation.extensions.registry import all_extensions
from annotation.people.statements import PEOPLE_AT_WORK
from annotation.stages import registry as stages
from annotation.work.picking import had_values, not_had_sql

WORKS, PAUSED, FINISHED, WAITS, LEFT = "works", "paused", "finished", "waits", "left"


@dataclass(frozen=True)
class Standing:
    """How a person stands in some stages of a project.

    kind: one of the words above; words: the same for a page; since: of a pause or of an end.
    """

    kind: str
    words: str
    since: dt.datetime | None = None


def find_standings(
    project: Project, stage_keys: Sequence[str], users: Collection[int]
) -> dict[int, Standing]:
    """Return how people stand in stages, by their id. Two queries, one where all have a role."""
    if not users:
        return {}
    values = {
        "project": project.pk,
        "stages": list(stage_keys),
        "roles": sorted({stages.get_stage(key).role for key in stage_keys}),
        "users": sorted(users),
        **had_values(),
    }
    with connection.cursor() as cursor:
        cursor.execute(_statement(), values)
        rows = cursor.fetchall()
    gone = [user for user, roles, *_ in rows if not roles]
    ends = _find_ends(project, gone)
    standings = {}
    for user, roles, paused_at, holds, has_open, submitted in rows:
        if not roles:
            standings[user] = Standing(LEFT, *ends.get(user, ("No longer in this role", None)))
        elif paused_at:
            standings[user] = Standing(PAUSED, "Paused", paused_at)
        else:
            standings[user] = _of_member(project, at_work=holds or has_open, submitted=submitted)
    return standings


@cache
def _statement() -> str:
    return PEOPLE_AT_WORK.format(not_had=not_had_sql(user="u.id", stage="p.stage"))


def _find_ends(project: Project, users: Collection[int]) -> dict[int, tuple[str, dt.datetime]]:
    """Return how and when the parts of people ended who had one for a time only."""
    ends: dict[int, tuple[str, dt.datetime]] = {}
    for find in all_extensions().ends if users else ():
        ends.update(find(project, users))
    return ends


def _of_member(project: Project, *, at_work: bool, submitted: bool) -> Standing:
    if project.state == Project.State.ARCHIVED:
        return Standing(FINISHED, "Project archived")
    if at_work:
        return Standing(WORKS, "Works" if submitted else "Has not begun")
    if submitted:
        return Standing(FINISHED, "Finished all open work")
    return Standing(WAITS, "No open work yet")
