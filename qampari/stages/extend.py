"""Extended set: somebody adds as many correct answers as they find in twelve minutes (Q7)."""

import datetime as dt
from typing import Any

from annotation.models import Assignment, Project, Question, Split, StagePolicy
from annotation.work.json_stage import JsonStage
from qampari.extending import ExtendContext, ExtendingSheet, ExtendResponse
from qampari.verdicts import known_of, read_judged_answers

EXTEND = "qampari-extend"
MINUTES = 12


class ExtendStage(JsonStage[ExtendResponse, ExtendContext]):
    """Find more answers; the clock stops for nobody. The team draws the questions."""

    key = EXTEND
    label = "Extended set"
    sheet = ExtendingSheet()
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
        return ExtendContext(
            known=known_of(read_judged_answers([question]).get(question, [])),
            settings=assignment.project.rule_settings,
        )
