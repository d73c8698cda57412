"""What the work page and the API do with one person's turn: read, save, check.

Everything specific to a stage is in its sheet and in the stage; see `annotation.stages.registry`.
Where the draft lies and what may be done with it is in the desk.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from annotation.core.refusals import Conflict, Denied, ResponseRefused
from annotation.sheets.report import FindingsReport
from annotation.sheets.steps import Step, StepProgress, drop_later_rules, find_previous_step
from annotation.work import drafts
from annotation.work import succession as steps
from annotation.work.desk import Desk

D = TypeVar("D", bound=Desk)


class Turn(Generic[D]):
    """One request of the person whose turn it is at a desk."""

    def __init__(self, desk: D) -> None:
        self.desk, self.sheet = desk, desk.sheet

    @property
    def given(self) -> Any:
        """What the rules and the page may know."""
        return self.desk.given

    @property
    def progress(self) -> StepProgress:
        """How far the person is on a sheet of several steps."""
        return self.desk.progress

    @property
    def step(self) -> str:
        """The key of the step in hand, "" on a sheet without steps."""
        return self.sheet.steps[self.progress.at].key if self.sheet.steps else ""

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
        report = self.desk.check_response(response, touched=touched)
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
        self.desk.change_step(fitting, 1, version, dropped)

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
        self.desk.change_step(response, -1, version, "")

    def check_may_look(self, response: Any, version: int) -> None:
        """Refuse people who may no longer look; save their draft first, over another window's."""
        try:
            self.desk.check_may_look()
        except Denied:
            try:
                self.desk.save_draft(response, version)
            except drafts.DraftConflict as conflict:
                with suppress(drafts.DraftConflict):
                    self.desk.save_draft(response, conflict.version)
            raise
