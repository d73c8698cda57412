"""Submit and skip work; return it to its author or exclude it (staff).

This module also exports the services of `taking` and `leases`, so that callers find the whole life
of an assignment here.
"""

import datetime as dt
from typing import Any

from django.db import DatabaseError, transaction
from django.db.models import Max

from accounts.models import User
from annotation.access import work
from annotation.core import limits
from annotation.core.models.people import Membership
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied, ResponseRefused
from annotation.core.states import HELD, SENTENCES, change_state
from annotation.extensions import hooks
from annotation.stages import registry as stages
from annotation.work import at_limit, changing, handover, seats, tasks
from annotation.work import succession as steps
from annotation.work.leases import (
    extend_lease,
    find_late_problem,
    give_back,
    park_assignment,
    record_activity,
    reopen_assignment,
    resume_assignment,
    seconds_at,
)
from annotation.work.taking import reclaim_seats, take_at_once, take_next

State = Assignment.State

__all__ = [
    "ResponseRefused",
    "extend_lease",
    "give_back",
    "park_assignment",
    "reclaim_seats",
    "record_activity",
    "reopen_assignment",
    "resume_assignment",
    "return_to_author",
    "skip_question",
    "soft_reject",
    "submit_and_take",
    "submit_response",
    "take_next",
    "use_again",
]


# --- submit ------------------------------------------------------------------------------------


def submit_response(
    *, assignment: Assignment, response: Any, by: User, now: dt.datetime, by_clock: bool = False
) -> Any:
    """Submit the response; return what the stage wrote (for generation: the Annotation).

    Idempotent by assignment: a double click or a retry gets the submission that exists,
    and changes nothing. A late one, after the lease ended, is accepted while the seat is free.

    Raises ResponseRefused(report) while there are errors or unanswered warnings, and Conflict when
    the seat has gone to someone else or the project is not running: the response is then saved as
    the draft. Parked work must be resumed first. After the end of a time limit no rule stops it,
    and soon after, what the last draft holds is submitted instead; `by_clock`: by no one's press.
    """
    work.check_owns(by, assignment)
    with transaction.atomic():
        done = _submit(assignment, response, by=by, now=now, by_clock=by_clock)
    if isinstance(done, Denied):
        raise done  # only now, after the draft was stored
    return done


def submit_and_take(
    *, assignment: Assignment, response: Any, by: User, now: dt.datetime
) -> Assignment | None:
    """Submit as `submit` does, and take the person's next task in the same transaction.

    One commit costs the database less than two. Returns None if there is no task that can be taken
    without waiting for someone: then ask `take_next`, which also says why there is none. A take
    that fails does not undo the submission.
    """
    work.check_owns(by, assignment)
    following = None
    try:
        with transaction.atomic():
            done = _submit(assignment, response, by=by, now=now)
            # The clock of the next one starts when the person asks for it.
            if not isinstance(done, Denied) and stages.get_stage(assignment.stage).limit is None:
                following = take_at_once(
                    project=assignment.project, stage=assignment.stage, by=by, now=now
                )
    except DatabaseError:
        submit_response(assignment=assignment, response=response, by=by, now=now)
        return None
    if isinstance(done, Denied):
        raise done
    return following


def _submit(
    assignment: Assignment, response: Any, *, by: User, now: dt.datetime, by_clock: bool = False
) -> Any:
    stage = stages.get_stage(assignment.stage)
    sent = None if by_clock else stage.sheet.dump(response)
    locked = seats.lock_assignment(assignment)
    if locked.assignment_state == State.SUBMITTED:
        return stage.get_submission(assignment)
    problem = _problem(assignment, locked, by=by, by_clock=by_clock)
    if problem is not None:
        at_limit.keep_as_draft(assignment, sent, now=now)
        return problem
    late = locked.assignment_state == State.EXPIRED
    if late and (problem := find_late_problem(assignment, by=by, now=now)):
        at_limit.keep_as_draft(assignment, sent, now=now)
        return problem
    if late and not seats.seat_is_free(assignment.task_id):
        assignment.refresh_from_db(fields=["ended_at"])
        at_limit.keep_as_draft(assignment, sent, now=now)
        return Conflict(work.late_sentence(assignment.ended_at))

    response, told = at_limit.apply_time_limit(assignment, response, by_clock=by_clock, now=now)
    assignment.task.question.state = locked.question_state  # some stages ask for it under the lock
    try:
        written = stage.submit(assignment, response, by=by, now=now)
    except Conflict as conflict:
        at_limit.keep_as_draft(assignment, sent, now=now)
        return conflict
    active_seconds = seconds_at(assignment, min(now, assignment.limit_ends_at or now))
    change_state(
        assignment,
        State.SUBMITTED,
        now=now,
        **told,
        **steps.last_step_columns(assignment, stage.sheet, active_seconds),
        **hooks.collect_submission_columns(assignment.policy, active_seconds=active_seconds),
        draft=stage.sheet.dump(response),
        feedback=str(getattr(response, "feedback", "")),
        active_seconds=active_seconds,
        seen_at=now,
        handed_over_at=now,
    )
    hooks.announce_submission(assignment, response, now=now)
    changed = seats.settle_questions([locked.question_id], locked.protocol, now=now)
    if late:
        seats.recount_open_seats([assignment.task_id])
    _log(
        "assignment_submitted",
        assignment,
        by=None if by_clock else by,
        now=now,
        changed=changed,
        **({"late": True} if late else {}),
        **({"by_clock": True} if by_clock else {}),
    )
    state = changed.get(locked.question_id, ("", locked.question_state))[1]
    if handover.has_next_stage(locked.protocol, state, done=assignment.stage):
        handover.hand_over(assignment=assignment, state=state, now=now)
    return written


def _problem(
    assignment: Assignment, locked: seats.LockedFacts, *, by: User, by_clock: bool
) -> Denied | None:
    """Return why no submission is accepted now; the response is then saved as the draft."""
    try:
        work.check_running(locked.project_state)
        if not by_clock:
            work.check_still_works_here(user=by, has_role=locked.has_role)
    except Denied as denied:
        return denied
    from_here = HELD if by_clock else (State.ACTIVE, State.EXPIRED)
    if locked.assignment_state in from_here:
        return None
    return Conflict(SENTENCES[locked.assignment_state])


# --- skip --------------------------------------------------------------------------------------


@transaction.atomic
def skip_question(
    *, assignment: Assignment, reason: str, feedback: str = "", by: User, now: dt.datetime
) -> Assignment:
    """Give the question up for good, with a reason. The seat is free at once.

    When no one has answered and as many people as the policy asks for have skipped, the question
    itself counts as skipped and is not handed out again. A person who skips many in a row gets no
    new work until staff lift the pause. Skipping twice changes nothing.
    """
    work.check_owns(by, assignment)
    if reason not in Assignment.SkipReason.values:
        raise Conflict("Choose why you skip this question.")
    locked = seats.lock_assignment(assignment)
    if locked.assignment_state == State.SKIPPED:
        assignment.refresh_from_db()
        return assignment
    work.check_running(locked.project_state)
    limits.check_time_left(assignment, now)
    change_state(
        assignment,
        State.SKIPPED,
        now=now,
        skip_reason=reason,
        feedback=feedback.replace("\x00", "").strip()[:5000],
        active_seconds=seconds_at(assignment, now),
    )
    changed = seats.settle_questions([locked.question_id], locked.protocol, now=now)
    seats.recount_open_seats([assignment.task_id])
    _log("assignment_skipped", assignment, by=by, now=now, changed=changed, reason=reason)
    _pause_after_many_skips(assignment, now=now)
    return assignment


def _pause_after_many_skips(assignment: Assignment, *, now: dt.datetime) -> None:
    """Pause the person after `skips_before_pause` skips in a row, and again after as many more."""
    mine = Assignment.objects.filter(
        user_id=assignment.user_id, project_id=assignment.project_id, stage=assignment.stage
    )
    last = mine.filter(state=State.SUBMITTED).aggregate(at=Max("submitted_at"))["at"]
    skipped = mine.filter(state=State.SKIPPED)
    run = (skipped.filter(ended_at__gt=last) if last else skipped).count()
    if run == 0 or run % assignment.project.skips_before_pause:
        return
    reason = f"{run} questions skipped in a row"
    memberships = Membership.objects.filter(
        user_id=assignment.user_id,
        project_id=assignment.project_id,
        role=stages.get_stage(assignment.stage).role,
        paused_at__isnull=True,
    )
    for pk in memberships.values_list("pk", flat=True):
        if memberships.filter(pk=pk).update(paused_at=now, pause_reason=reason):
            seats.write_entries(
                [
                    seats.PendingAuditRow(
                        "membership_paused",
                        f"membership:{pk}",
                        {"reason": reason, "user": assignment.user_id},
                    )
                ],
                by=None,
                now=now,
                project=assignment.project_id,
            )


# --- staff -------------------------------------------------------------------------------------


@transaction.atomic
def return_to_author(
    *, assignment: Assignment, note: str, by: User, now: dt.datetime
) -> Assignment:
    """Return submitted work to its author with a note: it is parked, and they keep text and seat.

    The audit row and the draft hold what was submitted. Staff only.
    """
    work.check_can_judge_work(by, assignment)
    note = _note(note, "Say what should change, then return the work.")
    locked = seats.lock_assignment(assignment)
    if locked.assignment_state != State.SUBMITTED:
        raise Conflict("Only submitted work can be returned. Nothing was changed.")
    submission, changed = withdraw_submission(
        assignment, locked, now=now, park_reason="", returned_at=now, staff_note=note
    )
    _log(
        "assignment_returned_to_author",
        assignment,
        by=by,
        now=now,
        changed=changed,
        note=note,
        submission=submission,
    )
    return assignment


def withdraw_submission(
    assignment: Assignment, locked: seats.LockedFacts, *, now: dt.datetime, **columns: Any
) -> tuple[dict[str, object], dict[int, tuple[str, str]]]:
    """Park submitted work, with its text and seat and without its pay. It is locked.

    Returns what was submitted, for the audit row, and the questions whose state changed. Raises
    Conflict if it could not be submitted again.
    """
    stage = stages.get_stage(assignment.stage)
    was = stage.values_for_log(assignment)
    stage.withdraw(assignment)
    columns |= changing.drop_change(assignment, now=now)
    rows = Assignment.objects.values_list("used", "draft_version")
    was_used, version = rows.get(pk=assignment.pk)
    waits = stage.decides and locked.question_state == stage.opens_in
    if (waits or not (was_used or assignment.gold)) and not seats.seat_is_free(assignment.task_id):
        raise Conflict(
            "This work no longer counts and someone else has taken its place. It cannot be "
            "returned."
        )
    change_state(
        assignment,
        State.PARKED,
        now=now,
        only_from=[State.SUBMITTED],
        lease_ends_at=now + dt.timedelta(hours=assignment.policy.park_hours),
        # The draft is the submission: a window that was open before must not overwrite it.
        draft_version=version + 1,
        pay=0,
        pay_accepted=0,
        pay_pair=0,
        pay_match=0,
        used=not assignment.gold,
        handed_over_at=None,
        # What is done again has no clock: people are asked for a correction, not for more.
        limit_ends_at=None,
        at_limit={},
        **columns,
    )
    changed = seats.settle_questions([locked.question_id], locked.protocol, now=now)
    state = changed.get(locked.question_id, ("", locked.question_state))[1]
    if stage.opens_in not in ("", state):
        # Submitting it again would be refused.
        raise Conflict(
            f"This question is not waiting for {stage.label.lower()} now, so its author could not "
            f"submit again. Nothing was changed."
        )
    seats.recount_open_seats([assignment.task_id])
    return was, changed


@transaction.atomic
def soft_reject(*, assignment: Assignment, note: str, by: User, now: dt.datetime) -> Assignment:
    """Exclude submitted work from the data; it stays paid, and its seat opens again."""
    work.check_can_judge_work(by, assignment)
    note = _note(note, "Say why this work is excluded.")
    return _set_used(assignment, used=False, note=note, by=by, now=now)


@transaction.atomic
def use_again(*, assignment: Assignment, note: str = "", by: User, now: dt.datetime) -> Assignment:
    """Undo a soft reject, as long as no one else has taken the seat."""
    work.check_can_judge_work(by, assignment)
    return _set_used(assignment, used=True, note=note.strip(), by=by, now=now)


def _set_used(
    assignment: Assignment, *, used: bool, note: str, by: User, now: dt.datetime
) -> Assignment:
    locked = seats.lock_assignment(assignment)
    if locked.assignment_state != State.SUBMITTED:
        raise Conflict("Only submitted work can be excluded or used. Nothing was changed.")
    if assignment.gold:
        raise Conflict("This is a gold item: it is never data. Nothing was changed.")
    if used and not seats.seat_is_free(assignment.task_id):
        raise Conflict("Someone else has this question now. Nothing was changed.")
    moved = Assignment.objects.filter(
        pk=assignment.pk, state=State.SUBMITTED, used=not used
    ).update(used=used, staff_note=note)
    if moved:
        assignment.used, assignment.staff_note = used, note
        changed = seats.settle_questions([locked.question_id], locked.protocol, now=now)
        seats.recount_open_seats([assignment.task_id])
        tasks.open_following(changed=changed, protocol=locked.protocol, now=now)
        action = "assignment_used_again" if used else "assignment_left_out"
        _log(action, assignment, by=by, now=now, changed=changed, note=note)
    return assignment


def _note(text: str, missing: str) -> str:
    note = text.replace("\x00", "").strip()[:5000]
    if not note:
        raise Conflict(missing)
    return note


def _log(
    action: str,
    assignment: Assignment,
    *,
    by: User | None,
    now: dt.datetime,
    changed: dict[int, tuple[str, str]],
    **data: Any,
) -> None:
    """Write the audit rows of the assignment and its question, in one statement."""
    seats.write_entries(
        [
            seats.PendingAuditRow(action, f"assignment:{assignment.pk}", data),
            *seats.question_entries(changed),
        ],
        by=by,
        now=now,
        project=assignment.project_id,
    )
