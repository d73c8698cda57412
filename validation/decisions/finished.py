"""Accept the annotations of a file as they are: a decision of source "import" per question."""

import datetime as dt
from collections.abc import Mapping, Sequence

from accounts.models import User
from annotation.imports.finished import AcceptedWorkEffect
from annotation.imports.formats import QuestionRecord
from annotation.models import Assignment, AuditEntry, Question
from validation.decisions import accepted_answers
from validation.decisions.models import (
    AcceptedAnnotation,
    AcceptedAnswer,
    AcceptedPair,
    AcceptedQuestion,
    Decision,
)
from validation.decisions.official import problem_of, sets_in
from validation.verdicts.comparing import AnswerSet


class FinishedAmbigNQ:
    """Takes the annotations of AmbigNQ records, which annotation.imports.ambignq has checked."""

    formats: Sequence[str] = ("ambignq",)
    in_rows: Sequence[str] = ()

    def find_problem(self, record: QuestionRecord) -> str:
        """Say why the record cannot be taken as finished, "" where it can."""
        return problem_of(record)

    def compare_with_finished(
        self, known: Sequence[tuple[Question, QuestionRecord]]
    ) -> Mapping[int, AcceptedWorkEffect]:
        """Compare with the newest import of each question. Three queries."""
        ids = [question.pk for question, _ in known]
        newest: dict[int, int] = {}
        in_force: dict[int, str] = {}
        decisions = Decision.objects.filter(question__in=ids).order_by("pk")
        for pk, question, source, holds in decisions.values_list(
            "pk", "question", "source", "in_force"
        ):
            if source == Decision.Source.IMPORT:
                newest[question] = pk
            if holds:
                in_force[question] = source
        worked = set(
            Assignment.objects.filter(task__question__in=ids).values_list(
                "task__question", flat=True
            )
        )
        sets = accepted_answers.sets_of(list(newest.values()))
        return {
            question.pk: _meets(
                question,
                record,
                in_force.get(question.pk),
                question.pk in worked,
                sets.get(newest[question.pk]) if question.pk in newest else None,
            )
            for question, record in known
        }

    def write_accepted_work(
        self,
        questions: Sequence[tuple[Question, QuestionRecord]],
        *,
        by: User | None,
        now: dt.datetime,
    ) -> None:
        """Put a decision in force on each question, replacing an earlier import. 8 statements."""
        before = dict(
            Decision.objects.filter(
                question__in=[question.pk for question, _ in questions], in_force=True
            ).values_list("question", "pk")
        )
        if before:
            Decision.objects.filter(pk__in=before.values()).update(in_force=False)
        decisions = Decision.objects.bulk_create(
            Decision(
                question=question,
                source=Decision.Source.IMPORT,
                outcome=Decision.Outcome.ACCEPTED,
                change=Decision.Change.NONE,
                made_by=by,
                replaces_id=before.get(question.pk),
                created_at=now,
            )
            for question, _ in questions
        )
        _write_sets(
            [
                (decision, sets_in(record))
                for decision, (_, record) in zip(decisions, questions, strict=True)
            ]
        )
        _log_replaced([decision for decision in decisions if decision.replaces_id], by, now)


# --- what cannot be taken -----------------------------------------------------------------------


def _meets(
    question: Question,
    record: QuestionRecord,
    in_force: str | None,
    worked: bool,
    last: tuple[AnswerSet, ...] | None,
) -> AcceptedWorkEffect:
    """Return what an import of the record would change. `last`: its last import, if any."""
    same = last is not None and last == sets_in(record) and question.text == record.text
    if in_force not in (None, Decision.Source.IMPORT):
        if same:
            return AcceptedWorkEffect()  # nothing new in the file; decisions made here stay
        return AcceptedWorkEffect(
            f"“{record.external_id}” was decided in this project after it was imported, and that "
            "decision was kept. Change it in the project instead."
        )
    if worked and not (same and in_force):
        return AcceptedWorkEffect(
            f"People work on “{record.external_id}” in this project, so what they answer decides. "
            "Import the file into a project of its own."
        )
    unchanged = in_force is not None and last == sets_in(record)
    return AcceptedWorkEffect(changed=not unchanged)


# --- writing ------------------------------------------------------------------------------------


def _write_sets(found: Sequence[tuple[Decision, Sequence[AnswerSet]]]) -> None:
    sets = [
        (
            AcceptedAnnotation(decision=decision, position=position, kind=accepted_set.kind),
            accepted_set,
        )
        for decision, all_sets in found
        for position, accepted_set in enumerate(all_sets)
    ]
    AcceptedAnnotation.objects.bulk_create(row for row, _ in sets)
    pairs = [
        (AcceptedPair(accepted=row, position=position), pair)
        for row, accepted_set in sets
        for position, pair in enumerate(accepted_set.pairs)
    ]
    AcceptedPair.objects.bulk_create(row for row, _ in pairs)
    AcceptedQuestion.objects.bulk_create(
        AcceptedQuestion(pair=row, position=position, text=text)
        for row, pair in pairs
        for position, text in enumerate(pair.questions)
    )
    AcceptedAnswer.objects.bulk_create(
        AcceptedAnswer(pair=row, position=position, text=text)
        for row, pair in pairs
        for position, text in enumerate(pair.forms)
    )


def _log_replaced(decisions: Sequence[Decision], by: User | None, now: dt.datetime) -> None:
    AuditEntry.objects.bulk_create(
        AuditEntry(
            at=now,
            actor=by.pk if by else None,
            project=decision.question.project_id,
            action="decision_replaced",
            target=f"question:{decision.question_id}",
            data={"before": decision.replaces_id, "after": decision.pk, "source": "import"},
        )
        for decision in decisions
    )
