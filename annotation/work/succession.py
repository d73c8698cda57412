"""Steps in succession: go on to the next or back, and keep the time that each one took.

The next step is not shown before, since a stage's `given` asks how far its person is, and what was
answered in other steps stays, since every response is read with the answers that are kept here.
"""

import datetime as dt
import json
from typing import Any

from accounts import prepared_statements
from accounts.models import User
from annotation.access import work
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.core.states import SENTENCES
from annotation.sheets import steps
from annotation.sheets.sheet import Sheet
from annotation.sheets.steps import StepProgress
from annotation.work import drafts
from annotation.work.leases import seconds_at, signs_of_life
from annotation.work.statements import CHANGE_STEP

State = Assignment.State
UNFINISHED = "Another step follows. Finish this one, then continue with the next."
ELSEWHERE = "This step was left in another window. Reload the page to continue."
NO_WAY_BACK = "The step before cannot be changed once it is finished."


def progress_of(assignment: Assignment) -> StepProgress:
    """Return how far the person is, as it was when the assignment was read."""
    return steps.load_progress(assignment.steps)


def progress_now(assignment: Assignment, sheet: Sheet[Any, Any]) -> StepProgress:
    """Return how far the person is now, read again under the caller's lock."""
    if sheet.steps:
        assignment.refresh_from_db(fields=["steps"])
    return progress_of(assignment)


def change_step(
    *,
    assignment: Assignment,
    sheet: Sheet[Any, Any],
    response: Any,
    steps_on: int,
    version: int,
    dropped: str = "",
    by: User,
    now: dt.datetime,
) -> None:
    """Save the response, keep its answers, and begin the next step (`steps_on` is 1) or the one
    before (-1). One conditional UPDATE.

    Raises Conflict if the work is not in hand or the project is not running; DraftConflict if the
    draft was saved elsewhere since `version`.
    """
    work.check_owns(by, assignment)
    work.check_running(assignment.project.state)
    progress = progress_of(assignment)
    stored = drafts.dump_draft_json(sheet.dump(response))
    timed = progress.with_step_time(sheet.steps[progress.at].key, seconds_at(assignment, now))
    done = timed.with_step_changed(steps_on, json.loads(stored), version + 1, dropped)
    rows = prepared_statements.fetch_rows(
        CHANGE_STEP,
        {
            **signs_of_life(assignment, now),
            "steps": json.dumps(steps.dump_progress(done)),
            "draft": stored,
            "version": version,
        },
    )
    if not rows:
        raise _missed(assignment)
    [row] = rows
    assignment.draft, assignment.draft_saved_at = json.loads(stored), now
    assignment.draft_version, assignment.lease_ends_at = row[0], row[1]
    assignment.active_seconds, assignment.seen_at = row[2], row[3]
    assignment.steps = steps.dump_progress(done)


def last_step_columns(
    assignment: Assignment, sheet: Sheet[Any, Any], active_seconds: int
) -> dict[str, dict[str, Any]]:
    """Return the columns of a submission: the seconds of its last step. None without steps."""
    if not sheet.steps:
        return {}
    progress = progress_of(assignment)
    return {
        "steps": steps.dump_progress(
            progress.with_step_time(sheet.steps[progress.at].key, active_seconds)
        )
    }


def _missed(assignment: Assignment) -> Conflict:
    """Return why the step could not be finished."""
    before = assignment.steps
    assignment.refresh_from_db(
        fields=["state", "draft", "draft_version", "draft_saved_at", "lease_ends_at", "steps"]
    )
    if assignment.state != State.ACTIVE:
        return Conflict(SENTENCES[assignment.state])
    if assignment.steps != before:
        return Conflict(ELSEWHERE)
    return drafts.DraftConflict(
        assignment.draft, assignment.draft_version, assignment.draft_saved_at
    )
