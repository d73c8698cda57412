"""Take one's own submission back to change it, where the stage allows it."""

import datetime as dt

from django.db import transaction

from accounts.models import User
from annotation.access import work
from annotation.access.turns import last_submitted
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict
from annotation.core.states import SENTENCES, UNTIL_CHANGED
from annotation.stages import registry as stages
from annotation.work import assignments, leases, seats

State = Assignment.State


@transaction.atomic
def revise_submission(*, assignment: Assignment, by: User, now: dt.datetime) -> Assignment:
    """Make one of the person's last submissions of a stage their work in hand again.

    What they have in hand is parked, and comes back when the change is submitted. The draft is what
    was submitted, and the audit row holds it, too; its pay is taken back until it is submitted
    again. Doing it twice changes nothing more.
    """
    work.check_owns(by, assignment)
    stage = stages.get_stage(assignment.stage)
    if not stage.revisable:
        raise Conflict("What was submitted here cannot be changed. Ask the team to return it.")
    mine = Assignment.objects.filter(
        user=by, project=assignment.project_id, stage=stage.key, state=State.ACTIVE
    )
    active = mine.select_related("task", "policy", "project").first()
    held = [assignment, active] if active and active != assignment else [assignment]
    seats.lock_questions(row.task.question_id for row in held)
    locked = seats.lock_assignment(assignment)
    if locked.assignment_state == State.ACTIVE:
        assignment.refresh_from_db(fields=["state"])
        return assignment
    if locked.assignment_state != State.SUBMITTED:
        raise Conflict(SENTENCES[locked.assignment_state])
    work.check_running(locked.project_state)
    work.check_still_works_here(user=by, has_role=locked.has_role)
    if assignment not in last_submitted(assignment, most=stage.revisable):
        raise Conflict(
            f"You can change only the last {stage.revisable} that you submitted, and none that the "
            "team has left out."
        )
    stage.check_may_change(assignment)
    if active and active != assignment:
        leases.park_assignment(assignment=active, reason=UNTIL_CHANGED, by=by, now=now)
    submission, changed = assignments.withdraw_submission(
        assignment, locked, now=now, park_reason="To change it"
    )
    entry = seats.PendingAuditRow(
        "assignment_taken_back", f"assignment:{assignment.pk}", {"submission": submission}
    )
    entries = [entry, *seats.question_entries(changed)]
    seats.write_entries(entries, by=by, now=now, project=assignment.project_id)
    return leases.resume_assignment(assignment=assignment, by=by, now=now)
