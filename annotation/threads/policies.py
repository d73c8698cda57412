"""Who may write and read messages about an assignment."""

from accounts.models import User
from annotation.access.projects import check_can_manage, is_member
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict, Denied
from annotation.threads.models import Thread

# The refusal for authors who write in a closed thread.
OVER = {
    Thread.State.CHANGED.value: "The team has decided on this claim: the result was changed. Ask "
    "a question about it if something is unclear.",
    Thread.State.UPHELD.value: "The team has decided on this claim and kept the result. Ask a "
    "question about it if something is unclear.",
    Thread.State.WITHDRAWN.value: "You withdrew this. Write a new message if it is still open "
    "for you.",
}


def is_author(user: User, thread: Thread) -> bool:
    """Return whether the person is the author of the thread."""
    return thread.assignment.user_id == user.pk


def check_can_answer(user: User, thread: Thread) -> None:
    """Refuse unless the person may answer for the team; never about their own work."""
    check_can_manage(user, thread.project)
    if is_author(user, thread):
        raise Denied("This is about your own work. Another member of the team answers it.")


def check_can_write(user: User, thread: Thread) -> None:
    """Refuse unless the person is the author and the thread can be written to."""
    if not is_author(user, thread):
        raise Denied(
            "Only the person who opened this and the people who run the project can write here."
        )
    check_still_member(user, thread.project)
    if thread.state in OVER:
        raise Conflict(OVER[thread.state])


def check_still_member(user: User, project: Project) -> None:
    """Refuse people who have left the project, as the team would not answer them here."""
    if not is_member(user, project):
        raise Denied("You no longer work in this project, and cannot write to its team here.")
