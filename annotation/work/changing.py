"""Change one's own submission, which stays as it is until the change is submitted.

While somebody changes a submission, no one is given the tasks in which others work with it; once
somebody has one of them, nothing is changed any more.
"""

import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts import prepared_statements
from accounts.models import User
from annotation.access import work
from annotation.access.turns import last_submitted
from annotation.core.models.changes import ReplacedSubmission, SubmissionChange
from annotation.core.models.people import Role
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied
from annotation.core.states import CLOSED, DECIDED, SENTENCES
from annotation.core.texts import dump_draft_json
from annotation.extensions import hooks
from annotation.stages import registry as stages
from annotation.work import seats, tasks
from annotation.work.drafts import DraftConflict
from annotation.work.statements import HOLD_LATER_TASKS, OPENED_SINCE, SETTLED_ON

LEASE = dt.timedelta(minutes=30)
GONE = (
    "This change was submitted or ended in another window. Choose “Change it” to begin another one."
)
State = Assignment.State


# --- whether it can be changed -------------------------------------------------------------------


def check_may_change(assignment: Assignment) -> None:
    """Raise Conflict with the reason why this submission cannot be changed now. Three queries, or
    four for the last few of a stage.

    A gold item closes with the question that it was handed out beside.
    """
    stage = stages.get_stage(assignment.stage)
    if stage.revisable == 0:
        raise Conflict("What was submitted here cannot be changed. Ask the team to return it.")
    if assignment.state != State.SUBMITTED:
        raise Conflict(SENTENCES[assignment.state])
    _check_counts(assignment, stage)
    stage.check_may_change(assignment)
    _check_unread(assignment, stage, _settled_on(assignment))


def _check_counts(assignment: Assignment, stage: stages.Stage) -> None:
    if not (assignment.used or assignment.gold):
        raise Conflict("The team has left this submission out, so it stays as it is.")
    most = stage.revisable
    if most is not None and assignment not in last_submitted(assignment, most=most):
        raise Conflict(
            f"You can change only the last {most} that you submitted, and none that the team has "
            "left out."
        )


def _settled_on(assignment: Assignment) -> Question:
    """Return the question with which the assignment is settled."""
    [(question,)] = prepared_statements.fetch_rows(
        SETTLED_ON.format(settled_on=hooks.settled_on_sql()), {"assignment": assignment.pk}
    )
    return Question.objects.only("state", "project").get(pk=question)


def _check_unread(assignment: Assignment, stage: stages.Stage, question: Question) -> None:
    """Raise Conflict if the question is decided, or somebody works with what was submitted on it.

    A state in which a later stage opens is no end: the work of that stage is.
    """
    protocol = assignment.project.protocol
    opens = {each.opens_in for each in stages.of_protocol(protocol)}
    decided = question.state in DECIDED and question.state not in opens
    if stage.first and (decided or question.state in CLOSED):
        raise Conflict("Not possible any more: the question is decided.")
    rows = prepared_statements.fetch_rows(
        OPENED_SINCE,
        {**_later(question.pk, stage, protocol), "since": assignment.submitted_at},
    )
    if rows:
        key, at = rows[0]
        role = str(Role(stages.get_stage(key).role).label).lower()
        who = "the validator" if role == "validator" else "the team"
        if role == "annotator":
            who = "another person"
        day = timezone.localtime(at)
        # The day only: the minute could say who it was.
        raise Conflict(f"Not possible any more: {who} opened it on {day.day} {day:%B %Y}.")


def _later(question: int, stage: stages.Stage, protocol: str) -> dict[str, Any]:
    return {"question": question, "stages": list(stage.list_readers(protocol))}


# --- begin and end -------------------------------------------------------------------------------


def find_change(assignment: Assignment) -> SubmissionChange | None:
    """Return the change of an assignment, whether or not its time has ended. One query."""
    return SubmissionChange.objects.filter(assignment=assignment.pk).first()


@transaction.atomic
def begin_change(*, assignment: Assignment, by: User, now: dt.datetime) -> SubmissionChange:
    """Begin to change one's own submission, or go on where the time for that has ended.

    The draft is what was submitted, or what was typed the last time. Doing it twice changes
    nothing. Raises Conflict once somebody works with the submission.
    """
    work.check_owns(by, assignment)
    locked, question = _lock(assignment)
    stage = stages.get_stage(assignment.stage)
    if stage.revisable == 0:
        raise Conflict("What was submitted here cannot be changed. Ask the team to return it.")
    if locked.assignment_state != State.SUBMITTED:
        raise Conflict(SENTENCES[locked.assignment_state])
    work.check_running(locked.project_state)
    work.check_still_works_here(user=by, has_role=locked.has_role)
    change = find_change(assignment)
    if change is not None and change.ends_at > now:
        return change
    tasks.lock_tasks([question.pk])
    check_may_change(assignment)
    held = question.pk if stage.list_readers(locked.protocol) else None
    change, _ = SubmissionChange.objects.update_or_create(
        assignment=assignment,
        defaults={"question_id": held, "started_at": now, "ends_at": now + LEASE},
        create_defaults={
            "question_id": held,
            "draft": assignment.draft,
            # A form of the submission that was open before must not overwrite it.
            "draft_version": assignment.draft_version + 1,
            "started_at": now,
            "ends_at": now + LEASE,
        },
    )
    _hold(question.pk, stage, locked.protocol, now=now)
    _log("assignment_change_begun", assignment, by=by, now=now)
    assignment.changing_until = change.ends_at
    return change


@transaction.atomic
def leave_change(*, assignment: Assignment, by: User, now: dt.datetime) -> None:
    """Leave the submission as it was. What was typed is kept; once more, it is discarded."""
    work.check_owns(by, assignment)
    locked, question = _lock(assignment)
    change = find_change(assignment)
    if change is None:
        return
    if change.ends_at <= now or change.draft == assignment.draft:
        change.delete()
    else:
        SubmissionChange.objects.filter(pk=change.pk).update(ends_at=max(now, change.started_at))
    _hold(question.pk, stages.get_stage(assignment.stage), locked.protocol, now=now)
    _log("assignment_change_left", assignment, by=by, now=now)


def drop_change(assignment: Assignment, *, now: dt.datetime) -> dict[str, Any]:
    """End the change of work that its author gets back anyway; return the draft as columns, which
    is the newest that they typed. The question and the assignment are locked.
    """
    change = find_change(assignment)
    if change is None:
        return {}
    change.delete()
    if change.question_id is not None:
        stage = stages.get_stage(assignment.stage)
        _hold(change.question_id, stage, assignment.project.protocol, now=now)
    return {"draft": change.draft}


def _lock(assignment: Assignment) -> tuple[seats.LockedFacts, Question]:
    """Lock the assignment, its question and the one with which it is settled; read the latter."""
    question = _settled_on(assignment)
    seats.lock_questions({question.pk, assignment.task.question_id})
    locked = seats.lock_assignment(assignment)
    assignment.refresh_from_db(
        fields=["state", "draft", "draft_version", "submitted_at", "used", "feedback"]
    )
    question.refresh_from_db(fields=["state"])
    return locked, question


def _hold(question: int, stage: stages.Stage, protocol: str, *, now: dt.datetime) -> None:
    prepared_statements.fetch_rows(
        HOLD_LATER_TASKS, {**_later(question, stage, protocol), "now": now}
    )


# --- what is typed -------------------------------------------------------------------------------


def save_change(
    *, assignment: Assignment, draft: dict[str, Any], version: int, by: User, now: dt.datetime
) -> int:
    """Save the draft of a change if it has not been saved since `version`; return the new version.

    It is kept after the time for the change has ended, too. Raises DraftConflict with the other
    draft, Conflict if there is no change any more, TooMuch above 400,000 bytes.
    """
    work.check_owns(by, assignment)
    stored = json.loads(dump_draft_json(draft))
    since = SubmissionChange.objects.filter(assignment=assignment, draft_version=version)
    if since.update(draft=stored, draft_version=version + 1, draft_saved_at=now):
        return version + 1
    change = find_change(assignment)
    if change is None:
        raise Conflict(GONE)
    if change.draft == stored:
        return change.draft_version
    raise DraftConflict(change.draft, change.draft_version, change.draft_saved_at)


# --- submit --------------------------------------------------------------------------------------


def submit_change(*, assignment: Assignment, response: Any, by: User, now: dt.datetime) -> Any:
    """Put the response in the place of what was submitted; return what the stage wrote.

    What was submitted before is kept as a `ReplacedSubmission`. Pay, seat and time of submission
    stay. Idempotent: a second click changes nothing.

    Raises ResponseRefused(report) while a rule stops it, and Conflict if its time has ended or
    somebody works with the submission: what was typed is then saved as the draft.
    """
    work.check_owns(by, assignment)
    with transaction.atomic():
        done = _submit(assignment, response, by=by, now=now)
    if isinstance(done, Denied):
        raise done  # only now, after the draft was stored
    return done


def _submit(assignment: Assignment, response: Any, *, by: User, now: dt.datetime) -> Any:
    stage = stages.get_stage(assignment.stage)
    sent = json.loads(dump_draft_json(stage.sheet.dump(response)))
    locked, question = _lock(assignment)
    change = find_change(assignment)
    if change is None:
        if locked.assignment_state == State.SUBMITTED and assignment.draft == sent:
            return stage.get_submission(assignment)
        return Conflict(GONE)
    tasks.lock_tasks([question.pk])
    try:
        _check_in_time(change, locked, by=by, now=now)
        check_may_change(assignment)
        if sent == assignment.draft:
            written = stage.get_submission(assignment)
        else:
            written = _replace(assignment, response, sent, by=by, now=now)
    except Conflict as conflict:
        return _keep_typed(change, sent, conflict, now=now)
    change.delete()
    _hold(question.pk, stage, locked.protocol, now=now)
    if sent != assignment.draft:
        assignment.draft = sent
        hooks.announce_submission(assignment, response, now=now)
        changed = seats.settle_questions([locked.question_id], locked.protocol, now=now)
        tasks.open_following(changed=changed, protocol=locked.protocol, now=now)
        entries = seats.question_entries(changed)
        _log("assignment_changed", assignment, by=by, now=now, entries=entries)
    return written


def _check_in_time(
    change: SubmissionChange, locked: seats.LockedFacts, *, by: User, now: dt.datetime
) -> None:
    work.check_running(locked.project_state)
    try:
        work.check_still_works_here(user=by, has_role=locked.has_role)
    except Denied as denied:
        raise Conflict(str(denied)) from None
    if change.ends_at <= now:
        at = timezone.localtime(change.ends_at)
        raise Conflict(
            f"The time to change it ended at {at:%H:%M}. What you submitted before stays as it is. "
            "Your text is kept: choose “Change it” to go on with it."
        )


def _replace(
    assignment: Assignment, response: Any, sent: dict[str, Any], *, by: User, now: dt.datetime
) -> Any:
    """Write the rows of the change in the place of those there are, and keep what these said."""
    stage = stages.get_stage(assignment.stage)
    earlier = list(ReplacedSubmission.objects.filter(assignment=assignment).order_by("number"))
    assert assignment.submitted_at is not None
    with transaction.atomic():  # a rule or a stage that refuses leaves the submission as it was
        ReplacedSubmission.objects.create(
            assignment=assignment,
            number=len(earlier) + 1,
            response=assignment.draft,
            logged=stage.values_for_log(assignment),
            submitted_at=earlier[-1].replaced_at if earlier else assignment.submitted_at,
            replaced_at=now,
        )
        stage.withdraw(assignment)
        written = stage.submit(assignment, response, by=by, now=now)
        version = assignment.draft_version
        as_it_was = Assignment.objects.filter(
            pk=assignment.pk, state=State.SUBMITTED, draft_version=version
        )
        if not as_it_was.update(
            draft=sent,
            draft_version=version + 1,
            draft_saved_at=now,
            feedback=str(getattr(response, "feedback", "")),
        ):
            raise Conflict(GONE)
    return written


def _keep_typed(
    change: SubmissionChange, sent: dict[str, Any], conflict: Conflict, *, now: dt.datetime
) -> Conflict:
    if change.draft != sent:
        change.draft, change.draft_saved_at = sent, now
        change.draft_version += 1
        change.save(update_fields=["draft", "draft_version", "draft_saved_at"])
    return conflict


def _log(
    action: str,
    assignment: Assignment,
    *,
    by: User,
    now: dt.datetime,
    entries: Sequence[seats.PendingAuditRow] = (),
) -> None:
    """Write the audit row; what was submitted before is a row of its own."""
    row = seats.PendingAuditRow(action, f"assignment:{assignment.pk}", {})
    seats.write_entries([row, *entries], by=by, now=now, project=assignment.project_id)
