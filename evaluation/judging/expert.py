"""What experts do in a study: is one answer correct, correct but debatable, or wrong, and why (N9).

The sheet gets the text alone: nothing on the page tells which system wrote it, or what other
experts say.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accounts import prepared_statements
from accounts.models import User
from annotation.core.refusals import Conflict
from annotation.models import Assignment, Project, Question, Role, StagePolicy, Submission
from annotation.sheets.choice_sheet import ChoiceSheet, Chosen, Option
from annotation.sheets.fields import FormData
from annotation.sheets.report import FindingsReport
from annotation.sheets.work_context import WorkContext
from annotation.work.json_stage import JsonStage, given_of
from evaluation.consensus.models import Consensus
from evaluation.consensus.panel import check_can_return
from evaluation.judging.statements import ANSWER_TO_JUDGE
from evaluation.studies.answer_text import render_study_text
from evaluation.studies.models import Judgment

EXPERT = "expert"
CORRECT = "Is it correct?"
_NO_REASON = "Say what is wrong or open to debate."


@dataclass(frozen=True, kw_only=True)
class AnswerJudgingContext(WorkContext):
    """One answer as it is shown, and what only the judgment records: the item, who wrote it."""

    text: str
    item: int
    author: int | None


class ExpertSheet(ChoiceSheet[AnswerJudgingContext]):
    """A verdict on one answer, beside Wikipedia."""

    page = "evaluation/judging/expert.html"
    script = "evaluation/judging/expert.js"
    longest = 5_000
    options = [
        Option(value, str(label), asks="" if value == Consensus.Verdict.CORRECT else _NO_REASON)
        for value, label in Consensus.Verdict.choices
    ]

    def given_to_json(self, given: AnswerJudgingContext) -> dict[str, Any]:
        """Return the answer to judge, and the verdicts there are."""
        return {"text": given.text} | super().given_to_json(given)

    def form_context(
        self, response: Chosen, report: FindingsReport, given: AnswerJudgingContext, post: FormData
    ) -> dict[str, Any]:
        return super().form_context(response, report, given, post) | {
            "text": given.text,
            "asked": CORRECT,
        }


class ExpertJudging(JsonStage[Chosen, AnswerJudgingContext]):
    """Expert judgment. Its tasks are opened by a study."""

    key = EXPERT
    label = "Expert judgment"
    counted = "answer"
    role = Role.EXPERT.value
    first = False
    every_question = False
    measured = ("For a study", "The other experts read it once all of you have judged.")
    expects = "You will not see who or what wrote the answer, or what other experts say."
    none_ready = ("Nothing to judge", "Answers appear here once a study has a place for you.")
    enough = "has as many judgments as it needs"
    no_golds = "A study plans which answers are judged, and the experts discuss every verdict."
    sheet = ExpertSheet(source="N9")

    def tasks_for(self, question: Question) -> Sequence[str]:
        """No tasks: a study makes them."""
        return []

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """No policies: the first study of a split makes its policy."""
        return []

    def build_sheet_context(
        self, assignment: Assignment, *, now: dt.datetime
    ) -> AnswerJudgingContext:
        study, position = map(int, assignment.task.unit.split("-"))
        rows = prepared_statements.fetch_rows(
            ANSWER_TO_JUDGE, {"study": study, "position": position}
        )
        if not rows:
            raise Conflict("This answer is gone, so it cannot be judged any more.")
        [(item, text, how, author)] = rows
        plain = vars(given_of(assignment, now=now))
        return AnswerJudgingContext(
            **plain, text=render_study_text(text, how), item=item, author=author
        )

    def write_rows(
        self,
        assignment: Assignment,
        response: Chosen,
        report: FindingsReport,
        *,
        given: AnswerJudgingContext,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the submission, and the judgment of the item."""
        if given.author == by.pk:
            raise Conflict("You wrote this answer, so you cannot judge it. Release this question.")
        submission = super().write_rows(assignment, response, report, given=given, by=by, now=now)
        Judgment.objects.create(
            item_id=given.item,
            judge=by,
            first_author_id=given.author,
            submission=submission,
            created_at=now,
        )
        return submission

    def withdraw(self, assignment: Assignment) -> None:
        """Delete submission and judgment, unless the other experts' reasons can be read already."""
        check_can_return(Judgment.objects.get(submission__assignment_id=assignment.pk))
        super().withdraw(assignment)

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show the answer with what was said of it."""
        answer = self.build_sheet_context(assignment, now=assignment.seen_at)
        context = super().ended_page_context(assignment)
        return context | {"texts": [("Answer", answer.text), *context["texts"]]}
