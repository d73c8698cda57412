"""Who may give feedback on submitted work."""

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied


def check_can_give_feedback(user: User, assignment: Assignment) -> None:
    """Refuse unless the person is staff and it is someone else's submitted work."""
    check_can_manage(user, assignment.project)
    if assignment.user_id == user.pk:
        raise Denied("This is your own work. Another member of the team gives feedback on it.")
    if assignment.state != Assignment.State.SUBMITTED and not assignment.staff_note:
        raise Conflict("You can give feedback only on submitted work. This has not been submitted.")
