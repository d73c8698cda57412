"""Open work that no member of the project may take, with advice for its staff."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.db import connection

from annotation.core.models.people import Role
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.projects.statements import STUCK_QUESTIONS, STUCK_WORK
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.stages import registry as stages
from annotation.work.picking import had_values, not_had_sql

MOST = 100
SHOWN = 50


@dataclass(frozen=True)
class StuckQuestions:
    """Open questions of one stage and split that no member may take.

    questions: number, up to MOST; members: people with the role for it; paused: members who get no
    new work; able: members who could take questions that they have not had.
    """

    policy: StagePolicy
    questions: int
    members: int
    paused: int
    able: int

    @property
    def many(self) -> str:
        """The number of questions, in words."""
        return f"{MOST - 1}+" if self.questions >= MOST else str(self.questions)

    @property
    def role(self) -> str:
        """The role that does this work."""
        return str(Role(stages.get_stage(self.policy.stage).role).label).lower()

    @property
    def why(self) -> str:
        """Why no one may take them."""
        if not self.members:
            return f"No one in this project is {_a(self.role)}."
        if self.able:
            return (
                f"Every {self.role} who could take them has had them already: answered, skipped, "
                "released, or worked on them in another stage."
            )
        if self.paused == self.members:
            return f"Every {self.role} is paused."
        return f"No {self.role} who gets work has passed “{self.policy.qualification}”."

    @property
    def advice(self) -> str:
        """What staff can do about it."""
        if not self.members:
            return f"Invite {_a(self.role)}."
        if self.able:
            if not protocols.protocol_of(self.policy.project).has_feature(Feature.EXCLUSION):
                return f"Invite another {self.role}, or ask for fewer people in the policy."
            return (
                f"Invite another {self.role}, ask for fewer people in the policy, or exclude the "
                "questions."
            )
        if self.paused == self.members:
            return "Lift a pause, or invite another person."
        return "Invite people to the qualification, or change the policy."


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def list_stuck_work(projects: Collection[Project]) -> list[StuckQuestions]:
    """Return stuck work in projects, by policy. Two queries, one if there is none."""
    stored = {
        project.pk: stored_counts.find_stored_part(project, OVERVIEW, "stuck")
        for project in projects
    }
    live = [pk for pk, rows in stored.items() if rows is None]
    counted = _counted(live) if live else []
    rows = counted + [row for rows in stored.values() for row in rows or []]
    if not rows:
        return []
    policies = StagePolicy.objects.select_related("project", "qualification")
    by_id = policies.filter(project__state=Project.State.RUNNING).in_bulk([row[0] for row in rows])
    return [StuckQuestions(by_id[row[0]], *row[1:]) for row in rows if row[0] in by_id]


@cache
def _complete(sql: str) -> str:
    return sql.format(not_had=not_had_sql(user="m.user_id", stage="p.stage"))


def _counted(projects: list[int]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(_complete(STUCK_WORK), {**_work(), "projects": projects, "most": MOST})
        return list(cursor.fetchall())


stored_counts.register_part(OVERVIEW, "stuck", lambda project, now: _counted([project.pk]))


def questions_of(policy: StagePolicy) -> Sequence[Question]:
    """Return the first of the stuck questions of a policy, in the order of the work."""
    with connection.cursor() as cursor:
        cursor.execute(_complete(STUCK_QUESTIONS), {**_work(), "policy": policy.pk, "most": SHOWN})
        ids = [row[0] for row in cursor.fetchall()]
    return list(Question.objects.filter(pk__in=ids).order_by("pk"))


def _work() -> dict[str, Any]:
    every = stages.list_stages()
    return {
        "stages": [stage.key for stage in every],
        "roles": [stage.role for stage in every],
        **had_values(),
    }
