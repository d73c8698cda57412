"""Undo an import, as long as no one has worked on its questions."""

import datetime as dt

from django.db import transaction
from django.db.models import ProtectedError

from accounts.models import User
from annotation.access.data import check_can_undo
from annotation.core import audit
from annotation.core.models.jobs import Job
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.imports import adapters
from annotation.imports import services as imports
from annotation.jobs.services import UNFINISHED
from annotation.work import seats, tasks

_BATCH = 5_000


@transaction.atomic
def undo_import(*, job: Job, by: User, now: dt.datetime) -> int:
    """Delete the questions that a finished import created; return how many. Staff only.

    Questions that it updated stay updated. Raises Conflict, and changes nothing, where the import
    was undone before, another job of the project is under way, someone has taken one of the
    questions or raised a concern about it, or a study uses one.
    """
    job = Job.objects.select_for_update(of=("self",)).select_related("project").get(pk=job.pk)
    check_can_undo(by, job)
    imports.take_turn(job.project)
    if Job.objects.filter(project=job.project, state__in=UNFINISHED).exists():
        raise Conflict("Another import of this project is running. Try again when it has ended.")
    ids = list(Question.objects.filter(job=job).order_by("pk").values_list("pk", flat=True))
    if not ids:
        raise Conflict("This import created no questions, so there is nothing to undo.")
    # Anyone taking a question now has either committed before this, and is counted, or skips it.
    seats.lock_questions(ids)
    tasks.lock_tasks(ids)
    taken = (
        Assignment.objects.filter(task__question__job=job)
        .values("task__question")
        .distinct()
        .count()
    )
    if taken:
        raise Conflict(
            f"Someone has already worked on {taken:,} of the {len(ids):,} questions that this "
            "import created, so it cannot be undone."
        )
    if problem := adapters.adapter_of(job.project).undo_problem(job):
        raise Conflict(problem)
    try:
        for start in range(0, len(ids), _BATCH):
            Question.objects.filter(pk__in=ids[start : start + _BATCH]).delete()
    except ProtectedError:
        raise Conflict("A study uses some of these questions, so they stay.") from None
    Job.objects.filter(pk=job.pk).update(undone_at=now)
    audit.record_action(
        "import_undone",
        job,
        by=by,
        now=now,
        project=job.project_id,
        questions=len(ids),
        file=job.file_name,
    )
    return len(ids)
