"""The work that is ready for a person: exactly what the next click would get."""

import datetime as dt
from dataclasses import dataclass

from django.db import connection

from accounts.models import User
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.qualifications.demands import Demand, list_demands
from annotation.stages import registry as stages
from annotation.work.picking import had_values
from annotation.work.seats import seats_values
from annotation.work.statements import (
    AHEAD_OF,
    BEHIND,
    NEWEST_OF_MINE,
    NOT_HAD,
    OF_MINE,
    OPEN_SEATS,
    SLOT,
)

# Counting stops here: no one plans beyond a hundred questions of their own.
MOST_READY = 100
MOST_COUNTED = 1000
# At most this number of open tasks is looked at to count those the person has not had.
MOST_LOOKED_AT = 500


@dataclass(frozen=True)
class ReadyWork:
    """The work of one stage of one project that this person could do now.

    open: questions they would get, up to MOST_READY; more: whether there may be others; total: all
    questions of the stage, up to MOST_COUNTED; back_at: when the next question held by someone
    else may come back; typical_seconds: the mean active time of the last submissions, if there are
    any; demand: a qualification to pass before (more of) the work can be had; qualified_at: when
    they got the last one that it asks for; last: their newest turn in it.
    """

    project: Project
    stage: str
    label: str
    paused_since: dt.datetime | None
    pause_reason: str
    open: int
    more: bool
    total: int
    back_at: dt.datetime | None
    typical_seconds: int | None
    active: Assignment | None = None
    demand: Demand | None = None
    qualified_at: dt.datetime | None = None
    last: int = 0

    @property
    def many(self) -> str:
        """How many are ready, in words: there may be more than were counted."""
        if self.open >= MOST_READY:
            return f"{MOST_READY - 1}+"
        return f"{self.open}+" if self.more else str(self.open)

    @property
    def several(self) -> int:
        """The least number that is ready, for the grammar of a sentence."""
        return self.open + self.more

    @property
    def counted(self) -> str:
        """What is ready, one or several."""
        noun, _, rest = stages.get_stage(self.stage).counted.partition(" ")
        return f"{noun}{'' if self.several == 1 else 's'} {rest}".rstrip()

    @property
    def offer(self) -> str:
        """How many of what are ready, and what is to be done with them, as a sentence."""
        are = "is" if self.several == 1 else "are"
        sentence = (
            f"{self.many} {self.counted} {are} ready for you {stages.get_stage(self.stage).to_do}"
        )
        return sentence.rstrip()

    @property
    def press(self) -> str:
        """What the button that leads to the work says."""
        if self.active:
            return "Continue"
        return "Take the next question" + (" and start the clock" if self.limit else "")

    @property
    def expects(self) -> str:
        """What the person can expect of the work."""
        return stages.get_stage(self.stage).expects

    @property
    def limit(self) -> int | None:
        """How many seconds the person has for each, if there is a limit."""
        return stages.get_stage(self.stage).limit

    @property
    def ends_at(self) -> dt.datetime | None:
        """When the time for the work in hand ends, if there is any."""
        held = self.active
        return (held.limit_ends_at or held.lease_ends_at) if held else None

    @property
    def possible(self) -> bool:
        """Whether the next question can be taken now."""
        running = self.project.state == Project.State.RUNNING
        return running and (bool(self.active) or (not self.paused_since and self.open > 0))


def list_ready_stages(
    user: User, *, now: dt.datetime, active: list[Assignment], project: Project | None = None
) -> list[ReadyWork]:
    """Return the person's stages in the order in which to do the work: what is in hand, the one
    that ends soonest first; what can be taken, from the stage they worked in last; the rest. Two
    queries, three where a qualification is missing.
    """
    rows = Membership.objects.filter(user=user).select_related("project")
    rows = rows.exclude(project__state=Project.State.ARCHIVED)
    if project is not None:
        rows = rows.filter(project=project)
    memberships = {(each.project_id, each.role): each for each in rows}
    wanted: list[tuple[Membership, stages.Stage]] = [
        (membership, stage)
        for (_, role), membership in memberships.items()
        for stage in stages.of_protocol(membership.project.protocol)
        if stage.role == role
    ]
    if not wanted:
        return []
    counts = _counts(user, sorted({(row.project_id, stage.key) for row, stage in wanted}), now)
    mine = {(each.project_id, each.stage): each for each in active}
    missing = list_demands(user, sorted({each[5] for each in counts.values() if each[5]}))
    offers = []
    for membership, stage in wanted:
        project = membership.project
        key = (project.pk, stage.key)
        if key not in counts and stage.once_per_question:
            continue  # there is no sample yet, so the stage is not shown
        nothing = (0, False, 0, None, None, None, None, None)
        open_, more, total, back_at, seconds, lacks, qualified_at, last = counts.get(key, nothing)
        offers.append(
            ReadyWork(
                project=project,
                stage=stage.key,
                label=stage.label,
                paused_since=membership.paused_at,
                pause_reason=membership.pause_reason,
                open=open_,
                more=more,
                total=total,
                back_at=back_at,
                typical_seconds=seconds,
                active=mine.get(key),
                demand=missing.get(lacks) if lacks else None,
                qualified_at=qualified_at,
                last=last or 0,
            )
        )
    return sorted(
        offers,
        key=lambda each: (
            *(not each.possible, not each.active, each.ends_at or now, -each.last),
            *(each.project.title, each.label),
        ),
    )


_Counts = tuple[
    int, bool, int, dt.datetime | None, int | None, int | None, dt.datetime | None, int | None
]

# The conditions of `take_next`: an open seat of a policy that demands nothing the person lacks, on
# a question they have not had, starting after their last one. At the end, the seats that it would
# take back before, because their lease has ended.
_HELD = "(p.qualification_id IS NULL OR held.id IS NOT NULL)"
_NOT_HAD = NOT_HAD.format(user="%(user)s", stage="p.stage")
_NEXT = f"""
    SELECT t.id, t.question_id, t.barred, t.after_id, t.gold FROM annotation_task t
    WHERE t.policy_id = p.id AND t.seats > 0 AND {_HELD} AND {{side}}
    ORDER BY t.position, {SLOT}, t.id LIMIT %(looked_at)s"""  # noqa: S608
_MY_PLACE = {
    "position": "COALESCE(last.position, -1)",
    "slot": "COALESCE(last.slot, 0)",
    "task": "COALESCE(last.task_id, 0)",
}
_AHEAD = _NEXT.format(side=AHEAD_OF.format(**_MY_PLACE))
_BEHIND = _NEXT.format(side=BEHIND.format(**_MY_PLACE))
_OPEN = f"SELECT 1 FROM (({_AHEAD}) UNION ALL ({_BEHIND})) t WHERE {_NOT_HAD}"  # noqa: S608
_MORE = f"""
    %(looked_at)s IN ((SELECT count(*) FROM ({_AHEAD}) t), (SELECT count(*) FROM ({_BEHIND}) t))
"""  # noqa: S608
# Whether there is any, where none is among those looked at.
_ANY = f"""
    SELECT 1 FROM annotation_task t
    WHERE t.policy_id = p.id AND t.seats > 0 AND NOT t.gold AND {_HELD} AND {_NOT_HAD}
    ORDER BY t.position, {SLOT}, t.id LIMIT 1"""  # noqa: S608
_GOING = OPEN_SEATS.format(
    and_="AND NOT (a.state IN ('active', 'parked') AND a.lease_ends_at <= %(now)s)"
)
_ENDED = f"""
    SELECT 1 FROM annotation_task t JOIN annotation_question q ON q.id = t.question_id
    WHERE t.id IN (SELECT e.task_id FROM annotation_assignment e
                   WHERE e.policy_id = p.id AND e.state IN ('active', 'parked')
                     AND e.lease_ends_at <= %(now)s)
      AND t.seats = 0 AND {_HELD} AND {_NOT_HAD} AND {_GOING} > 0 LIMIT %(ready)s"""  # noqa: S608
_COUNT = f"""
    SELECT p.project_id, p.stage, sum(r.n)::int, bool_or(m.more), sum(t.n)::int, min(b.at),
           (sum(s.seconds * s.n) / nullif(sum(s.n), 0))::int,
           min(p.qualification_id) FILTER (WHERE held.id IS NULL),
           max(held.given_at), max(last.id)
    FROM annotation_stagepolicy p
    LEFT JOIN annotation_qualified held ON held.qualification_id = p.qualification_id
      AND held.user_id = %(user)s AND held.revoked_at IS NULL
    LEFT JOIN LATERAL (
        SELECT a.id, a.position, a.task_id, (SELECT {SLOT} FROM annotation_task t
                                             WHERE t.id = a.task_id) AS slot
        FROM annotation_assignment a WHERE {OF_MINE} {NEWEST_OF_MINE}) last ON true
    CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            ({_OPEN}) UNION ALL ({_ENDED}) LIMIT %(ready)s) counted) o
    CROSS JOIN LATERAL (
        SELECT CASE WHEN o.n >= %(ready)s THEN false ELSE {_MORE} END AS more) m
    CROSS JOIN LATERAL (
        SELECT CASE WHEN o.n > 0 OR NOT m.more THEN o.n
               ELSE (SELECT count(*) FROM ({_ANY}) counted) END AS n) r
    CROSS JOIN LATERAL (
        SELECT count(*) AS n FROM (
            SELECT 1 FROM annotation_task t WHERE t.policy_id = p.id LIMIT %(most)s) counted) t
    CROSS JOIN LATERAL (
        SELECT min(a.lease_ends_at) AS at FROM annotation_assignment a
        JOIN annotation_task t ON t.id = a.task_id
        WHERE a.policy_id = p.id AND a.state IN ('active', 'parked')
          AND a.user_id <> %(user)s AND a.lease_ends_at > %(now)s AND {_NOT_HAD}) b
    CROSS JOIN LATERAL (
        SELECT avg(last.active_seconds) AS seconds, count(*) AS n FROM (
            SELECT a.active_seconds FROM annotation_assignment a
            WHERE a.policy_id = p.id AND a.state = 'submitted'
            ORDER BY a.submitted_at DESC LIMIT 50) last) s
    WHERE (p.project_id, p.stage) IN (SELECT * FROM unnest(%(projects)s, %(stages)s::text[]))
    GROUP BY p.project_id, p.stage
"""  # noqa: S608 - constants of this module


def _counts(
    user: User, wanted: list[tuple[int, str]], now: dt.datetime
) -> dict[tuple[int, str], _Counts]:
    values = {
        **seats_values(),
        "user": user.pk,
        "projects": [project for project, _ in wanted],
        "stages": [stage for _, stage in wanted],
        "now": now,
        **had_values(),
        "ready": MOST_READY,
        "most": MOST_COUNTED,
        "looked_at": MOST_LOOKED_AT,
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, values)
        counted = {(row[0], row[1]): row[2:] for row in cursor.fetchall()}
    return {key: (min(row[0], MOST_READY), *row[1:]) for key, row in counted.items()}
