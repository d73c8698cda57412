"""Raise, withdraw and decide on concerns about the disambiguations of a question (S7, S23).

Each service locks the question first (the order of locks is in `seats`), changes the concern in
one conditional statement, and computes the question's state again: a question with an open concern
is not handed out, and one with an upheld concern is left out of the release. Work on it is kept
and stays paid.
"""

import datetime as dt
from collections.abc import Collection
from functools import partial

from django.db import IntegrityError, transaction

from accounts import prepared_statements
from accounts.models import User
from annotation.contexts.writer_context import inputs_for
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment, Task
from annotation.core.refusals import Conflict, Denied
from annotation.long_answers.concerns import policies
from annotation.long_answers.concerns.models import Concern
from annotation.long_answers.concerns.queries import list_disambiguations as positions_of
from annotation.long_answers.concerns.statements import rule_statement
from annotation.long_answers.models import LongAnswer
from annotation.stages import registry as stages
from annotation.threads.services import clean_message
from annotation.work import seats, tasks

LONGEST = 5000
_clean = partial(
    clean_message, most=LONGEST, too_long="This has at most {most:,} characters. It has {length:,}."
)
State = Concern.State
_OVER = {
    State.OPEN.value: "This concern waits for the team.",
    State.UPHELD.value: "The team has decided on this concern: the question is excluded.",
    State.DISMISSED.value: "The team has decided on this concern: the question is kept.",
    State.WITHDRAWN.value: "Its author has withdrawn this concern. There is nothing left to "
    "decide.",
}


# --- raise -------------------------------------------------------------------------------------


@transaction.atomic
def raise_concern(
    *,
    assignment: Assignment,
    disambiguations: Collection[int],
    reason: str,
    changes: int | None = None,
    by: User,
    now: dt.datetime,
) -> Concern:
    """Raise a concern as the writer; a second one while the first is open changes the first.

    `disambiguations` are positions from 0; empty means the question as a whole. `changes` is the
    open concern that the form shows: once the team has decided on it, this raises Conflict instead
    of a new concern.
    """
    policies.check_can_raise(by, assignment)
    given = inputs_for(assignment).disambiguations
    about = _about(disambiguations, len(given))
    reason = _clean(reason, "Say what is wrong with the disambiguations, then raise the concern.")
    locked = seats.lock_assignment(assignment)
    policies.check_turn_raises(locked.assignment_state)
    policies.check_not_excluded(locked.question_state)
    question = assignment.task.question
    return _raise(question, about, reason, assignment=assignment, changes=changes, by=by, now=now)


@transaction.atomic
def raise_as_staff(
    *,
    question: Question,
    disambiguations: Collection[int],
    reason: str,
    by: User,
    now: dt.datetime,
) -> Concern:
    """Raise a concern as a member of staff, also about a question imported as finished work."""
    policies.check_can_raise_as_staff(by, question)
    about = _about(disambiguations, len(positions_of(question)))
    reason = _clean(reason, "Say what is wrong with the disambiguations, then raise the concern.")
    seats.lock_questions([question.pk])
    policies.check_not_excluded(_state(question))
    return _raise(question, about, reason, assignment=None, changes=None, by=by, now=now)


def _raise(
    question: Question,
    about: list[int],
    reason: str,
    *,
    assignment: Assignment | None,
    changes: int | None,
    by: User,
    now: dt.datetime,
) -> Concern:
    """Write the concern while holding the question's lock, as for every concern."""
    concern = Concern.objects.filter(question=question, author=by, state=State.OPEN).first()
    if changes is not None and (concern is None or concern.pk != changes):
        _refuse_decided(changes, by)
    if concern is None:
        concern = Concern.objects.create(
            question=question,
            assignment=assignment,
            author=by,
            disambiguations=about,
            reason=reason,
            created_at=now,
        )
        data = {"question": question.pk, "disambiguations": about, "reason": reason}
        _settle(concern, "concern_raised", data, by=by, now=now)
    elif (concern.disambiguations, concern.reason) != (about, reason):
        before = {"disambiguations": concern.disambiguations, "reason": concern.reason}
        concern.disambiguations, concern.reason = about, reason
        concern.save(update_fields=["disambiguations", "reason"])
        _settle(concern, "concern_changed", {"before": before, "reason": reason}, by=by, now=now)
    return concern


def _refuse_decided(concern_id: int, by: User) -> None:
    """Raise Conflict with the outcome where the team has decided on this concern of the person."""
    concern = Concern.objects.filter(pk=concern_id, author=by).first()
    if concern is not None and concern.state in (State.UPHELD, State.DISMISSED):
        raise Conflict(f"{_OVER[concern.state]} Read why before you raise another one.")


def _about(chosen: Collection[int], count: int) -> list[int]:
    about = sorted(set(chosen))
    if any(not 0 <= each < count for each in about):
        raise Conflict("Choose among the disambiguations of this question.")
    return about


# --- withdraw ----------------------------------------------------------------------------------


@transaction.atomic
def withdraw_concern(*, concern: Concern, by: User, now: dt.datetime) -> Concern:
    """Withdraw one's own concern before it is decided. Withdrawing twice changes nothing."""
    if concern.author_id != by.pk:
        raise Denied("Only the person who raised this concern can withdraw it.")
    seats.lock_questions([concern.question_id])
    if Concern.objects.filter(pk=concern.pk, state=State.OPEN).update(state=State.WITHDRAWN):
        _reload(concern)
        _settle(concern, "concern_withdrawn", {"reason": concern.reason}, by=by, now=now)
        return concern
    _reload(concern)
    if concern.state != State.WITHDRAWN:
        raise Conflict(_OVER[concern.state])
    return concern


# --- decide ------------------------------------------------------------------------------------


@transaction.atomic
def decide_concern(
    *, concern: Concern, state: str, note: str = "", by: User, now: dt.datetime
) -> Concern:
    """Uphold the concern (excludes the question; the release gives the reason) or dismiss it.

    Each concern about a question is decided on its own: one upheld concern excludes the question,
    which is available again once all are dismissed or withdrawn. The person who raised a concern
    decides on it only where no one else in the team can.
    """
    if state not in (State.UPHELD, State.DISMISSED):
        raise Conflict("Choose whether the question is excluded or kept.")
    policies.check_can_decide(by, concern)
    missing = "Say why the question is excluded: the reason is kept with the release."
    note = _clean(note, missing if state == State.UPHELD else "")
    seats.lock_questions([concern.question_id])
    decided = Concern.objects.filter(pk=concern.pk, state=State.OPEN).update(
        state=state, note=note, decided_by=by, decided_at=now, read_at=None
    )
    _reload(concern)
    if decided:
        data = {"question": concern.question_id, "note": note}
        _settle(concern, f"concern_{state}", data, by=by, now=now)
    elif (concern.state, concern.note, concern.decided_by_id) != (state, note, by.pk):
        raise Conflict(f"{_OVER[concern.state]} Nothing was changed.")
    return concern


@transaction.atomic
def reopen_concern(*, concern: Concern, by: User, now: dt.datetime) -> Concern:
    """Undo a decision: the concern is open again, and its question waits for the team."""
    policies.check_can_decide(by, concern)
    seats.lock_questions([concern.question_id])
    _reload(concern)
    if concern.state == State.OPEN:
        return concern
    if concern.state == State.WITHDRAWN:
        raise Conflict(_OVER[concern.state])
    before = {"before": concern.state, "note": concern.note, "question": concern.question_id}
    try:
        with transaction.atomic():
            Concern.objects.filter(pk=concern.pk).update(
                state=State.OPEN, note="", decided_by=None, decided_at=None, read_at=None
            )
    except IntegrityError:
        raise Conflict(
            "Its author has raised another one about this question. Decide on that one."
        ) from None
    _reload(concern)
    _settle(concern, "concern_reopened", before, by=by, now=now)
    return concern


def mark_read(*, assignment: Assignment, until: dt.datetime, by: User, now: dt.datetime) -> int:
    """Note that the writer has read decisions up to a time; return how many of them were new."""
    if assignment.user_id != by.pk:
        raise Denied("Only the person who raised a concern can mark its decision as read.")
    return Concern.objects.filter(
        question_id=assignment.task.question_id,
        author=by,
        decided_at__lte=until,
        read_at__isnull=True,
    ).update(read_at=now)


# --- what follows ------------------------------------------------------------------------------


def _reload(concern: Concern) -> None:
    """Reload the fields that a decision changes; keep the question object."""
    concern.refresh_from_db(fields=["state", "note", "decided_by", "decided_at", "read_at"])


def _settle(
    concern: Concern, action: str, data: dict[str, object], *, by: User, now: dt.datetime
) -> None:
    """Compute the state of the concern's question again; write the audit rows of both."""
    question = concern.question
    project = question.project
    changed = seats.settle_questions([question.pk], project.protocol, now=now)
    first = stages.first_of(project.protocol)
    stage = first.key if first else ""
    if not Task.objects.filter(question=question, policy__stage=stage).exists():
        changed |= _settle_without_tasks(question, project.protocol, now=now)
    tasks.open_following(changed=changed, protocol=project.protocol, now=now)
    seats.write_entries(
        [
            seats.PendingAuditRow(action, f"concern:{concern.pk}", data),
            *seats.question_entries(changed),
        ],
        by=by,
        now=now,
        project=project.pk,
    )
    question.state = _state(question)


def _settle_without_tasks(
    question: Question, protocol: str, *, now: dt.datetime
) -> dict[int, tuple[str, str]]:
    """Set the state of a question without tasks, which was usually imported as finished work.

    One without finished work gets its task once no concern is open. That locks the policy after
    the question, which is safe only here: a change of policy waits only for questions with tasks.
    """
    old = _state(question)
    ((ruled,),) = prepared_statements.fetch_rows(
        rule_statement(stages.ruled_sql(protocol)), {"question": question.pk}
    )
    finished = LongAnswer.objects.filter(question=question, assignment__isnull=True).exists()
    base = Question.State.ACCEPTED if finished else Question.State.IMPORTED
    new = ruled or base.value
    if new == old:
        return {}
    Question.objects.filter(pk=question.pk, state=old).update(state=new)
    if new == Question.State.IMPORTED:
        tasks.open_tasks(question_ids=[question.pk], now=now)
    return {question.pk: (old, new)}


def _state(question: Question) -> str:
    """Return the state as it is now, under the question's lock."""
    return Question.objects.values_list("state", flat=True).get(pk=question.pk)
