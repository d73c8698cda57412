"""The work that is ready for a person: exactly what the next click would get."""

import datetime as dt
from dataclasses import dataclass
from functools import cache

from accounts import prepared_statements
from accounts.models import User
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.home.statements import IS_HELD_ON, READY_WORK
from annotation.qualifications.demands import Demand, list_demands
from annotation.stages import registry as stages
from annotation.work.picking import had_values, not_had_sql
from annotation.work.seats import seats_sql, seats_values

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
    they got the last one that it asks for; last: their newest turn in it; must_agree: whether they
    have to agree to the project's consent text before.
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
    must_agree: bool = False

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
        can_take = not self.paused_since and not self.must_agree and self.open > 0
        return running and (bool(self.active) or can_take)


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
        nothing = (0, False, 0, None, None, None, None, None, False)
        row = counts.get(key, nothing)
        open_, more, total, back_at, seconds, lacks, qualified_at, last, must_agree = row
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
                must_agree=must_agree,
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
    int,
    bool,
    int,
    dt.datetime | None,
    int | None,
    int | None,
    dt.datetime | None,
    int | None,
    bool,
]


@cache
def _ready_sql() -> str:
    not_had = not_had_sql(user="%(user)s", stage="p.stage")
    return READY_WORK.format(not_had=not_had, seats_then=seats_sql(IS_HELD_ON))


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
    rows = prepared_statements.fetch_rows(_ready_sql(), values)
    counted = {(row[0], row[1]): row[2:] for row in rows}
    return {key: (min(row[0], MOST_READY), *row[1:]) for key, row in counted.items()}
