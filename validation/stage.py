"""Stage two of AmbigQA: what generators wrote becomes what is accepted."""

import datetime as dt
from collections.abc import Mapping, Sequence

from accounts.models import User
from annotation.models import (
    Annotation,
    Assignment,
    Event,
    Project,
    Question,
    Role,
    Split,
    StagePolicy,
)
from annotation.policies.base import Conflict
from annotation.policies.work import Refused
from annotation.services import seats
from annotation.stages import VALIDATION, Ordinary
from validation import checks, queries
from validation.drafts import from_json, to_json
from validation.models import Decision, Validation, Verdict
from validation.responses import (
    Response,
    Said,
    caught_up,
    derived,
    result,
    verdicts,
)
from validation.services import decisions
from wikipedia.models import Quote

_AGAIN = "The question was answered again."


class Validating(Ordinary):
    """Validation (A36-A48)."""

    key = VALIDATION
    label = "Validation"
    role = Role.VALIDATOR.value
    first = False
    every_question = False
    opens_in = Question.State.VALIDATING.value
    decides = True
    people_max = 1
    none_ready = (
        "No question is ready to validate",
        "Questions appear here when the people who answered them disagree. Those that you answered "
        "yourself go to someone else.",
    )
    views = "validation.views.work"

    def tasks_for(self, question: Question) -> Sequence[str]:
        """One task, once the question waits for validation."""
        return [""] if question.state == Question.State.VALIDATING else []

    def decisions(self, questions: Mapping[int, bool]) -> Mapping[int, str]:
        """Say what answers that all match, or a decision, make of each question."""
        return queries.decided(questions)

    def ruled(self, question_ids: Sequence[int]) -> Mapping[int, str]:
        """Say which questions the team has excluded, whatever was answered on them. One query."""
        return dict.fromkeys(queries.excluded_by_team(question_ids), Question.State.EXCLUDED.value)

    def reopened(self, question_ids: Sequence[int], *, now: dt.datetime) -> None:
        """Put decisions aside on questions that are being answered again.

        The validator's work keeps its pay and is left out, so that its seat opens for whoever
        looks at the new answers.
        """
        decisions.set_aside(question_ids)
        held = Assignment.objects.filter(
            task__question__in=question_ids, stage=self.key, state="submitted", used=True
        )
        rows = list(held.order_by("pk").values_list("pk", "project_id"))
        held.update(used=False, staff_note=_AGAIN)
        for pk, project in rows:
            entry = seats.Entry("assignment_left_out", f"assignment:{pk}", {"note": _AGAIN})
            seats.write_entries([entry], by=None, now=now, project=project)

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """One validator on dev and test, none on train (A49, A50)."""
        return [
            StagePolicy(project=project, stage=self.key, split=split, people=1)
            for split in (Split.DEV, Split.TEST)
        ]

    def read_draft(self, draft: Mapping[str, object]) -> Response:
        """Read a stored draft. It may be older than the annotations: see `opened`."""
        return from_json(draft) if draft else Response()

    def draft_of(self, response: Response) -> dict[str, object]:
        """Return what a draft holds."""
        return to_json(response)

    def opened(self, assignment: Assignment) -> tuple[Response, list[Said]]:
        """Return the draft brought up to the annotations that are there now, and these."""
        said = queries.columns(assignment)
        return caught_up(self.read_draft(assignment.draft), said), said

    def check(
        self, assignment: Assignment, response: Response, *, now: dt.datetime
    ) -> checks.Report:
        """Run every rule on what would be accepted."""
        return self.report(assignment, response, queries.columns(assignment))

    def report(
        self, assignment: Assignment, response: Response, said: Sequence[Said]
    ) -> checks.Report:
        """Run every rule, knowing what the generators said. No query."""
        project = assignment.project
        return checks.check(
            response,
            said,
            prompt=assignment.task.question.prompt,
            reference_date=project.reference_date,
            settings=project.rule_settings,
        )

    def submit(
        self, assignment: Assignment, response: Response, *, by: User, now: dt.datetime
    ) -> Validation:
        """Write verdicts and the decision they come to, and put it in force.

        Raises Conflict where the annotations are no longer those that the response is about, and
        Refused(report) while something blocks. The engine holds the question's lock.
        """
        question_id = assignment.task.question_id
        said = queries.columns(assignment)
        question = Question.objects.get(pk=question_id)
        if question.state != Question.State.VALIDATING:
            raise Conflict(_no_longer_asked(question))
        if response.covers != tuple(each.annotation for each in said):
            raise Conflict(
                "The answers to this question have changed since you opened it. The new answers "
                "were added to your work: look at them, then submit."
            )
        report = self.report(assignment, response, said)
        if not report.can_submit:
            raise Refused(report)
        validation = Validation.objects.create(
            assignment=assignment,
            question=question,
            validator=by,
            keeps=_kept(assignment, report, now),
            created_at=now,
        )
        _write_verdicts(validation, response, said)
        decisions.decide(
            question=question,
            result=result(response, said),
            said=said,
            source=Decision.Source.VALIDATION,
            validation=validation,
            reason=response.exclude_reason,
            by=by,
            now=now,
        )
        return validation

    def quotes_on(self, assignment: Assignment, path: str) -> list[tuple[str, Quote]]:
        """Return what the generators quoted on a page, under names that tell nobody whose it is."""
        return queries.quotes_on(assignment, path)

    def submission(self, assignment: Assignment) -> Validation:
        """Return the validation of this assignment."""
        return Validation.objects.get(assignment_id=assignment.pk)

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the validation with its decision; the draft still holds the response."""
        Validation.objects.filter(assignment_id=assignment.pk).delete()

    def record(self, assignment: Assignment) -> dict[str, object]:
        """Return verdicts and outcome as an export holds them."""
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


def _no_longer_asked(question: Question) -> str:
    if question.state in (Question.State.IMPORTED, Question.State.GENERATING):
        return "This question is being answered again and waits for that. What you did is kept."
    return (
        f"This question no longer needs validation: {question.get_state_display().lower()}. "
        "What you did is kept."
    )


def _write_verdicts(validation: Validation, response: Response, said: Sequence[Said]) -> None:
    authors = dict(Annotation.objects.filter(pk__in=response.covers).values_list("pk", "author_id"))
    excluded = bool(response.exclude_reason)
    Verdict.objects.bulk_create(
        Verdict(
            validation=validation,
            annotation_id=each.annotation,
            author_id=authors[each.annotation],
            validator=validation.validator,
            correct=bool(verdict) and not excluded,
            derived=from_rows,
        )
        for each, verdict, from_rows in zip(
            said, verdicts(response, said), derived(response, said), strict=True
        )
    )


def _kept(assignment: Assignment, report: checks.Report, now: dt.datetime) -> list[dict[str, str]]:
    """Return the warnings that fired and were kept, and write each into the log of events."""
    kept = [
        {"rule": each.rule, "field": each.field, "reason": each.kept_because}
        for each in report.findings
        if each.kept_because
    ]
    Event.objects.bulk_create(
        Event(assignment=assignment, kind=Event.Kind.WARNING_KEPT, at=now, data=data)
        for data in kept
    )
    return kept
