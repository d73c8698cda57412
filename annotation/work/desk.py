"""Where somebody fills in a sheet: one draft with its version, and what is given with it.

An assignment is one (`annotation.work.assignment_desk`), an item of an exam is another
(`annotation.qualifications.desk`). `Turn` and `WorkPage` work at any of them.
"""

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.sheets.fields import FormData
from annotation.sheets.report import FindingsReport
from annotation.sheets.sheet import Sheet
from annotation.sheets.steps import StepProgress


class Desk(ABC):
    """One draft of the person who asks, on its sheet.

    row: what is stored, with draft, draft_version and draft_saved_at; address: its page; draft_url:
    where its form is saved.
    """

    row: Any

    def __init__(
        self,
        sheet: Sheet[Any, Any],
        *,
        address: str,
        draft_url: str,
        by: User,
        now: dt.datetime,
    ) -> None:
        self.sheet, self.by, self.now = sheet, by, now
        self.address, self.draft_url = address, draft_url

    @property
    @abstractmethod
    def is_in_hand(self) -> bool:
        """Whether it can be worked on now."""

    @cached_property
    @abstractmethod
    def given(self) -> Any:
        """What the rules and the page may know."""

    @cached_property
    def progress(self) -> StepProgress:
        """How far the person is on a sheet of several steps."""
        return StepProgress()

    @abstractmethod
    def check_may_look(self) -> None:
        """Raise Denied if the person may no longer see what is given."""

    def apply_press(self, response: Any, press: str, post: FormData) -> Any:
        """Return the response after a press on a button of the form."""
        return self.sheet.apply_press(response, press, self.given, post)

    def press_anchor(self, response: Any, press: str, before: Any) -> str:
        """Return the id of the element to scroll to after the press."""
        return self.sheet.press_anchor(response, press, before)

    def check_response(self, response: Any, *, touched: Sequence[str] | None) -> FindingsReport:
        """Run the rules; with `touched`, only findings on those fields are shown."""
        return self.sheet.check_response(response, self.given, touched=touched)

    @abstractmethod
    def note_warnings(self, report: FindingsReport) -> None:
        """Log which warnings the person sees, where there is a log."""

    @abstractmethod
    def save_draft(self, response: Any, version: int) -> None:
        """Save the draft. Raises DraftConflict if another window was faster."""

    def change_step(self, response: Any, steps_on: int, version: int, dropped: str) -> None:
        """Save the response, and begin the next step (1) or the one before (-1).

        Raises Conflict if one cannot, and DraftConflict if another window was faster.
        """
        raise Conflict("This form has no steps.")

    @abstractmethod
    def submit(self, response: Any) -> Any:
        """Submit the response, and return what the person works on next, None if nothing is.

        Raises ResponseRefused while a rule stops it, and Conflict if it is too late.
        """
