"""Open, answer, withdraw and read threads between a person and the team about an assignment.

A thread's row is locked before its messages are read, so that a double click writes one message
and two simultaneous answers are both kept. Order of locks: assignment, thread.
"""

import datetime as dt

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.access.work import check_owns
from annotation.core import audit
from annotation.core.models.work import Assignment
from annotation.core.refusals import Conflict, Denied
from annotation.threads import policies
from annotation.threads.models import Message, Thread

LONGEST = 5000
State = Thread.State
_TAKEN = "Its author has opened another one on the same work. Continue with that one."


def clean_message(
    text: str,
    missing: str = "Write what you want to say, then send it.",
    *,
    most: int = LONGEST,
    too_long: str = "A message has at most {most:,} characters. This one has {length:,}.",
) -> str:
    """Return a text to or of the team as it is stored.

    Raises Conflict where it is too long and, unless `missing` is "", where it is empty.
    """
    text = text.replace("\x00", "").replace("\r\n", "\n").strip()
    if not text and missing:
        raise Conflict(missing)
    if len(text) > most:
        raise Conflict(too_long.format(most=most, length=len(text)))
    return text


@transaction.atomic
def open_thread(
    *, assignment: Assignment, kind: str, text: str, by: User, now: dt.datetime
) -> Thread:
    """Open a thread about one's own assignment: a claim or a question.

    Where a thread of this kind is already open, the message is added to it.
    """
    check_owns(by, assignment)
    policies.check_still_member(by, assignment.project)
    if kind not in (Thread.Kind.CLAIM, Thread.Kind.QUESTION, Thread.Kind.PARK):
        raise Denied("Choose whether you ask or claim.")
    text = clean_message(text)
    Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    thread = Thread.objects.filter(assignment=assignment, kind=kind, state=State.OPEN).first()
    if thread is None:
        thread = Thread.objects.create(
            assignment=assignment,
            project_id=assignment.project_id,
            kind=kind,
            waiting_since=now,
        )
        audit.record_action(
            "thread_opened",
            thread,
            by=by,
            now=now,
            project=assignment.project_id,
            kind=kind,
            assignment=assignment.pk,
        )
    write_as_author(thread=thread, text=text, by=by, now=now)
    return thread


@transaction.atomic
def write_as_author(*, thread: Thread, text: str, by: User, now: dt.datetime) -> Message:
    """Write as the thread's author. This reopens a thread that was answered."""
    text = clean_message(text)
    locked = lock_thread(thread)
    policies.check_can_write(by, locked)
    if (same := _said_just_now(locked, text, by_staff=False)) is not None:
        return same
    if locked.state == State.ANSWERED:
        taken = "You have asked something else about this since. Write your message there."
        reopen_locked(locked, now=now, taken=taken)
    message = _add_message(locked, text, by_staff=False, by=by, now=now)
    thread.refresh_from_db()
    return message


@transaction.atomic
def answer_thread(*, thread: Thread, text: str, by: User, now: dt.datetime) -> Message:
    """Answer for the team. This closes a question; a claim stays open until it is decided."""
    text = clean_message(text)
    locked = lock_thread(thread)
    policies.check_can_answer(by, locked)
    if (same := _said_just_now(locked, text, by_staff=True)) is not None:
        return same
    message = add_team_message(thread=locked, text=text, by=by, now=now)
    if locked.kind != Thread.Kind.CLAIM and locked.state == State.OPEN:
        close_thread(thread=locked, state=State.ANSWERED, now=now)
        audit.record_action("thread_answered", thread, by=by, now=now, project=locked.project_id)
    thread.refresh_from_db()
    return message


def add_team_message(*, thread: Thread, text: str, by: User, now: dt.datetime) -> Message:
    """Write a message of the team. The caller holds the thread's lock and has checked."""
    return _add_message(thread, text, by_staff=True, by=by, now=now)


def _add_message(
    thread: Thread, text: str, *, by_staff: bool, by: User, now: dt.datetime
) -> Message:
    """Write a message of one side, which has read what the other has written."""
    thread.messages.filter(by_staff=not by_staff, read_at__isnull=True).update(read_at=now)
    receiver = thread.assignment.user_id if by_staff else None
    return thread.messages.create(
        by_staff=by_staff, author=by, receiver_id=receiver, text=text, created_at=now
    )


def close_thread(*, thread: Thread, state: str, now: dt.datetime) -> None:
    """Close an open thread in one conditional update. Raises Conflict where it is not open."""
    closed = Thread.objects.filter(pk=thread.pk, state=State.OPEN).update(
        state=state, closed_at=now
    )
    if not closed:
        thread.refresh_from_db(fields=["state"])
        raise Conflict(f"This is no longer open: {thread.get_state_display().lower()}.")
    thread.state, thread.closed_at = state, now


@transaction.atomic
def withdraw_thread(*, thread: Thread, by: User, now: dt.datetime) -> None:
    """Withdraw one's own question or claim. A second call changes nothing."""
    locked = lock_thread(thread)
    if not policies.is_author(by, locked):
        raise Denied("Only the person who opened this can withdraw it.")
    if locked.state == State.WITHDRAWN:
        return
    close_thread(thread=locked, state=State.WITHDRAWN, now=now)
    audit.record_action("thread_withdrawn", thread, by=by, now=now, project=locked.project_id)
    thread.refresh_from_db()


@transaction.atomic
def reopen_thread(*, thread: Thread, by: User, now: dt.datetime) -> None:
    """Open a closed thread again, for the team. Raises Conflict where another is open."""
    locked = lock_thread(thread)
    policies.check_can_answer(by, locked)
    if locked.state == State.OPEN:
        return
    before = locked.state
    reopen_locked(locked, now=now)
    audit.record_action(
        "thread_reopened", thread, by=by, now=now, project=locked.project_id, before=before
    )
    thread.refresh_from_db()


def reopen_locked(thread: Thread, *, now: dt.datetime, taken: str = _TAKEN) -> None:
    """Set a locked thread open again. Raises Conflict, with `taken`, where another is open."""
    try:
        with transaction.atomic():
            Thread.objects.filter(pk=thread.pk).update(
                state=State.OPEN, closed_at=None, waiting_since=now
            )
    except IntegrityError:
        raise Conflict(taken) from None
    thread.state, thread.closed_at = State.OPEN, None


def mark_read(*, thread: Thread, seen: int, by: User, now: dt.datetime) -> None:
    """Note that one side has read the other's messages up to the id `seen`.

    `seen` is the last message on the page: later ones are still new.
    """
    if not (by_author := policies.is_author(by, thread)):
        policies.check_can_answer(by, thread)
    unread = thread.messages.filter(by_staff=by_author, read_at__isnull=True)
    unread.filter(pk__lte=seen).update(read_at=now)


def lock_thread(thread: Thread) -> Thread:
    """Lock a thread until the transaction ends; return it as it is now."""
    return (
        Thread.objects.select_for_update(no_key=True, of=("self",))
        .select_related("assignment", "project")
        .get(pk=thread.pk)
    )


def _said_just_now(thread: Thread, text: str, *, by_staff: bool) -> Message | None:
    """Return the last message if it has this text: a button was pressed twice."""
    last = thread.messages.order_by("-pk").first()
    return last if last and last.by_staff == by_staff and last.text == text else None
