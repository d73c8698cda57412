"""Reads about all projects for administrators."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection

from annotation.core.models.projects import Project
from operations.administration.projects.statements import BYTES_OF_TABLES, SIZE_OF_PROJECTS


@dataclass(frozen=True)
class ProjectSize:
    """A project in the list. bytes: estimated; active_at: when something last happened there."""

    project: Project
    questions: int
    assignments: int
    people: int
    bytes: int
    active_at: dt.datetime | None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was imported and nobody has worked here, so that it can be deleted."""
        return not (self.questions or self.assignments)


def list_sizes() -> list[ProjectSize]:
    """Return all projects with their sizes, archived ones last, newest first. Three queries.

    Rows are counted. Bytes are estimated: what the tables of all projects take together, shared by
    the numbers of questions and assignments. To weigh the rows themselves would read all of them.
    """
    with connection.cursor() as cursor:
        cursor.execute(SIZE_OF_PROJECTS)
        rows = {row[0]: row[1:] for row in cursor.fetchall()}
        cursor.execute(BYTES_OF_TABLES)
        [whole] = cursor.fetchone()
    weight = sum(questions + assignments for questions, assignments, *_ in rows.values())
    sizes = []
    for project in Project.objects.order_by("-pk"):
        questions, assignments, people, active_at = rows.get(project.pk, (0, 0, 0, None))
        share = (questions + assignments) / weight if weight else 0.0
        sizes.append(
            ProjectSize(project, questions, assignments, people, round(whole * share), active_at)
        )
    return sorted(sizes, key=lambda size: size.project.state == Project.State.ARCHIVED)


def describe_states(sizes: Sequence[ProjectSize]) -> str:
    """Return how many projects are in which state, in words."""
    states = [size.project.state for size in sizes]
    labels = [(value, str(label).lower()) for value, label in Project.State.choices]
    return ", ".join(
        f"{states.count(value)} {label}" for value, label in labels if states.count(value)
    )
