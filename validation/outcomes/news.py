"""Decisions on a person's own submissions, as news."""

import datetime as dt

from accounts import prepared
from accounts.models import User
from annotation.extensions.outcomes import read_outcome_labels
from annotation.extensions.parts import DecidedSubmission
from annotation.models import Assignment

# A gold item is decided on with the question that it was handed out beside.
# Only the newest submissions, so that the cost does not grow with their number.
_NEWEST = """
    SELECT a.id, a.task_id FROM annotation_assignment a
    WHERE a.user_id = %(user)s AND a.state = 'submitted' AND a.stage = 'generation'
    ORDER BY a.id DESC LIMIT 200"""
_DECIDED = f"""
    FROM ({_NEWEST}) a JOIN annotation_task t ON t.id = a.task_id
    LEFT JOIN annotation_golditem i ON i.task_id = t.id
    LEFT JOIN annotation_task h ON h.id = i.host_id
    JOIN validation_decision d
      ON d.question_id = COALESCE(h.question_id, t.question_id) AND d.in_force
    WHERE d.created_at > %(since)s"""
COUNT = f"SELECT count(*) {_DECIDED}"
_LIST = f"SELECT a.id, d.created_at {_DECIDED} ORDER BY d.created_at DESC LIMIT 20"


def list_new_results(user: User, since: dt.datetime) -> list[DecidedSubmission]:
    """Return the person's submissions decided after `since`, newest first. Three queries."""
    rows = prepared.fetch_rows(_LIST, {"user": user.pk, "since": since})
    if not rows:
        return []
    ids = [pk for pk, _ in rows]
    turns = Assignment.objects.select_related("task__question", "project").in_bulk(ids)
    told = read_outcome_labels(user, ids)
    return [DecidedSubmission(turns[pk], told[pk][0], at) for pk, at in rows if pk in told]
