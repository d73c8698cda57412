"""Write the FAQ of a project. Every change is in its log with the text before and after."""

import datetime as dt

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from annotation.core import audit
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict, Denied
from annotation.faq.models import FaqEntry
from annotation.faq.policies import check_can_edit_faq
from annotation.threads.models import Message, Thread

LONGEST_QUESTION, LONGEST_ANSWER = 300, 20_000


def _texts(question: str, answer: str) -> tuple[str, str]:
    question = " ".join(question.replace("\x00", "").split())
    answer = answer.replace("\x00", "").replace("\r\n", "\n").strip()
    if not question or not answer:
        raise Conflict("An entry has a question and an answer. Write both.")
    for text, what, most in (
        (question, "question", LONGEST_QUESTION),
        (answer, "answer", LONGEST_ANSWER),
    ):
        if len(text) > most:
            raise Conflict(f"The {what} has at most {most:,} characters. This has {len(text):,}.")
    return question, answer


@transaction.atomic
def add_entry(
    *,
    project: Project,
    question: str,
    answer: str,
    by: User,
    now: dt.datetime,
    thread: Thread | None = None,
) -> FaqEntry:
    """Add an entry at the end."""
    check_can_edit_faq(by, project)
    question, answer = _texts(question, answer)
    _lock(project)
    last = project.faq.aggregate(last=Max("position"))["last"]
    entry = FaqEntry.objects.create(
        project=project,
        question=question,
        answer=answer,
        position=0 if last is None else last + 1,
        thread=thread,
        changed_by=by,
        created_at=now,
        changed_at=now,
    )
    after = {"question": question, "answer": answer}
    audit.record_action("faq_added", entry, by=by, now=now, project=project, after=after)
    return entry


@transaction.atomic
def add_from_thread(*, thread: Thread, by: User, now: dt.datetime) -> FaqEntry:
    """Add the question and the team's last answer to the FAQ. A second call adds nothing."""
    check_can_edit_faq(by, thread.project)
    _lock(thread.project)
    entry = FaqEntry.objects.filter(thread=thread).first()
    if entry is not None:
        return entry
    messages = list(Message.objects.filter(thread=thread).order_by("pk"))
    asked = next((message for message in messages if not message.by_staff), None)
    answered = next((message for message in reversed(messages) if message.by_staff), None)
    if asked is None or answered is None:
        raise Conflict("Answer the question first, then put it into the FAQ.")
    return add_entry(
        project=thread.project,
        question=_opening(asked.text),
        answer=answered.text,
        by=by,
        now=now,
        thread=thread,
    )


def _opening(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_QUESTION else f"{words[: LONGEST_QUESTION - 1]}…"


@transaction.atomic
def change_entry(
    *, entry: FaqEntry, question: str, answer: str, by: User, now: dt.datetime
) -> FaqEntry:
    """Change an entry's question and answer."""
    check_can_edit_faq(by, entry.project)
    question, answer = _texts(question, answer)
    before = FaqEntry.objects.select_for_update(no_key=True).get(pk=entry.pk)
    if (before.question, before.answer) == (question, answer):
        return before
    FaqEntry.objects.filter(pk=entry.pk).update(
        question=question, answer=answer, changed_by=by, changed_at=now
    )
    audit.record_action(
        "faq_changed",
        entry,
        by=by,
        now=now,
        project=entry.project_id,
        before={"question": before.question, "answer": before.answer},
        after={"question": question, "answer": answer},
    )
    entry.refresh_from_db()
    return entry


@transaction.atomic
def move_entry(*, entry: FaqEntry, direction: str, by: User, now: dt.datetime) -> None:
    """Swap an entry with the one above or below it; at either end nothing happens."""
    check_can_edit_faq(by, entry.project)
    if direction not in ("up", "down"):
        raise Denied("Choose up or down.")
    _lock(entry.project)
    entry.refresh_from_db()
    others = entry.project.faq.all()
    if direction == "up":
        other = others.filter(position__lt=entry.position).order_by("-position").first()
    else:
        other = others.filter(position__gt=entry.position).order_by("position").first()
    if other is None:
        return
    FaqEntry.objects.filter(pk=entry.pk).update(position=other.position)
    FaqEntry.objects.filter(pk=other.pk).update(position=entry.position)
    audit.record_action(
        "faq_moved", entry, by=by, now=now, project=entry.project_id, direction=direction
    )


@transaction.atomic
def remove_entry(*, entry: FaqEntry, by: User, now: dt.datetime) -> None:
    """Delete an entry; the log keeps its text."""
    check_can_edit_faq(by, entry.project)
    pk = entry.pk
    deleted, _ = FaqEntry.objects.filter(pk=pk).delete()
    if deleted:
        before = {"question": entry.question, "answer": entry.answer}
        entry.pk = pk
        audit.record_action(
            "faq_removed", entry, by=by, now=now, project=entry.project_id, before=before
        )


def _lock(project: Project) -> None:
    """Lock the project, so that changes to the order of its entries happen one after the other."""
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
