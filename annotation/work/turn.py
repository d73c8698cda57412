"""What the work page and the API do with one person's turn: read, save, check.

Everything specific to a stage is in its sheet and in the stage; see `annotation.stages.registry`.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from accounts.models import User
from annotation.core import limits
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied, ResponseRefused
from annotation.reading import events
from annotation.sheets.report import FindingsReport
from annotation.sheets.steps import Step, StepProgress, drop_later_rules, find_previous_step
from annotation.stages import registry as stages
from annotation.work import at_limit, drafts
from annotation.work import succession as steps

State = Assignment.State


class Turn:
    """One request of the person whose turn it is."""

    def __init__(self, assignment: Assignment, *, by: User, now: dt.datetime) -> None:
        self.assignment, self.by, self.now = assignment, by, now
        self.stage = stages.get_stage(assignment.stage)
        self.sheet = self.stage.sheet

    @cached_property
    def given(self) -> Any:
        """What the rules and the page may know of the assignment."""
        return self.stage.build_sheet_context(self.assignment, now=self.now)

    @cached_property
    def progress(self) -> StepProgress:
        """How far the person is on a sheet of several steps."""
        return steps.progress_of(self.assignment)

    @property
    def step(self) -> str:
        """The key of the step in hand, "" on a sheet without steps."""
        return steps.key_in_hand(self.assignment, self.sheet)

    def is_stale(self, key: str, version: int) -> bool:
        """Whether a form was made for another step, or before the person came to this one again."""
        return key != self.step or version < self.progress.since

    def check_step(self, key: str, version: int) -> None:
        """Raise Conflict if a form was made for another step than the one in hand."""
        if self.is_stale(key, version):
            raise Conflict(steps.ELSEWHERE)

    def load_response(self, draft: Mapping[str, object]) -> Any:
        """Return the response of a stored draft, adapted to what is given now."""
        return self.sheet.adapt_response(self.with_other_steps(self.sheet.load(draft)), self.given)

    def with_other_steps(self, response: Any) -> Any:
        """Return a response that came in, with the answers that are kept of other steps."""
        return self.sheet.with_other_steps(response, self.progress)

    def check_response(
        self, response: Any, *, touched: Sequence[str] | None = None
    ) -> FindingsReport:
        """Run the rules; with `touched`, only findings on those fields are shown."""
        report = self.sheet.check_response(response, self.given, touched=touched)
        return drop_later_rules(self.sheet.steps, report, self.progress.at)

    def has_next_step(self, response: Any) -> bool:
        """Whether another step follows the one in hand."""
        return self.sheet.has_next_step(response, self.progress.at)

    def finish_step(self, response: Any, version: int) -> None:
        """Finish the step in hand: its answers are kept, and the next step begins.

        Raises ResponseRefused while a rule of this step or an earlier one stops it, and
        DraftConflict if another window was faster.
        """
        report = self.check_response(response)
        if not report.can_submit:
            raise ResponseRefused(report)
        if not self.has_next_step(response):
            raise Conflict("This is the last step. Submit the work.")
        fitting, dropped = self.sheet.drop_misfit_answers(response, self.given)
        self._move(1, fitting, version, dropped)

    @property
    def step_before(self) -> Step | None:
        """The step that the person may go back to, None if there is none."""
        return find_previous_step(self.sheet.steps, self.progress.at)

    def go_back(self, response: Any, version: int) -> None:
        """Go back to the step before, and keep what was typed in this one.

        Raises Conflict if one cannot, and DraftConflict if another window was faster.
        """
        if self.step_before is None:
            raise Conflict(steps.NO_WAY_BACK)
        self._move(-1, response, version)

    def _move(self, by: int, response: Any, version: int, dropped: str = "") -> None:
        steps.change_step(
            assignment=self.assignment,
            sheet=self.sheet,
            response=response,
            steps_on=by,
            version=version,
            dropped=dropped,
            by=self.by,
            now=self.now,
        )

    def save(self, response: Any, version: int) -> None:
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

    def find_newer_draft(self, response: Any, version: int) -> drafts.DraftConflict | None:
        """Return the draft that was saved elsewhere since `version`, if it is another one."""
        assignment = self.assignment
        own: tuple[dict[str, object], ...] = ({}, self.sheet.dump(response))
        if version == assignment.draft_version or assignment.draft in own:
            return None
        # After a time limit, what was saved is submitted; this text is only kept.
        if limits.is_grace_over(assignment, self.now) or not self.may_look():
            return None
        if limits.is_time_up(assignment, self.now):
            at_limit.keep_late_draft(assignment, self.sheet.dump(response), now=self.now)
        return drafts.DraftConflict(
            assignment.draft, assignment.draft_version, assignment.draft_saved_at
        )

    def may_look(self) -> bool:
        """Whether the person may still see what is given."""
        try:
            self.stage.check_may_look(self.assignment, by=self.by)
        except Denied:
            return False
        return True

    def check_may_look(self, response: Any, version: int) -> None:
        """Refuse people who may no longer look; save their draft first, over another window's."""
        try:
            self.stage.check_may_look(self.assignment, by=self.by)
        except Denied:
            try:
                self.save(response, version)
            except drafts.DraftConflict as conflict:
                with suppress(drafts.DraftConflict):
                    self.save(response, conflict.version)
            raise

    def note_warnings(self, report: FindingsReport) -> None:
        """Log which warnings the person sees, so that each rule's share of kept ones is known."""
        shown = [
            (finding.rule, finding.field)
            for finding in report.findings
            if finding.level == "warning"
        ]
        if self.assignment.state == State.ACTIVE:
            events.warnings_shown(
                assignment=self.assignment, warnings=shown, by=self.by, now=self.now
            )
