"""Rule on claims: uphold a result, or change what is accepted; and undo it.

Order of locks: question, thread, then (by the engine) the question's tasks. A change names the
`basis` its form was opened on: if a validator, another team member or a later answer has changed
the result since, nothing is written.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import transaction

from accounts.models import User
from annotation.core.refusals import Conflict, ResponseRefused
from annotation.core.states import DECIDED
from annotation.models import Assignment, Question, Thread
from annotation.sheets.rules import Finding
from annotation.threads import services as threads_services
from annotation.work import seats, tasks
from validation.claims.models import Ruling
from validation.claims.policies import check_can_claim, check_can_rule
from validation.claims.ruling_form import EditedSet, RulingEdits, attach_text_origins, result_of
from validation.claims.ruling_form import build_ruling_form as edited_from
from validation.decisions import services as decisions_services
from validation.decisions.models import AcceptedAnnotation, Decision
from validation.decisions.queries import decision_of
from validation.outcomes.status import outcome_of
from validation.verdicts import checks
from validation.verdicts import queries as verdicts_queries
from validation.verdicts.responses import Contribution, ValidationResponse

ANSWERED_AGAIN = (
    "This question is being answered or validated again. Decide on the claim once that is done."
)
_NO_REASON = "Give a reason. The annotator will see it, and it is kept in the log."
OVERTAKEN = (
    "The accepted answers have changed since you opened this. Nothing was saved. Look at them, "
    "then decide."
)


@dataclass(frozen=True)
class AcceptedState:
    """What is accepted for a question, with the annotations of its generators.

    `basis` identifies exactly this state, for a form to send back.
    """

    question: Question
    said: tuple[Contribution, ...]
    decision: Decision | None
    edited: RulingEdits

    @property
    def basis(self) -> str:
        covers = ",".join(str(contribution.annotation) for contribution in self.said)
        return f"{self.question.state}:{self.decision.pk if self.decision else 0}:{covers}"

    @property
    def decided(self) -> bool:
        return self.question.state in DECIDED


def get_standing(question_id: int) -> AcceptedState:
    """Return what is accepted for a question now. At most eight queries."""
    question = Question.objects.select_related("project").get(pk=question_id)
    said = tuple(verdicts_queries.said_on([question_id]).get(question_id, []))
    decision = decision_of(question_id)
    if decision is not None and decision.outcome != question.state:
        decision = None  # it no longer holds: answers have come or gone since
    if decision is None:
        stand = frozenset(contribution.annotation for contribution in said)
        return AcceptedState(question, said, None, RulingEdits(stand=stand))
    stored = [
        (accepted.annotation_id, decisions_services.rows_of(accepted, said))
        for accepted in _accepted(decision)
    ]
    excluded = decision.outcome == Decision.Outcome.EXCLUDED
    return AcceptedState(question, said, decision, edited_from(stored, said, excluded=excluded))


def _accepted(decision: Decision) -> list[AcceptedAnnotation]:
    rows = AcceptedAnnotation.objects.filter(decision=decision)
    return list(rows.prefetch_related("pairs__questions", "pairs__answers"))


@transaction.atomic
def open_claim(*, assignment: Assignment, text: str, by: User, now: dt.datetime) -> Thread:
    """Open a claim that a result is wrong, within the project's deadline."""
    outcome = outcome_of(assignment)
    decided_at = outcome.decided_at if outcome else None
    check_can_claim(by, assignment, decided_at=decided_at, now=now)
    return threads_services.open_thread(
        assignment=assignment, kind=Thread.Kind.CLAIM, text=text, by=by, now=now
    )


@transaction.atomic
def uphold_result(*, thread: Thread, reason: str, by: User, now: dt.datetime) -> Ruling:
    """Keep the result and close the claim, with a reason that the annotator sees."""
    reason = threads_services.clean_message(reason, _NO_REASON)
    check_can_rule(by, thread)
    question_id = thread.assignment.task.question_id
    seats.lock_questions([question_id])
    locked = threads_services.lock_thread(thread)
    threads_services.close_thread(thread=locked, state=Thread.State.UPHELD, now=now)
    ruling = Ruling.objects.create(
        thread=locked,
        verdict=Ruling.Verdict.UPHELD,
        former=decision_of(question_id),
        reason=reason,
        made_by=by,
        created_at=now,
    )
    threads_services.add_team_message(thread=locked, text=reason, by=by, now=now)
    _log("claim_upheld", ruling, by=by, now=now, reason=reason)
    return ruling


@transaction.atomic
def change_result(
    *,
    thread: Thread,
    edited: RulingEdits,
    basis: str,
    reason: str,
    keep_warnings: bool = False,
    by: User,
    now: dt.datetime,
) -> Ruling:
    """Change the accepted sets by a decision of the team, and close the claim.

    Raises Refused(findings) while a rule blocks, and Conflict if the claim is closed, the result
    is no longer the one that `basis` names, or nothing would change.
    """
    reason = threads_services.clean_message(reason, _NO_REASON)
    check_can_rule(by, thread)
    question_id = thread.assignment.task.question_id
    seats.lock_questions([question_id])
    now_standing = get_standing(question_id)
    locked = threads_services.lock_thread(thread)
    threads_services.close_thread(thread=locked, state=Thread.State.CHANGED, now=now)
    if not now_standing.decided:
        raise Conflict(ANSWERED_AGAIN)
    if now_standing.basis != basis:
        raise Conflict(OVERTAKEN)
    in_use = {contribution.annotation for contribution in now_standing.said}
    edited = replace(edited, stand=edited.stand & in_use)
    if edited.content == now_standing.edited.content:
        raise Conflict("You have not changed anything. Make a change, or keep the result.")
    warnings = check_edited_sets(edited, now_standing, reason=reason if keep_warnings else "")
    decision = decisions_services.decide_question(
        question=now_standing.question,
        result=result_of(edited, now_standing.said),
        said=now_standing.said,
        source=Decision.Source.STAFF,
        reason=reason,
        by=by,
        now=now,
    )
    ruling = Ruling.objects.create(
        thread=locked,
        verdict=Ruling.Verdict.CHANGED,
        decision=decision,
        former=now_standing.decision,
        reason=reason,
        warnings=[{"rule": warning.rule, "field": warning.field} for warning in warnings],
        made_by=by,
        created_at=now,
    )
    threads_services.add_team_message(thread=locked, text=reason, by=by, now=now)
    _settled("claim_changed", ruling, before=now_standing.question.state, by=by, now=now)
    return ruling


def check_edited_sets(
    edited: RulingEdits, now_standing: AcceptedState, *, reason: str = ""
) -> list[Finding]:
    """Run every rule on the sets that staff edited; return the warnings kept with `reason`.

    Raises Refused(findings) if there is an error, or a warning without `reason`.
    """
    findings = findings_on(edited, now_standing)
    if any(finding.level == "error" or not reason for finding in findings):
        raise ResponseRefused(findings)
    return findings


def findings_on(edited: RulingEdits, now_standing: AcceptedState) -> list[Finding]:
    """Return the findings of the rules; fields are named as on the sheet of validation."""
    if edited.exclude:
        return []
    with_answers = {
        contribution.annotation for contribution in now_standing.said if contribution.pairs
    }
    if not edited.rows and not edited.stand & with_answers:
        return [_nothing()]
    findings: list[Finding] = []
    for edited_set in edited.sets:
        findings += (
            _report(edited_set, now_standing) if edited_set.rows else [_empty(edited_set.key)]
        )
    return findings


def as_response(each: EditedSet, said: Sequence[Contribution]) -> ValidationResponse:
    """Return a set as a response of the sheet of validation."""
    covers = tuple(contribution.annotation for contribution in said)
    return ValidationResponse(
        covers, attach_text_origins(each.rows, said), verdicts=(False,) * len(said)
    )


def _report(each: EditedSet, now_standing: AcceptedState) -> Sequence[Finding]:
    question = now_standing.question
    report = checks.check_response(
        as_response(each, now_standing.said),
        now_standing.said,
        prompt=question.prompt,
        reference_date=question.project.reference_date,
        settings=question.project.rule_settings,
    )
    return report.findings


def _nothing() -> Finding:
    return Finding(
        rule="nothing-accepted",
        level="error",
        field="sets",
        pair=None,
        sentence="Nothing would be accepted. Keep an annotation, write a set, or exclude the "
        "question.",
        summary="Nothing would be accepted",
    )


def _empty(key: str) -> Finding:
    return Finding(
        rule="empty-set",
        level="error",
        field=f"set-{key}",
        pair=None,
        sentence="This set has no pair. Add one, or remove the set.",
        summary="A set is empty",
    )


@transaction.atomic
def undo_ruling(*, ruling: Ruling, by: User, now: dt.datetime) -> None:
    """Take a ruling back: the decision before it is in force again, and the claim is open.

    Undoing twice is the same as once. Raises Conflict if there is a later ruling or decision, or
    the author has another claim open.
    """
    thread = ruling.thread
    check_can_rule(by, thread)
    question_id = thread.assignment.task.question_id
    seats.lock_questions([question_id])
    locked = threads_services.lock_thread(thread)
    if not Ruling.objects.filter(pk=ruling.pk, undone_at__isnull=True).update(
        undone_at=now, undone_by=by
    ):
        return
    if Ruling.objects.filter(thread=locked, pk__gt=ruling.pk, undone_at__isnull=True).exists():
        raise Conflict("There is a later ruling on this claim. Undo that one first.")
    before = Question.objects.values_list("state", flat=True).get(pk=question_id)
    if ruling.decision_id is not None:
        _put_back(ruling)
    if locked.state != Thread.State.OPEN:
        threads_services.reopen_locked(locked, now=now)
    _settled("claim_ruling_undone", ruling, before=before, by=by, now=now)
    ruling.refresh_from_db()


def _put_back(ruling: Ruling) -> None:
    made = Decision.objects.filter(ruling=ruling, in_force=True)
    out = made.update(in_force=False)
    if not out:
        raise Conflict(
            "This question has a later decision, or is being answered again. Nothing was changed."
        )
    if ruling.former_id is not None:
        Decision.objects.filter(pk=ruling.former_id).update(in_force=True)


def _settled(action: str, ruling: Ruling, *, before: str, by: User, now: dt.datetime) -> None:
    """Bring the question's state and seats up to date, and write the log."""
    assignment = ruling.thread.assignment
    question_id = assignment.task.question_id
    moved = seats.settle_questions([question_id], assignment.project.protocol, now=now)
    tasks.open_following(changed=moved, protocol=assignment.project.protocol, now=now)
    after = moved[question_id][1] if question_id in moved else before
    _log(
        action,
        ruling,
        by=by,
        now=now,
        entries=seats.question_entries(moved),
        reason=ruling.reason,
        outcome={"before": before, "after": after},
    )


def _log(
    action: str,
    ruling: Ruling,
    *,
    by: User,
    now: dt.datetime,
    entries: Sequence[seats.PendingAuditRow] = (),
    **data: object,
) -> None:
    facts = {
        "ruling": ruling.pk,
        "question": ruling.thread.assignment.task.question_id,
        "former": ruling.former_id,
        "decision": ruling.decision_id,
    }
    entry = seats.PendingAuditRow(action, f"thread:{ruling.thread_id}", facts | data)
    seats.write_entries([entry, *entries], by=by, now=now, project=ruling.thread.project_id)
