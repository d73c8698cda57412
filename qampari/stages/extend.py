"""Extended set: somebody adds as many correct answers as they find in twelve minutes (Q7)."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from accounts.models import User
from annotation.models import Assignment, Project, Question, Split, StagePolicy, Submission
from annotation.sheets.report import FindingsReport
from annotation.suggestions.queries import find_suggestions
from annotation.suggestions.stage import SuggestingStage
from annotation.work.json_stage import JsonStage
from qampari.added_answers import ExtendResponse
from qampari.extending import ExtendContext, ExtendingSheet
from qampari.suggested_answers import drop_known_offers
from qampari.verdicts import known_of, read_judged_answers

EXTEND = "qampari-extend"
MINUTES = 12


class ExtendStage(
    SuggestingStage[ExtendResponse, ExtendContext], JsonStage[ExtendResponse, ExtendContext]
):
    """Find more answers; the clock stops for nobody. The team draws the questions."""

    key = EXTEND
    label = "Extended set"
    sheet = ExtendingSheet()
    taking = sheet.taking
    suggested: Sequence[str] = ("answer",)
    first = False
    every_question = False
    meets_others = True
    once_per_question = True
    limit: int | None = MINUTES * 60
    counted = "list"
    to_do = "to extend"
    expects = "You see which answers are known, and add as many more as you can find."
    enough = "is in nobody’s extended set"
    no_golds = "It measures how many answers someone finds, and nobody has to find a known one."

    def tasks_for(self, question: Question) -> list[str]:
        """Return nothing: the team draws the questions, or names them."""
        return []

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """One person on each test question that is drawn."""
        return [
            StagePolicy(
                project=project, stage=self.key, split=Split.TEST, people=1, minimum_seconds=0
            )
        ]

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show the submission with the answer that was still in its field, or else the draft."""
        response = self.sheet.load(assignment.draft)
        if assignment.state == Assignment.State.SUBMITTED:
            response = self.sheet.submitted_part(response)
        return super().ended_page_context(assignment) | {
            "texts": [
                (label, text) for label, text in self.sheet.list_field_texts(response) if text
            ]
        }

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> ExtendContext:
        """Return the answers known before: those of its record that no one refused. One query."""
        question = assignment.task.question_id
        given = ExtendContext(
            known=known_of(read_judged_answers([question]).get(question, [])),
            settings=assignment.project.rule_settings,
        )
        offered = find_suggestions(assignment, self.suggested)
        return replace(given, suggestions=drop_known_offers(offered, given.keys))

    def write_rows(
        self,
        assignment: Assignment,
        response: ExtendResponse,
        report: FindingsReport,
        *,
        given: ExtendContext,
        by: User,
        now: dt.datetime,
    ) -> Submission:
        """Write the response, and what the person did with the suggestions that they saw."""
        if given.suggestions and any(offer.shown for offer in given.suggestions.rows()):
            self.record_saved_draft(assignment, response, given, by=by, now=now)
        response = self.sheet.adapt_response(response, given)
        return super().write_rows(assignment, response, report, given=given, by=by, now=now)

    def response_for_export(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored response in which answers say that they began as a suggestion."""
        exported = super().response_for_export(response)
        return exported | {name: list(map(_exported, exported[name])) for name in _ROWS}


_ROWS = ("added", "removed")


def _exported(row: Mapping[str, Any]) -> dict[str, Any]:
    suggested = {"suggested": True} if row.get("suggestion") else {}
    return {name: value for name, value in row.items() if name != "suggestion"} | suggested
