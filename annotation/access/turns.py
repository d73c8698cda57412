"""A person's assignment with all that a work page needs, in one ready-made statement.

The ORM builds the same join again for every request, which takes longer than running it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import orjson
from django.db import DEFAULT_DB_ALIAS, models
from django.db.models import Q

from accounts import prepared_statements
from accounts.models import User
from annotation.access.statements import TURN_COLUMNS, TURN_ROWS
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment, Task
from annotation.extensions.registry import all_extensions
from wikipedia.models import Snapshot

# These may be large and no work page shows them, so they are deferred.
_LEFT_OUT = {"context", "known_answers", "search_text"}


class _JoinColumns:
    """The columns of one table in the join, and how to make a model from them."""

    def __init__(self, model: type[models.Model], alias: str) -> None:
        fields = [f for f in model._meta.concrete_fields if f.attname not in _LEFT_OUT]
        self.model = model
        self.names = [field.attname for field in fields]
        self.columns = ", ".join(f'{alias}."{field.column}"' for field in fields)
        self.json = [at for at, f in enumerate(fields) if isinstance(f, models.JSONField)]

    def build_model(self, values: Iterator[Any]) -> Any:
        """Take this part's values from the row and return the model."""
        own = [next(values) for _ in self.names]
        for at in self.json:
            own[at] = orjson.loads(own[at])
        return self.model.from_db(DEFAULT_DB_ALIAS, self.names, own)


_PARTS: Sequence[_JoinColumns] = (
    _JoinColumns(Assignment, "a"),
    _JoinColumns(Task, "t"),
    _JoinColumns(Question, "q"),
    _JoinColumns(StagePolicy, "y"),
    _JoinColumns(Project, "p"),
    _JoinColumns(Snapshot, "w"),
)
_SELECT = TURN_COLUMNS.format(columns=", ".join(part.columns for part in _PARTS))


def turn_of(user: User, assignment_id: int) -> Assignment | None:
    """Return the person's assignment with task, question, policy, project and snapshot, or None."""
    if assignment_id > models.BigIntegerField.MAX_BIGINT:
        return None  # an address can have any number
    columns = all_extensions().turn_columns
    statement = f"{_SELECT}{''.join(f', {each.sql}' for each in columns)}{TURN_ROWS}"
    rows = prepared_statements.fetch_rows(statement, {"assignment": assignment_id, "user": user.pk})
    if not rows:
        return None
    values = iter(rows[0])
    assignment, task, question, policy, project, snapshot = (
        part.build_model(values) for part in _PARTS
    )
    assignment.newest_guideline = next(values) or 0
    opened = orjson.loads(next(values) or "[]")
    assignment.opened_pages = tuple((path, page) for path, page in opened if path)
    assignment.has_log = next(values)
    project.snapshot = snapshot
    task.question = question
    assignment.task = task
    assignment.policy = policy
    assignment.project = project
    assignment.user = user
    for column in columns:
        column.keep(assignment, orjson.loads(next(values) or "null"))
    return assignment  # type: ignore[no-any-return]


def last_submitted(assignment: Assignment, *, most: int) -> list[Assignment]:
    """Return what the same person submitted last in the same stage, newest first. One query.

    What the team has left out is not among them.
    """
    mine = Assignment.objects.filter(
        user=assignment.user_id,
        project=assignment.project_id,
        stage=assignment.stage,
        state=Assignment.State.SUBMITTED,
    )
    # Gold items are not data either, but look like any other work to their author.
    mine = mine.filter(Q(used=True) | Q(gold=True))
    return list(mine.select_related("task__question").order_by("-submitted_at", "-id")[:most])
