"""An item of an exam, or a sample, as a desk: without a lease, a log or steps."""

import datetime as dt
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from accounts.models import User
from annotation.qualifications import attempts, presentation
from annotation.qualifications.item_queries import Asked
from annotation.qualifications.models import QualificationAnswer, QualificationAttempt
from annotation.sheets.report import FindingsReport
from annotation.text.addresses import address_of
from annotation.work.desk import Desk


class AnswerDesk(Desk):
    """A person's own answer to one item."""

    def __init__(self, answer: QualificationAnswer, *, by: User, now: dt.datetime) -> None:
        self.row = self.answer = answer
        self.attempt = answer.attempt
        self.asked = Asked(self.attempt.qualification, answer.item)
        super().__init__(
            self.asked.sheet,
            address=address_of("attempt-item", answer.attempt_id, answer.number),
            draft_url=address_of("attempt-draft", answer.attempt_id, answer.number),
            by=by,
            now=now,
        )

    @property
    def is_in_hand(self) -> bool:
        """Whether the attempt is in progress, and this sample not submitted yet."""
        going = self.attempt.state == QualificationAttempt.State.IN_PROGRESS
        return going and self.answer.handed_in_at is None

    @cached_property
    def given(self) -> Any:
        """What the rules and the page may know of the item: nothing that was prepared."""
        return self.asked.given

    def check_may_look(self) -> None:
        """Refuse nothing: who began an attempt may look at its items."""

    def note_warnings(self, report: FindingsReport) -> None:
        """Log nothing: an exam has no log."""

    def check_response(self, response: Any, *, touched: Sequence[str] | None) -> FindingsReport:
        """Run the rules of the qualification; after a check, all their findings are shown."""
        everything = presentation.is_checked(self.answer)
        return self.asked.check_response(response, touched=None if everything else touched)

    def press_anchor(self, response: Any, press: str, before: Any) -> str:
        """Return the id of the element to scroll to: the verdict or the hint that was asked for."""
        place = {"check": "verdict", "hint": "hint"}.get(press.partition(" ")[0])
        return place or super().press_anchor(response, press, before)

    def save_draft(self, response: Any, version: int) -> None:
        """Save the draft. Raises DraftConflict if another window was faster."""
        attempts.save_draft(
            answer=self.answer,
            draft=self.sheet.dump(response),
            version=version,
            by=self.by,
            now=self.now,
        )

    def submit(self, response: Any) -> None:
        """Submit a sample on its own, as it was saved; an exam is submitted as a whole."""
        attempts.hand_in_sample(answer=self.answer, by=self.by, now=self.now)
