"""The base class of stages with a sheet."""

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from accounts import prepared_statements
from accounts.models import User
from annotation.core import limits
from annotation.core.models.work import Assignment, Event
from annotation.core.refusals import Conflict, ResponseRefused
from annotation.sheets.fields import FormData
from annotation.sheets.report import FindingsReport
from annotation.sheets.rules import HasKeeps, HasSettings
from annotation.sheets.sheet import Sheet
from annotation.sheets.steps import drop_later_rules
from annotation.stages.registry import StageDefaults
from annotation.work import succession as steps

R = TypeVar("R", bound=HasKeeps)
G = TypeVar("G", bound=HasSettings)


class SheetStage(StageDefaults, ABC, Generic[R, G]):
    """A stage whose work is done on one sheet, with responses R, knowing G.

    A stage defines `key`, `label`, `protocol`, `role` and `sheet`, `default_policies`, `given`,
    `write`, `submission`, `withdraw` and `record`. The rest has defaults: those for the engine are
    in `StageDefaults`, those for the work page here.
    """

    key: str
    label: str
    sheet: Sheet[R, G]

    # --- what rules and page may know -------------------------------------------------------------

    @abstractmethod
    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> G:
        """Return what rules and page may know of an assignment; queries are functions."""

    def check_may_look(self, assignment: Assignment, *, by: User) -> None:
        """Raise Denied if the person may no longer see what is given. What they typed is saved all
        the same.
        """

    # --- drafts -----------------------------------------------------------------------------------

    def apply_press(
        self,
        assignment: Assignment,
        response: R,
        press: str,
        given: G,
        post: FormData,
        *,
        by: User,
        now: dt.datetime,
    ) -> R:
        """Return the response after a press; one that needs rows is done here, not in the sheet."""
        return self.sheet.apply_press(response, press, given, post)

    def record_saved_draft(
        self, assignment: Assignment, response: R, given: G, *, by: User, now: dt.datetime
    ) -> None:
        """Record what else a saved draft tells. Called after each save."""

    # --- submission -------------------------------------------------------------------------------

    def submit(self, assignment: Assignment, response: R, *, by: User, now: dt.datetime) -> Any:
        """Run the rules on the part of a response that is submitted, then write it.

        Raises ResponseRefused(report) while something blocks. Raises Conflict, before anything is
        written, if the response no longer fits what is given; it is then saved as the draft.
        """
        progress = steps.progress_now(assignment, self.sheet)
        held = self.sheet.up_to_step(self.sheet.with_other_steps(response, progress), progress.at)
        response = self.sheet.submitted_part(held)
        given = self.build_sheet_context(assignment, now=now)
        self.check_fits(assignment, response, given)
        report = drop_later_rules(
            self.sheet.steps, self.sheet.check_response(response, given), progress.at
        )
        # After a time limit, what there is gets submitted as it is.
        stops = not limits.is_time_up(assignment, now)
        if stops and not report.can_submit:
            raise ResponseRefused(report)
        if stops and self.sheet.has_next_step(response, progress.at):
            raise Conflict(steps.UNFINISHED)
        return self.write_rows(assignment, response, report, given=given, by=by, now=now)

    def check_fits(self, assignment: Assignment, response: R, given: G) -> None:
        """Raise Conflict if the response no longer fits what is given.

        The engine holds the question's lock; the question in hand has its state.
        """

    @abstractmethod
    def write_rows(
        self,
        assignment: Assignment,
        response: R,
        report: FindingsReport,
        *,
        given: G,
        by: User,
        now: dt.datetime,
    ) -> Any:
        """Write the stage's own rows for a response that passed the rules; return the first."""

    # --- the work page ----------------------------------------------------------------------------

    def page_context(
        self, assignment: Assignment, given: G, context: Mapping[str, Any], *, by: User
    ) -> dict[str, Any]:
        """Return the context that only the whole page needs, in addition to `context`."""
        return {}

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Return the context of the page of work that is not in hand."""
        return {"draft": self.sheet.load(assignment.draft)}


def kept_warnings(
    assignment: Assignment, report: FindingsReport, *, now: dt.datetime
) -> list[dict[str, str]]:
    """Return the warnings that fired and were kept, and log each as an event (A67)."""
    reasons = {
        (finding.rule, finding.field): finding.kept_because
        for finding in report.findings
        if finding.kept_because
    }
    warnings = [
        {"rule": rule, "field": field, "reason": reason}
        for (rule, field), reason in reasons.items()
    ]
    prepared_statements.insert_rows(
        Event(assignment=assignment, kind=Event.Kind.WARNING_KEPT, at=now, data=data)
        for data in warnings
    )
    return warnings
