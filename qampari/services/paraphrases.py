"""Keep paraphrases, have half of each person's verified, and act on what is said of them (Q6)."""

import datetime as dt
import secrets

from accounts import prepared_statements
from accounts.models import User
from annotation.core.states import HELD
from annotation.models import Assignment, Membership, Question, Submission, Task
from annotation.work import assignments, seats, tasks
from qampari.paraphrase_rows import Paraphrase, Verification
from qampari.statements import KEEP_PARAPHRASE

PARAPHRASE, VERIFY = "qampari-paraphrase", "qampari-verify"
_SEEDS = 2**31 - 1
Verdict = Verification.Verdict


def keep_paraphrase(
    submission: Submission, question: Question, text: str, *, now: dt.datetime
) -> None:
    """Keep a submitted paraphrase; where it is drawn, ask another person to verify it.

    The engine holds the question's lock.
    """
    prepared_statements.fetch_rows(
        KEEP_PARAPHRASE,
        {
            "question": question.pk,
            "author": submission.author_id,
            "project": question.project_id,
            "seed": secrets.randbelow(_SEEDS),
            "text": text,
            "submission": submission.pk,
            "verify": VERIFY,
            "now": now,
        },
    )


def unit_of(row: Paraphrase) -> str:
    """Return the unit of the task in which this version of a paraphrase is verified."""
    return f"{row.pk}-{row.version}"


def is_read(submission: Submission) -> bool:
    """Return whether another person has this paraphrase to verify, or has verified it."""
    row = Paraphrase.objects.filter(submission=submission).first()
    seen = Assignment.objects.filter(stage=VERIFY, state__in=(*HELD, "submitted"))
    return (
        row is not None
        and seen.filter(task__question=row.question_id, task__unit=unit_of(row)).exists()
    )


def take_back(submission: Submission) -> None:
    """Let a paraphrase count no longer, because its author gets it back; nobody verifies it now."""
    row = Paraphrase.objects.filter(submission=submission).first()
    if row is not None:
        Paraphrase.objects.filter(pk=row.pk).update(submission=None)
        tasks.ask_no_more(stage=VERIFY, project=row.question.project, units=[unit_of(row)])


def apply_verdict(
    submission: Submission,
    question: Question,
    row: Paraphrase,
    verdict: str,
    why: str,
    *,
    now: dt.datetime,
) -> None:
    """Keep a verdict on a paraphrase that counts. The engine holds the question's lock.

    A refused paraphrase goes back to its author once. Refused again, or where the author no longer
    works here, it is left out, and its seat opens for someone else. A verdict that staff have left
    out does not count.
    """
    verification = Verification(
        paraphrase=row, version=row.version, verdict=verdict, submission=submission
    )
    prepared_statements.insert_rows([verification])
    if verdict == Verdict.SAME:
        return
    assert row.submission is not None  # the stage has checked that it counts
    written = row.submission.assignment
    note = f"Someone else read your paraphrase. {Verdict(verdict).label}: {why}"
    earlier = row.verifications.exclude(pk=verification.pk)
    refused = earlier.filter(submission__assignment__used=True).exclude(verdict=Verdict.SAME)
    if refused.exists() or not _can_get_back(written, question):
        _replace(written, submission.author, note, now=now)
    else:
        _send_back(written, note, now=now)


def _can_get_back(written: Assignment, question: Question) -> bool:
    works = Membership.objects.filter(
        user=written.user_id, project=written.project_id, role="annotator", paused_at=None
    )
    return written.used and question.state == Question.State.ACCEPTED and works.exists()


def _send_back(written: Assignment, note: str, *, now: dt.datetime) -> None:
    locked = seats.lock_assignment(written)
    was, changed = assignments.withdraw_submission(
        written, locked, now=now, park_reason="", returned_at=now, staff_note=note
    )
    data: dict[str, object] = {"note": note, "submission": was}
    _log("assignment_returned_to_author", written, data, changed, now=now)


def _replace(written: Assignment, verifier: User, note: str, *, now: dt.datetime) -> None:
    seats.lock_assignment(written)
    Assignment.objects.filter(pk=written.pk).update(used=False, staff_note=note)
    task = Task.objects.get(pk=written.task_id)
    Task.objects.filter(pk=task.pk).update(barred=[*task.barred, verifier.pk])
    seats.recount_open_seats([task.pk])
    _log("assignment_left_out", written, {"note": note}, {}, now=now)


def _log(
    action: str,
    written: Assignment,
    data: dict[str, object],
    changed: dict[int, tuple[str, str]],
    *,
    now: dt.datetime,
) -> None:
    entry = seats.PendingAuditRow(action, f"assignment:{written.pk}", data)
    entries = [entry, *seats.question_entries(changed)]
    seats.write_entries(entries, by=None, now=now, project=written.project_id)
