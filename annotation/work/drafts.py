"""Save drafts. Nothing typed is ever lost, and no window overwrites another."""

import datetime as dt
import json
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts import prepared_statements
from accounts.models import User
from annotation.access import work
from annotation.core import limits
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.core.states import SAVABLE, SENTENCES
from annotation.core.texts import MOST_BYTES, dump_draft_json
from annotation.work import at_limit
from annotation.work.leases import signs_of_life
from annotation.work.statements import SAVE_DRAFT

__all__ = ["MOST_BYTES", "DraftConflict", "dump_draft_json", "save_draft"]


class DraftConflict(Conflict):
    """The draft was saved elsewhere in the meantime: `theirs` is stored, as `version`."""

    def __init__(self, theirs: dict[str, Any], version: int, saved_at: dt.datetime | None) -> None:
        at = f" at {timezone.localtime(saved_at):%H:%M}" if saved_at else ""
        super().__init__(f"This draft was also saved{at}, in another window.")
        self.theirs = theirs
        self.version = version
        self.saved_at = saved_at


def save_draft(
    *, assignment: Assignment, draft: dict[str, Any], version: int, by: User, now: dt.datetime
) -> int:
    """Save the draft if it has not been saved since `version`; return the new version.

    One conditional UPDATE, which also counts active time and renews the lease. Saving the
    same draft again (a retry after a lost reply) returns the stored version. Raises DraftConflict
    with the other draft, Conflict when the work is submitted, TooMuch above 400,000 bytes.

    Shortly after a time limit it is saved all the same. Later it is refused, and kept apart.
    """
    work.check_owns(by, assignment)
    stored = dump_draft_json(draft)
    try:
        in_time = assignment.state == Assignment.State.SUBMITTED and not assignment.at_limit
        if limits.is_grace_over(assignment, now) and not in_time:
            raise Conflict(limits.time_ended_sentence(assignment))
        return _save(assignment, stored, version, now)
    except Conflict:
        if limits.is_time_up(assignment, now):
            at_limit.keep_late_draft(assignment, draft, now=now)
        raise


@transaction.atomic
def _save(assignment: Assignment, stored: str, version: int, now: dt.datetime) -> int:
    rows = prepared_statements.fetch_rows(
        SAVE_DRAFT,
        {
            **signs_of_life(assignment, now),
            "draft": stored,
            "version": version,
            "savable": list(SAVABLE),
        },
    )
    if not rows:
        return _saved_elsewhere(assignment, json.loads(stored))
    [row] = rows
    assignment.draft, assignment.draft_saved_at = json.loads(stored), now
    assignment.draft_version, assignment.lease_ends_at = row[0], row[1]
    assignment.active_seconds, assignment.seen_at = row[2], row[3]
    return assignment.draft_version


def _saved_elsewhere(assignment: Assignment, draft: dict[str, Any]) -> int:
    assignment.refresh_from_db(
        fields=["state", "draft", "draft_version", "draft_saved_at", "lease_ends_at"]
    )
    if assignment.state not in SAVABLE:
        raise Conflict(SENTENCES[assignment.state])
    if assignment.draft == draft:
        return assignment.draft_version
    raise DraftConflict(assignment.draft, assignment.draft_version, assignment.draft_saved_at)
