"""Decisions on a person's own submissions, as news."""

import datetime as dt

from accounts import prepared_statements
from accounts.models import User
from annotation.extensions.outcomes import read_outcome_labels
from annotation.extensions.parts import DecidedSubmission
from annotation.models import Assignment
from validation.outcomes.statements import LIST_DECIDED


def list_new_results(user: User, since: dt.datetime) -> list[DecidedSubmission]:
    """Return the person's submissions decided after `since`, newest first. Three queries."""
    rows = prepared_statements.fetch_rows(LIST_DECIDED, {"user": user.pk, "since": since})
    if not rows:
        return []
    ids = [pk for pk, _ in rows]
    turns = Assignment.objects.select_related("task__question", "project").in_bulk(ids)
    told = read_outcome_labels(user, ids)
    return [DecidedSubmission(turns[pk], told[pk][0], at) for pk, at in rows if pk in told]
