"""A question in hand as a desk: with its stage, its lease, its steps and its log."""

import datetime as dt
from functools import cached_property
from typing import Any

from accounts.models import User
from annotation.core import limits
from annotation.core.models.changes import SubmissionChange
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied
from annotation.reading import events
from annotation.sheets.fields import FormData
from annotation.sheets.report import FindingsReport
from annotation.sheets.steps import StepProgress
from annotation.stages import registry as stages
from annotation.text.addresses import address_of
from annotation.work import assignments, at_limit, changing, drafts
from annotation.work import succession as steps
from annotation.work.desk import Desk
from annotation.work.turn import Turn

State = Assignment.State


class AssignmentDesk(Desk):
    """An assignment of the person who asks, on the sheet of its stage."""

    def __init__(self, assignment: Assignment, *, by: User, now: dt.datetime) -> None:
        self.assignment = assignment
        self.row: Any = assignment
        self.stage = stages.get_stage(assignment.stage)
        super().__init__(
            self.stage.sheet,
            address=address_of("work-page", assignment.pk),
            draft_url=address_of("work-draft", assignment.pk),
            by=by,
            now=now,
        )

    @property
    def is_in_hand(self) -> bool:
        """Whether it is the person's now, and no time limit has ended it."""
        active = self.assignment.state == State.ACTIVE
        return active and not limits.is_grace_over(self.assignment, self.now)

    @cached_property
    def given(self) -> Any:
        """What the rules and the page may know of the assignment."""
        return self.stage.build_sheet_context(self.assignment, now=self.now)

    @cached_property
    def progress(self) -> StepProgress:
        """How far the person is on a sheet of several steps."""
        return steps.progress_of(self.assignment)

    def check_may_look(self) -> None:
        """Raise Denied if the person may no longer see what is given."""
        self.stage.check_may_look(self.assignment, by=self.by)

    def may_look(self) -> bool:
        """Whether the person may still see what is given."""
        try:
            self.check_may_look()
        except Denied:
            return False
        return True

    def apply_press(self, response: Any, press: str, post: FormData) -> Any:
        """Return the response after a press; the stage does what needs rows."""
        return self.stage.apply_press(
            self.assignment, response, press, self.given, post, by=self.by, now=self.now
        )

    def note_warnings(self, report: FindingsReport) -> None:
        """Log which warnings the person sees, so that each rule's share of kept ones is known."""
        shown = [
            (finding.rule, finding.field)
            for finding in report.findings
            if finding.level == "warning"
        ]
        if self.assignment.state == State.ACTIVE or self.assignment.is_changing:
            events.warnings_shown(
                assignment=self.assignment, warnings=shown, by=self.by, now=self.now
            )

    def save_draft(self, response: Any, version: int) -> None:
        """Save the draft. Raises DraftConflict if another window was faster."""
        drafts.save_draft(
            assignment=self.assignment,
            draft=self.sheet.dump(response),
            version=version,
            by=self.by,
            now=self.now,
        )
        self.stage.record_saved_draft(
            self.assignment, response, self.given, by=self.by, now=self.now
        )

    def change_step(self, response: Any, steps_on: int, version: int, dropped: str) -> None:
        """Save the response, and begin the next step (1) or the one before (-1)."""
        steps.change_step(
            assignment=self.assignment,
            sheet=self.sheet,
            response=response,
            steps_on=steps_on,
            version=version,
            dropped=dropped,
            by=self.by,
            now=self.now,
        )
        # What was given is still that of the step that is left.
        self.stage.record_saved_draft(
            self.assignment, response, self.given, by=self.by, now=self.now
        )

    def find_newer_draft(self, response: Any, version: int) -> drafts.DraftConflict | None:
        """Return the draft that was saved elsewhere since `version`, if it is another one."""
        assignment, row = self.assignment, self.row
        own: tuple[dict[str, object], ...] = ({}, self.sheet.dump(response))
        if version == row.draft_version or row.draft in own:
            return None
        # After a time limit, what was saved is submitted; this text is only kept.
        if limits.is_grace_over(assignment, self.now) or not self.may_look():
            return None
        if limits.is_time_up(assignment, self.now):
            at_limit.keep_late_draft(assignment, self.sheet.dump(response), now=self.now)
        return drafts.DraftConflict(row.draft, row.draft_version, row.draft_saved_at)

    def submit(self, response: Any) -> None:
        """Submit the response."""
        assignments.submit_response(
            assignment=self.assignment, response=response, by=self.by, now=self.now
        )

    def submit_and_take(self, response: Any) -> Assignment | None:
        """Submit the response; return the next question if it could be taken without waiting."""
        return assignments.submit_and_take(
            assignment=self.assignment, response=response, by=self.by, now=self.now
        )


class ChangeDesk(AssignmentDesk):
    """A submission that its author changes: the draft is the change's, the rest is as it was.

    What is typed after the time for it has ended is kept, too.
    """

    def __init__(
        self, assignment: Assignment, change: SubmissionChange, *, by: User, now: dt.datetime
    ) -> None:
        super().__init__(assignment, by=by, now=now)
        self.row = change

    @property
    def is_in_hand(self) -> bool:
        """Whether it can be changed now."""
        return bool(self.row.ends_at > self.now)

    def save_draft(self, response: Any, version: int) -> None:
        """Save the draft of the change. What else it tells is recorded when it is submitted."""
        draft = self.sheet.dump(response)
        self.row.draft_version = changing.save_change(
            assignment=self.assignment, draft=draft, version=version, by=self.by, now=self.now
        )
        self.row.draft, self.row.draft_saved_at = draft, self.now

    def change_step(self, response: Any, steps_on: int, version: int, dropped: str) -> None:
        """Refuse: what has steps is not changed."""
        raise Conflict(steps.NO_WAY_BACK)

    def submit(self, response: Any) -> None:
        """Put the response in the place of what was submitted."""
        changing.submit_change(
            assignment=self.assignment, response=response, by=self.by, now=self.now
        )


def open_desk(assignment: Assignment, *, by: User, now: dt.datetime) -> AssignmentDesk:
    """Return the desk of a person's turn; one query more where they change a submission."""
    change = changing.find_change(assignment) if assignment.changing_until else None
    if change is None:
        return AssignmentDesk(assignment, by=by, now=now)
    return ChangeDesk(assignment, change, by=by, now=now)


AssignmentTurn = Turn[AssignmentDesk]
