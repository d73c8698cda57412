"""How far a project is: each stage on each split, and the states of its questions."""

import datetime as dt
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import (
    Count,
    Q,
    Sum,
)

from annotation.core import states
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment, Task
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.protocols import registry as protocols
from annotation.stages import registry as stages

PACE_DAYS = 7
# In place of a state: excluded questions that their protocol lists apart.
ASIDE = "aside"
_EXCLUDED = Question.State.EXCLUDED.value


@dataclass(frozen=True)
class StageProgress:
    """How far one stage is on one split. Counts are assignments, not questions.

    aside: questions that are skipped, excluded, or under review by the team. They are not handed
    out, so `total` leaves out their open seats.
    """

    stage: str
    split: str
    people: int
    total: int
    done: int
    in_work: int
    a_day: float
    aside: int = 0

    @property
    def reached(self) -> int:
        """Done and in progress together, for the meter."""
        return self.done + self.in_work

    @property
    def percent(self) -> int:
        """The share that is done, rounded down: 100 means that nothing is left."""
        return 100 * self.done // self.total if self.total else 0

    def ends_on(self, today: dt.date) -> dt.date | None:
        """Return the day the work ends at the pace of the last week; None if unknown."""
        if not self.a_day or self.done >= self.total:
            return None
        return today + dt.timedelta(days=round((self.total - self.done) / self.a_day))


def in_order(policies: Iterable[StagePolicy]) -> list[StagePolicy]:
    """Return policies in the order of stages and splits."""
    place = {stage.key: place for place, stage in enumerate(stages.list_stages())}
    return sorted(policies, key=lambda row: (place.get(row.stage, len(place)), row.split))


def list_progress(project: Project, *, now: dt.datetime) -> list[StageProgress]:
    """Return the progress of each stage and split that has tasks. Three queries."""
    return progress_of([project], now=now).get(project.pk, [])


def progress_of(
    projects: Collection[Project], *, now: dt.datetime
) -> dict[int, list[StageProgress]]:
    """Return the same of several projects, by project. At most three queries."""
    stored = {
        project.pk: stored_counts.find_stored_part(project, OVERVIEW, "progress")
        for project in projects
    }
    live = [pk for pk, rows in stored.items() if rows is None]
    return (_progress_of(live, now=now) if live else {}) | {
        pk: [StageProgress(**row) for row in rows] for pk, rows in stored.items() if rows
    }


def _progress_of(projects: Collection[int], *, now: dt.datetime) -> dict[int, list[StageProgress]]:
    tasks = {
        row["policy"]: row
        for row in Task.objects.filter(policy__project__in=projects, gold=False)
        .values("policy")
        .annotate(free=Sum("seats"), aside=Count("id", filter=Q(question__state__in=states.CLOSED)))
    }
    since = now - dt.timedelta(days=PACE_DAYS)
    turns = {
        row["policy"]: row
        for row in Assignment.objects.filter(project__in=projects, gold=False)
        .values("policy")
        .annotate(
            done=Count("id", filter=Q(state=Assignment.State.SUBMITTED)),
            in_work=Count("id", filter=Q(state__in=states.HELD)),
            lately=Count("id", filter=Q(submitted_at__gte=since)),
        )
    }
    by_project: dict[int, list[StageProgress]] = {}
    for policy in in_order(StagePolicy.objects.filter(project__in=projects)):
        if policy.pk not in tasks:
            continue
        turn = turns.get(policy.pk, {"done": 0, "in_work": 0, "lately": 0})
        by_project.setdefault(policy.project_id, []).append(
            StageProgress(
                stage=stages.label_of(policy.stage),
                split=policy.split,
                people=policy.people,
                total=tasks[policy.pk]["free"] + turn["done"] + turn["in_work"],
                done=turn["done"],
                in_work=turn["in_work"],
                a_day=turn["lately"] / PACE_DAYS,
                aside=tasks[policy.pk]["aside"],
            )
        )
    return by_project


def state_counts(project: Project) -> list[tuple[str, int]]:
    """Return (state, number of questions) for the states that occur."""
    if (stored := stored_counts.find_stored_part(project, OVERVIEW, "states")) is not None:
        return [(state, number) for state, number in stored]
    rows = Question.objects.filter(project=project).values_list("state").annotate(n=Count("id"))
    order = list(Question.State.values)
    return sorted(rows, key=lambda row: order.index(row[0]))


def _stored_progress(project: Project, now: dt.datetime) -> list[dict[str, Any]]:
    return [asdict(row) for row in list_progress(project, now=now)]


# In place of a state: excluded questions that their protocol lists apart.


def named_state_counts(project: Project) -> list[tuple[str, str, int]]:
    """Return state, its label and number of questions for the states that occur.

    At most one query, and another where the protocol has questions aside.
    """
    aside, found = protocols.protocol_of(project).aside, dict(state_counts(project))
    if aside and found.get(_EXCLUDED):
        found[ASIDE] = Question.objects.filter(aside.which, project=project).count()
        found[_EXCLUDED] -= found[ASIDE]
    labels = dict(Question.State.choices) | ({ASIDE: aside.label} if aside else {})
    return [(state, labels[state], number) for state, number in found.items() if number > 0]


stored_counts.register_part(OVERVIEW, "progress", _stored_progress)
stored_counts.register_part(OVERVIEW, "states", lambda project, now: state_counts(project))
