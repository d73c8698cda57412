"""Stage two of AmbigQA: a validator decides which annotations are accepted."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from accounts import prepared_statements
from accounts.models import User
from annotation.access.work import check_still_works_here
from annotation.core.refusals import Conflict, roles_in
from annotation.core.states import HELD
from annotation.models import (
    Assignment,
    Project,
    Question,
    Role,
    Split,
    StagePolicy,
)
from annotation.sheets.report import FindingsReport
from annotation.suggestions.queries import find_suggestions
from annotation.suggestions.stage import SuggestingStage
from annotation.work import seats
from annotation.work.stage import kept_warnings
from validation.claims.statements import RULED_BY_STAFF
from validation.decisions import services as decisions_services
from validation.decisions.models import Decision
from validation.decisions.queries import derive_question_states
from validation.turns.queries import in_order, recall_own_kinds, validation_of
from validation.turns.statements import AUTHORS_OF_ANNOTATIONS
from validation.verdicts import nudges
from validation.verdicts import queries as verdicts_queries
from validation.verdicts.form_context import SetShown, name_annotators, spell_number
from validation.verdicts.given import ValidationContext
from validation.verdicts.models import Validation, Verdict
from validation.verdicts.responses import (
    Contribution,
    ValidationResponse,
    build_result,
    caught_up,
    derive_verdicts,
    resolve_verdicts,
    row_letter,
)
from validation.verdicts.sheet import ValidationSheet
from validation.verdicts.values import VALIDATION
from wikipedia.models import Quote

_AGAIN = "The question was answered again."


class Validating(SuggestingStage[ValidationResponse, ValidationContext]):
    """Validation (A36-A48)."""

    key = VALIDATION
    label = "Validation"
    role = Role.VALIDATOR.value
    first = False
    every_question = False
    opens_in = Question.State.VALIDATING.value
    decides = True
    people_max = 1
    pays_matches = True
    to_do = "to validate"
    expects = "People answered on their own and differ; you see what they wrote, not who they are."
    none_ready = (
        "No question is ready to validate",
        "Questions appear here when the people who answered them disagree. Those that you answered "
        "yourself go to someone else.",
    )
    sheet = ValidationSheet()
    taking = sheet.taking
    suggested: Sequence[str] = ("pair", "answer")
    no_golds = "Each validation decides which answers are accepted, so none can be only a check."
    ruled = RULED_BY_STAFF

    def tasks_for(self, question: Question) -> Sequence[str]:
        """Return one task if the question waits for validation, otherwise none."""
        return [""] if question.state == Question.State.VALIDATING else []

    def decide_states(self, questions: Mapping[int, bool]) -> Mapping[int, str]:
        """Return the state of each question that follows from matching answers or a decision."""
        return derive_question_states(questions)

    def reopen_questions(self, question_ids: Sequence[int], *, now: dt.datetime) -> None:
        """Set aside the decisions on questions that are being answered again.

        The validator's work stays paid but is left out, so that its seat opens for a validator
        who sees the new answers.
        """
        decisions_services.set_aside(question_ids)
        held = Assignment.objects.filter(
            task__question__in=question_ids, stage=self.key, state="submitted", used=True
        )
        rows = list(held.order_by("pk").values_list("pk", "project_id"))
        held.update(used=False, staff_note=_AGAIN)
        for pk, project in rows:
            entry = seats.PendingAuditRow(
                "assignment_left_out", f"assignment:{pk}", {"note": _AGAIN}
            )
            seats.write_entries([entry], by=None, now=now, project=project)

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """Ask for one validator on dev and test, none on train (A49, A50)."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=1)
            for split in (Split.DEV, Split.TEST)
        ]

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> ValidationContext:
        """Return what sheet and rules need; one query, for the annotations."""
        said = verdicts_queries.list_column_annotations(assignment)
        project = assignment.project
        return ValidationContext(
            assignment=assignment.pk,
            said=said,
            stored=caught_up(self.sheet.load(assignment.draft), said),
            prompt=assignment.task.question.prompt,
            reference_date=project.reference_date,
            settings=project.rule_settings,
            tokens=lambda: verdicts_queries.annotation_tokens(assignment),
            pages=lambda: verdicts_queries.pages_read(said),
            quotes=lambda: verdicts_queries.quotes_of(said, project.snapshot_id),
            kept=lambda: verdicts_queries.reasons_kept(said),
            suggestions=find_suggestions(assignment, self.suggested),
        )

    def check_may_look(self, assignment: Assignment, *, by: User) -> None:
        """Refuse people who are no longer validators, unless they still hold the turn."""
        if assignment.state not in HELD:
            has_role = self.role in roles_in(by, assignment.project)
            check_still_works_here(user=by, has_role=has_role)

    def check_fits(
        self, assignment: Assignment, response: ValidationResponse, given: ValidationContext
    ) -> None:
        """Refuse a response to other annotations than those now in use.

        The engine holds the question's lock.
        """
        question = assignment.task.question
        if question.state != Question.State.VALIDATING:
            raise Conflict(_no_longer_asked(question))
        if response.covers != tuple(contribution.annotation for contribution in given.said):
            raise Conflict(
                "The answers to this question have changed since you opened it. The new answers "
                "were added to your work: look at them, then submit."
            )

    def write_rows(
        self,
        assignment: Assignment,
        response: ValidationResponse,
        report: FindingsReport,
        *,
        given: ValidationContext,
        by: User,
        now: dt.datetime,
    ) -> Validation:
        """Write the validation with its verdicts, and put the resulting decision in force."""
        question, said = assignment.task.question, given.said
        self.record_saved_draft(assignment, response, given, by=by, now=now)
        validation = Validation(
            assignment=assignment,
            question=question,
            validator=by,
            keeps=kept_warnings(assignment, report, now=now),
            created_at=now,
        )
        prepared_statements.insert_rows([validation])
        _write_verdicts(validation, response, said)
        decisions_services.decide_question(
            question=question,
            result=build_result(response, said),
            said=said,
            source=Decision.Source.VALIDATION,
            validation=validation,
            reason=response.exclude_reason,
            by=by,
            now=now,
        )
        return validation

    def quotes_on(self, assignment: Assignment, path: str) -> list[tuple[str, Quote]]:
        """Return the generators' quotes on a page, under names that hide their authors."""
        return verdicts_queries.quotes_on(assignment, path)

    def get_submission(self, assignment: Assignment) -> Validation:
        """Return the validation submitted for this assignment."""
        return Validation.objects.get(assignment_id=assignment.pk)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the validation with its decision; the draft still holds the response."""
        Validation.objects.filter(assignment_id=assignment.pk).delete()

    def values_for_log(self, assignment: Assignment) -> dict[str, object]:
        """Return the verdicts and the decision as JSON values; raise Conflict if not submitted."""
        validation = (
            Validation.objects.filter(assignment_id=assignment.pk)
            .select_related("decision")
            .prefetch_related("verdicts")
            .first()
        )
        if validation is None:
            raise Conflict(f"Assignment {assignment.pk} has no submission.")
        return {
            "outcome": validation.decision.outcome,
            "change": validation.decision.change,
            "reason": validation.decision.reason,
            "verdicts": [
                {
                    "annotation": verdict.annotation_id,
                    "correct": verdict.correct,
                    "derived": verdict.derived,
                }
                for verdict in validation.verdicts.all()
            ],
        }

    # --- the work page ----------------------------------------------------------------------------

    def page_context(
        self,
        assignment: Assignment,
        given: ValidationContext,
        context: Mapping[str, Any],
        *,
        by: User,
    ) -> dict[str, Any]:
        """Give the number of people who answered, as a word, and say if the validator's own shares
        are unusual (A48). One query an hour.
        """
        hour = int(timezone.now().timestamp()) // 3_600
        kinds = recall_own_kinds(by.pk, assignment.project_id, hour)
        return {
            "people_word": spell_number(len(given.said)),
            "nudges": nudges.list_own_nudges(kinds),
        }

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Give the decision if it was submitted, otherwise the draft."""
        if assignment.state == Assignment.State.SUBMITTED:
            return _decided(assignment)
        draft = self.sheet.load(assignment.draft)
        rows = [(row_letter(place), row) for place, row in enumerate(draft.rows)]
        return {"draft": draft, "draft_rows": rows}


@dataclass(frozen=True)
class VerdictShown:
    """The verdict on one annotation."""

    label: str
    correct: bool


def _no_longer_asked(question: Question) -> str:
    if question.state in (Question.State.IMPORTED, Question.State.GENERATING):
        return "This question is being answered again and waits for that. What you did is kept."
    return (
        f"This question no longer needs validation: {question.get_state_display().lower()}. "
        "What you did is kept."
    )


def _decided(assignment: Assignment) -> dict[str, Any]:
    """Return the verdicts and the accepted sets of the decision. Six queries."""
    validation = validation_of(assignment)
    given = in_order(assignment, validation.verdicts.all())
    numbers = {verdict.annotation_id: number for number, verdict in enumerate(given, start=1)}
    decision = validation.decision
    return {
        "decision": decision,
        "left_out": decision.excluded.all(),
        "verdicts": [VerdictShown(name_annotators([n]), v.correct) for n, v in enumerate(given, 1)],
        "sets": [
            SetShown(
                title=f"As {name_annotators([numbers[accepted.annotation_id]]).lower()} wrote it"
                if accepted.annotation_id in numbers
                else "The final set",
                pairs=tuple(
                    (
                        tuple(question.text for question in pair.questions.all())
                        or (assignment.task.question.prompt,),
                        tuple(answer.text for answer in pair.answers.all()),
                    )
                    for pair in accepted.pairs.all()
                ),
            )
            for accepted in decision.accepted.all()
        ],
    }


def _write_verdicts(
    validation: Validation, response: ValidationResponse, said: Sequence[Contribution]
) -> None:
    authors = dict(
        prepared_statements.fetch_rows(AUTHORS_OF_ANNOTATIONS, {"covers": list(response.covers)})
    )
    excluded = bool(response.exclude_reason)
    prepared_statements.insert_rows(
        Verdict(
            validation=validation,
            annotation_id=contribution.annotation,
            author_id=authors[contribution.annotation],
            validator=validation.validator,
            correct=bool(verdict) and not excluded,
            derived=from_rows,
        )
        for contribution, verdict, from_rows in zip(
            said, resolve_verdicts(response, said), derive_verdicts(response, said), strict=True
        )
    )
