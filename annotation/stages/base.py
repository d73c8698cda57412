"""A stage that has a sheet: what it inherits, and what is left for it to say."""

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from accounts.models import User
from annotation.models import Assignment, Event
from annotation.policies.work import Refused
from annotation.sheets.report import Report
from annotation.sheets.rules import HasKeeps, HasSettings
from annotation.sheets.sheet import Sheet
from annotation.stages import Ordinary

R = TypeVar("R", bound=HasKeeps)
G = TypeVar("G", bound=HasSettings)


class SheetStage(Ordinary, ABC, Generic[R, G]):
    """A stage whose work is done on one sheet, with responses R, knowing G.

    A stage says `key`, `label`, `protocol`, `role` and `sheet`, `default_policies`, `given`,
    `write`, `submission`, `withdraw` and `record`. The rest has an ordinary answer: what the
    engine asks is in `Ordinary`, what the work page asks is here.
    """

    key: str
    label: str
    sheet: Sheet[R, G]

    # --- what rules and page may know -------------------------------------------------------------

    @abstractmethod
    def given(self, assignment: Assignment, *, now: dt.datetime) -> G:
        """Return what rules and page may know of a turn; what costs a query, as a function."""

    def check_may_look(self, assignment: Assignment, *, by: User) -> None:
        """Raise Denied where the person may no longer see what is given. What they typed is kept
        all the same."""

    # --- submission -------------------------------------------------------------------------------

    def submit(self, assignment: Assignment, response: R, *, by: User, now: dt.datetime) -> Any:
        """Run the rules on what is submitted of a response, then write it.

        Raises Refused(report) while something blocks, and Conflict, before anything is written,
        where the response no longer fits what is there: then it is kept as the draft.
        """
        response = self.sheet.settled(response)
        given = self.given(assignment, now=now)
        self.check_fits(assignment, response, given)
        report = self.sheet.report(response, given)
        if not report.can_submit:
            raise Refused(report)
        return self.write(assignment, response, report, given=given, by=by, now=now)

    def check_fits(self, assignment: Assignment, response: R, given: G) -> None:
        """Raise Conflict where the response no longer fits what is there."""

    @abstractmethod
    def write(
        self,
        assignment: Assignment,
        response: R,
        report: Report,
        *,
        given: G,
        by: User,
        now: dt.datetime,
    ) -> Any:
        """Write the stage's own rows for a response that passed the rules; return the first."""

    # --- the work page ----------------------------------------------------------------------------

    def around(
        self, assignment: Assignment, given: G, context: Mapping[str, Any], *, by: User
    ) -> dict[str, Any]:
        """Return what only the whole page shows, beside what is in `context` already."""
        return {}

    def ended(self, assignment: Assignment) -> dict[str, Any]:
        """Return what the page of work that is not in hand shows of it."""
        return {"draft": self.sheet.load(assignment.draft)}


def kept_warnings(
    assignment: Assignment, report: Report, *, now: dt.datetime
) -> list[dict[str, str]]:
    """Return the warnings that fired and were kept, and write each into the log of events (A67)."""
    reasons = {
        (finding.rule, finding.field): finding.kept_because
        for finding in report.findings
        if finding.kept_because
    }
    warnings = [
        {"rule": rule, "field": field, "reason": reason}
        for (rule, field), reason in reasons.items()
    ]
    Event.objects.bulk_create(
        Event(assignment=assignment, kind=Event.Kind.WARNING_KEPT, at=now, data=data)
        for data in warnings
    )
    return warnings
