"""The card of progress, as the page of a project shows it."""

import datetime as dt
from typing import Any

from django.utils import timezone

from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.progress import queries


def progress_context(project: Project, now: dt.datetime) -> dict[str, Any]:
    """Return the context of _progress.html."""
    today = timezone.localdate(now)
    counts = queries.named_state_counts(project)
    rows = queries.list_progress(project, now=now)
    imported = sum(number for state, _, number in counts if state == Question.State.IMPORTED)
    return {
        "progress": [(progress, progress.ends_on(today)) for progress in rows],
        "states": counts,
        # Without a task, what is imported waits until the team opens it.
        "unopened": 0 if rows else imported,
        "questions_in_all": sum(number for _, _, number in counts),
        "concerned": sum(number for state, _, number in counts if state == Question.State.FLAGGED),
        "counted_at": stored_counts.counted_at(project, OVERVIEW),
    }
