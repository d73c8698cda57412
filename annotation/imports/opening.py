"""Questions that were imported closed: no one is given them until the team opens them.

A closed question is one without tasks of a first stage, so that the engine has nothing to hand out.
"""

import datetime as dt
from collections.abc import Collection

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Task
from annotation.core.refusals import Conflict
from annotation.imports import services as imports
from annotation.stages import registry as stages
from annotation.work import tasks

CLOSED = "closed"
"""In place of a state: imported questions that are not open yet."""
CLOSED_LABEL = "Not open yet"
_BATCH = 5_000


def is_closed(project: Project) -> Q:
    """Return the condition for questions of a project that are closed."""
    first = stages.list_writing_stages(project)
    begun = Task.objects.filter(question=OuterRef("pk"), policy__stage__in=first)
    return Q(~Exists(begun), state=Question.State.IMPORTED)


def count_closed(job: Job) -> int:
    """Return how many of the questions that an import created are closed. One query."""
    return Question.objects.filter(is_closed(job.project), job=job).count()


def open_questions(
    *, project: Project, question_ids: Collection[int], by: User | None, now: dt.datetime
) -> int:
    """Hand out those of the questions that are closed, from now on; return how many. Staff only
    (`by=None`: the system).

    5,000 in a transaction, so that work goes on meanwhile; a second press opens what is left.
    Raises Conflict where none of them is closed.
    """
    if by is not None:
        check_can_manage(by, project)
    ids = sorted(set(question_ids))
    opened = sum(
        _open_batch(project, ids[start : start + _BATCH], by, now)
        for start in range(0, len(ids), _BATCH)
    )
    if not opened:
        raise Conflict("All of these questions are open already. Nothing was changed.")
    return opened


def open_import(*, job: Job, by: User, now: dt.datetime) -> int:
    """Open the closed questions that an import created; return how many. Staff only."""
    created = Question.objects.filter(job=job).values_list("pk", flat=True)
    return open_questions(project=job.project, question_ids=created, by=by, now=now)


@transaction.atomic
def _open_batch(project: Project, ids: Collection[int], by: User | None, now: dt.datetime) -> int:
    imports.take_turn(project)  # policies are locked before questions
    own = Question.objects.filter(is_closed(project), project=project, pk__in=ids)
    locked = own.select_for_update(of=("self",), no_key=True).order_by("pk")
    closed = list(locked.values_list("pk", flat=True))
    if closed:
        tasks.open_tasks(question_ids=closed, now=now)
        audit.record_action(
            "questions_opened", project, by=by, now=now, project=project, questions=len(closed)
        )
    return len(closed)
