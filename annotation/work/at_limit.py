"""What happens to text around the end of a time limit: kept, marked, or left out."""

import datetime as dt
import json
from typing import Any

from accounts import prepared_statements
from annotation.core import limits
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.core.texts import dump_draft_json
from annotation.stages import registry as stages
from annotation.work.statements import KEEP_LATE_DRAFT

CLOCK, WINDOW = "clock", "window"


def apply_time_limit(
    assignment: Assignment, response: Any, *, by_clock: bool, now: dt.datetime
) -> tuple[Any, dict[str, Any]]:
    """Return what is submitted of locked work, and the columns that say how its limit ended.

    Within the grace a window's own text counts, marked with how late it came. After it, what the
    last draft holds is submitted; another text is kept as left out. Nothing before the end.
    """
    if not limits.is_time_up(assignment, now):
        return response, {}
    stored = Assignment.objects.values_list("draft", "draft_saved_at", "at_limit")
    draft, saved_at, at_limit = stored.get(pk=assignment.pk)
    sheet = stages.get_stage(assignment.stage).sheet
    if not limits.is_grace_over(assignment, now):
        if by_clock:
            raise Conflict("The time has not ended yet.")
        told = {"by": WINDOW, "late_seconds": limits.late_seconds(assignment, now)}
        return response, {"at_limit": at_limit | told}
    told = {
        "by": CLOCK if by_clock else WINDOW,
        "late_seconds": limits.late_seconds(assignment, saved_at),
    }
    if not by_clock and (sent := sheet.dump(response)) not in (draft, sheet.dump(sheet.blank)):
        told |= _left_out(sent, now)
    return sheet.load(draft), {"at_limit": at_limit | told}


def _left_out(draft: dict[str, Any], now: dt.datetime) -> dict[str, Any]:
    return {"left_out": json.loads(dump_draft_json(draft)), "left_out_at": now.isoformat()}


def keep_late_draft(assignment: Assignment, draft: dict[str, Any], *, now: dt.datetime) -> None:
    """Keep text that came after the end and is not part of the submission; the last one counts.

    One conditional UPDATE, which does nothing on work that a person submitted in time.
    """
    prepared_statements.fetch_rows(
        KEEP_LATE_DRAFT,
        {
            "id": assignment.pk,
            "now": now,
            "told": json.dumps(_left_out(draft, now)),
            "draft": dump_draft_json(draft),
        },
    )


def keep_as_draft(
    assignment: Assignment, draft: dict[str, object] | None, *, now: dt.datetime
) -> None:
    """Save a refused response of locked work as the draft; after a time limit, keep it apart."""
    if draft is None:
        return
    if limits.is_grace_over(assignment, now):
        return keep_late_draft(assignment, draft, now=now)
    fresh = Assignment.objects.only("draft", "draft_version").get(pk=assignment.pk)
    if fresh.draft != draft:
        assignment.draft, assignment.draft_version = draft, fresh.draft_version + 1
        assignment.draft_saved_at = now
        assignment.save(update_fields=["draft", "draft_version", "draft_saved_at"])
