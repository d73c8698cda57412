"""Another person says whether a paraphrase asks the same, and reads naturally (Q6)."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.golds.queries import shown_of
from annotation.models import Assignment, Question, Role, Submission
from annotation.sheets.choice_sheet import ChoiceSheet, Chosen, Option
from annotation.sheets.fields import FormData
from annotation.sheets.known_items import Grade, KnownItem
from annotation.sheets.report import FindingsReport
from annotation.sheets.work_context import WorkContext
from annotation.work.json_stage import JsonStage, given_of
from qampari.golds import WrongParaphrases
from qampari.paraphrase_rows import Paraphrase, Verification
from qampari.services import paraphrases

SAME = Verification.Verdict.SAME.value
_NO_REASON = "Say what to change. Its author will read it."


@dataclass(frozen=True, kw_only=True)
class VerifyContext(WorkContext):
    """The paraphrase to verify, and its version; only its text is shown."""

    row: Paraphrase
    version: int

    @property
    def text(self) -> str:
        """The paraphrase as it is now."""
        return self.row.text


class VerifySheet(ChoiceSheet[VerifyContext]):
    """One of three verdicts, and why."""

    page = "qampari/verify.html"
    script = "evaluation/judging/judging.js"
    reads = False
    options = (
        Option(SAME, "Same meaning", "It has the same answers, and reads naturally."),
        Option("changed", "The meaning has changed", "Some answers would be others.", _NO_REASON),
        Option(
            "unnatural",
            "It does not read naturally",
            "It asks the same, but nobody would ask it so.",
            _NO_REASON,
        ),
    )

    def given_to_json(self, given: VerifyContext) -> dict[str, Any]:
        """Return the paraphrase, and the verdicts there are."""
        return {"paraphrase": given.text} | super().given_to_json(given)

    def grade_response(
        self, response: Chosen, item: KnownItem, unanswered: Sequence[str] = ()
    ) -> Grade:
        """A paraphrase that is known to be wrong is refused, for whatever reason."""
        refused = response.verdict != item.expected["not"]
        return item.grade_score(float(refused), unanswered=unanswered)

    def form_context(
        self, response: Chosen, report: FindingsReport, given: VerifyContext, post: FormData
    ) -> dict[str, Any]:
        return super().form_context(response, report, given, post) | {"paraphrase": given.text}


class Verifying(JsonStage[Chosen, VerifyContext]):
    """Verification of half of each person's paraphrases. Its tasks are opened by these."""

    key = paraphrases.VERIFY
    label = "Verify paraphrases"
    counted = "paraphrase"
    role = Role.VALIDATOR.value
    first = False
    every_question = False
    opens_in = Question.State.ACCEPTED.value
    people_max = 1
    meets_others = True
    to_do = "to verify"
    expects = "Someone else wrote the paraphrase; you do not see who."
    none_ready = (
        "No paraphrase to verify",
        "Half of each person’s paraphrases appear here, and never your own.",
    )
    enough = "has been verified"
    sheet = VerifySheet(source="Q6")
    golds = WrongParaphrases()
    about: Mapping[str, str] = {"paraphrase": "Paraphrase"}

    def tasks_for(self, question: Question) -> Sequence[str]:
        """No tasks: a paraphrase that is drawn makes its own."""
        return []

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> VerifyContext:
        shown = shown_of(assignment.task)
        pk, version = map(int, shown.unit.split("-"))
        row = Paraphrase.objects.filter(pk=pk).first()
        if row is None:
            raise Conflict("This paraphrase is gone, so it cannot be verified any more.")
        row.text = shown.content.get("text", row.text)
        return VerifyContext(**vars(given_of(assignment, now=now)), row=row, version=version)

    def values_to_store(
        self, assignment: Assignment, response: Chosen, given: VerifyContext, *, now: dt.datetime
    ) -> dict[str, Any]:
        """Return the paraphrase that was shown."""
        return {"paraphrase": given.text}

    def check_fits(self, assignment: Assignment, response: Chosen, given: VerifyContext) -> None:
        """Refuse what is no longer asked: the paraphrase went back to its author meanwhile."""
        if assignment.gold:
            return  # nobody verifies the paraphrases of its question, whatever becomes of them
        if given.row.submission_id is None or given.row.version != given.version:
            raise Conflict(
                "The author of this paraphrase is writing it anew, so it does not have to be "
                "verified now. Release this question."
            )
        if given.row.author_id == assignment.user_id:
            raise Conflict("You wrote this paraphrase. Release this question.")

    def write_rows(
        self,
        assignment: Assignment,
        response: Chosen,
        report: FindingsReport,
        *,
        given: VerifyContext,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the submission and the verdict; a refused paraphrase goes back or is replaced.

        The verdict on a gold item changes nothing.
        """
        submission = super().write_rows(assignment, response, report, given=given, by=by, now=now)
        if assignment.gold:
            return submission
        question = assignment.task.question
        paraphrases.apply_verdict(
            submission, question, given.row, response.verdict, response.why, now=now
        )
        return submission

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the submission with its verdict, unless the paraphrase has gone back already."""
        said = Verification.objects.filter(submission__assignment_id=assignment.pk)
        if said.exclude(verdict=SAME).exists():
            raise Conflict(
                "The paraphrase was refused because of this, so it cannot be returned. If this is "
                "wrong, exclude it: it then no longer counts as refused, and its author can submit "
                "it as it was."
            )
        super().withdraw(assignment)

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show the paraphrase with what was said of it."""
        given = self.build_sheet_context(assignment, now=assignment.seen_at)
        context = super().ended_page_context(assignment)
        return context | {"texts": [("Paraphrase", given.text), *context["texts"]]}
