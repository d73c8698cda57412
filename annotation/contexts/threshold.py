"""Set the minimum similarity at which writers are shown a context paragraph (S21)."""

import datetime as dt
from dataclasses import dataclass

from django.db import connection, transaction

from accounts.models import User
from annotation.contexts.policies import check_can_choose_contexts
from annotation.contexts.statements import APPLY_THRESHOLD, DIFFERING_QUESTIONS
from annotation.core import audit
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.figures import counts as stored_counts
from annotation.figures.counts import CONTEXTS
from annotation.work.seats import lock_questions
from annotation.work.tasks import lock_tasks


@dataclass(frozen=True)
class ThresholdChange:
    """What a new threshold changed: paragraphs, and (`kept`) opened questions it left alone."""

    shown: int
    hidden: int
    kept: int


@transaction.atomic
def set_threshold(
    *, project: Project, threshold: float, by: User, now: dt.datetime
) -> ThresholdChange:
    """Show the paragraphs whose score reaches the threshold, in questions nobody has opened.

        A person who takes a question at that moment takes it either before, and nothing changes for
    them, or after. Staff only.
    """
    check_can_choose_contexts(by, project)
    if not 0 <= threshold <= 1:
        raise Conflict("The threshold is a similarity: a number from 0 to 1.")
    before = Project.objects.select_for_update(no_key=True).get(pk=project.pk).context_threshold
    Project.objects.filter(pk=project.pk).update(context_threshold=threshold)
    project.context_threshold = threshold
    differing = _differing(project, threshold)
    lock_questions(differing)
    lock_tasks(differing)
    # A new statement, so that it sees people who took a question while we waited for its task.
    with connection.cursor() as cursor:
        cursor.execute(APPLY_THRESHOLD, {"questions": differing, "threshold": threshold})
        changed = [shown for (shown,) in cursor.fetchall()]
    applied = ThresholdChange(
        changed.count(True), changed.count(False), len(_differing(project, threshold))
    )
    # Whoever has applied it reads the figures as they are now.
    stored_counts.delete_figures(project, CONTEXTS)
    if before != threshold or changed:
        audit.record_action(
            "context_threshold_changed", project, by=by, now=now, project=project, before=before,
            after=threshold, shown=applied.shown, hidden=applied.hidden, kept=applied.kept,
        )  # fmt: skip
    return applied


def _differing(project: Project, threshold: float) -> list[int]:
    """Return the questions with a paragraph that is shown or hidden contrary to the threshold."""
    with connection.cursor() as cursor:
        cursor.execute(DIFFERING_QUESTIONS, {"project": project.pk, "threshold": threshold})
        return [pk for (pk,) in cursor.fetchall()]
