"""ASQA: write a long answer to an ambiguous question, with evidence for what is added."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from accounts import prepared_statements
from accounts.models import User
from annotation.contexts.writer_context import inputs_for
from annotation.core.models.people import Role
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Split
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.feedback import queries as feedback_queries
from annotation.long_answers.checks import Context, response_coverage
from annotation.long_answers.concerns import queries as concerns_queries
from annotation.long_answers.models import Knowledge, LongAnswer, Override
from annotation.long_answers.presentation import build_draft_context
from annotation.long_answers.queries import find_submitted_answer, inputs_shown, pages_reader
from annotation.long_answers.response import LongAnswerResponse, quotes_in
from annotation.long_answers.sheet import LongAnswerSheet
from annotation.long_answers.statements import CREDITED_WRITERS, RULED_BY_CONCERNS
from annotation.reading.quotes import own_quotes
from annotation.sheets.report import FindingsReport
from annotation.suggestions.queries import find_suggestions
from annotation.suggestions.stage import SuggestingStage
from annotation.text.cleaning import first_and_more, more_of
from annotation.threads import queries as threads_queries
from annotation.work import leases
from annotation.work.stage import kept_warnings

LONG_ANSWERS = "long_answers"


class LongAnswering(SuggestingStage[LongAnswerResponse, Context]):
    """Long answers (S1-S11)."""

    key = LONG_ANSWERS
    label = "Long answers"
    role = Role.ANNOTATOR.value
    revisable: int | None = None
    minimum = "Nothing can be submitted before this time has passed. 0 means no minimum."
    expects = "You write one text that answers every way to read the question."
    enough = "has as many long answers as it needs, waits for the team"
    sheet = LongAnswerSheet()
    taking = sheet.taking
    suggested: Sequence[str] = ("long_answer", "passage")
    no_golds = (
        "The form already refuses a text that leaves out a short answer, and no rule can judge the "
        "rest of it."
    )
    # Set aside by concerns: excluded if one was upheld.
    ruled = RULED_BY_CONCERNS

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """As in the paper: one writer on train, two on dev and test; an hour (S15); no minimum
        time.
        """
        return [
            StagePolicy(
                project=project,
                stage=self.key,
                split=split,
                people=people,
                lease_minutes=60,
                park_hours=72,
                minimum_seconds=0,
            )
            for split, people in ((Split.TRAIN, 1), (Split.DEV, 2), (Split.TEST, 2))
        ]

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> Context:
        """At most two queries, for the writer's inputs; pages are read when a rule asks."""
        return Context(
            inputs=inputs_for(assignment),
            seconds_on_task=leases.seconds_at(assignment, now),
            minimum_seconds=assignment.policy.minimum_seconds,
            quotes=own_quotes(assignment),
            on_page=pages_reader(assignment),
            settings=assignment.project.rule_settings,
            suggestions=find_suggestions(assignment, self.suggested),
        )

    def write_rows(
        self,
        assignment: Assignment,
        response: LongAnswerResponse,
        report: FindingsReport,
        *,
        given: Context,
        by: User,
        now: dt.datetime,
    ) -> LongAnswer:
        """Write the long answer with its knowledge, and the overrides with their spans.

        A quote that is not this person's own, from this project's Wikipedia, is dropped from its
        piece: the words stay.
        """
        answer = LongAnswer(
            assignment=assignment,
            question_id=assignment.task.question_id,
            author=by,
            text=response.text,
            keeps=kept_warnings(assignment, report, now=now),
            created_at=now,
        )
        self.record_saved_draft(assignment, response, given, by=by, now=now)
        prepared_statements.insert_rows([answer])
        _write_knowledge(answer, response, given)
        prepared_statements.insert_rows(
            Override(
                long_answer=answer,
                disambiguation=outcome.disambiguation.position,
                words=outcome.words,
                start=outcome.start,
                end=outcome.end,
            )
            for outcome in response_coverage(response, given)
            if outcome.state == "said" and outcome.start is not None and outcome.end is not None
        )
        return answer

    def get_submission(self, assignment: Assignment) -> LongAnswer:
        """Return the long answer of this assignment."""
        return LongAnswer.objects.get(assignment_id=assignment.pk)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the long answer; the draft of the assignment still holds it."""
        LongAnswer.objects.filter(assignment_id=assignment.pk).delete()

    def values_for_log(self, assignment: Assignment) -> dict[str, object]:
        """Return the submission for the log: text, knowledge, overrides with their spans."""
        answer = (
            LongAnswer.objects.filter(assignment_id=assignment.pk)
            .prefetch_related("knowledge__more_quotes", "overrides")
            .first()
        )
        if answer is None:
            raise Conflict(f"Assignment {assignment.pk} has no submission.")
        return {
            "long_answer": answer.text,
            "knowledge": [
                {
                    "content": piece.content,
                    "page": piece.page,
                    "quote": piece.quote_id,
                    **more_of([quote.pk for quote in piece.more_quotes.all()]),
                }
                for piece in answer.knowledge.all()
            ],
            "overrides": [
                {
                    "disambiguation": override.disambiguation,
                    "words": override.words,
                    "start": override.start,
                    "end": override.end,
                }
                for override in answer.overrides.all()
            ],
        }

    def page_context(
        self, assignment: Assignment, given: Context, context: Mapping[str, Any], *, by: User
    ) -> dict[str, Any]:
        """Add the inputs, the last feedback, and the concerns about the disambiguations."""
        inputs, opened = given.inputs, context["reading"]
        # The left column first shows the inputs, or the search if there are none.
        left = "read" if opened else ("disambiguations" if inputs.full else "search")
        return inputs_shown(assignment, inputs, context["reading_history"]) | {
            "left": left,
            "review": feedback_queries.last_for(by, assignment.project),
            "concern": concerns_queries.own_open(assignment),
            "exclusion": concerns_queries.find_exclusion(assignment.task.question),
        }

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Show the submission, or else the draft, and the questions asked about it."""
        answer = find_submitted_answer(assignment)
        return (answer or build_draft_context(self.sheet.load(assignment.draft))) | {
            "answer": answer,
            "threads": threads_queries.list_threads(assignment),
        }


def _write_knowledge(answer: LongAnswer, response: LongAnswerResponse, given: Context) -> None:
    own = given.quotes(quotes_in(response))
    proven = [
        (piece, first_and_more(filter(own.__contains__, piece.quotes)))
        for piece in response.knowledge
    ]
    written = prepared_statements.insert_rows(
        Knowledge(
            long_answer=answer,
            position=position,
            content=piece.content or None,
            page=piece.page or None,
            quote_id=quote,
        )
        for position, (piece, (quote, _)) in enumerate(proven)
    )
    prepared_statements.insert_rows(
        Knowledge.more_quotes.through(knowledge_id=row.pk, quote_id=quote)
        for row, (_, (_, more)) in zip(written, proven, strict=True)
        for quote in more
    )


def list_credited_assignments(question_ids: Sequence[int]) -> list[int]:
    """Return the assignments on these questions whose long answers count as accepted. One query."""
    values = {"questions": list(question_ids), "stage": LONG_ANSWERS}
    return [row[0] for row in prepared_statements.fetch_rows(CREDITED_WRITERS, values)]
