"""Webhooks: who is told, what is noted for them, and sending it until they take it.

A message is a row, written in the transaction of what it tells: nothing is told that did not
happen, and nothing is forgotten. A worker claims a row by its number of attempts before it sends,
so one that dies has cost an attempt and no message. A receiver may therefore get a message twice,
with the same id.
"""

import datetime as dt
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.db import IntegrityError, transaction
from django.db.models import Q
from psycopg2.sql import SQL

from accounts.models import User
from annotation.access.projects import check_can_tell_others
from annotation.core import audit, states
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.refusals import Conflict
from annotation.extensions.parts import Follower, SettledQuestion
from annotation.jobs import queue
from annotation.webhooks.models import Delivery, Webhook
from annotation.webhooks.statements import ANY_WEBHOOK

SEND = "annotation.tasks.send_webhooks"
# How long after each attempt the next one follows.
PAUSES = tuple(dt.timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480, 1440))
KEEP = dt.timedelta(days=30)
AT_ONCE = 50
SECONDS = 10
MOST = 10  # addresses of a project
_STALE = dt.timedelta(minutes=5)


# --- who is told ---------------------------------------------------------------------------------


@transaction.atomic
def add_webhook(*, project: Project, url: str, by: User, now: dt.datetime) -> Webhook:
    """Tell this address from now on. Its `secret` signs every message."""
    check_can_tell_others(by, project)
    url = url.strip()
    _check_allowed(url)
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    if project.webhooks.filter(stopped_at__isnull=True).count() >= MOST:
        raise Conflict(f"A project tells {MOST} addresses at most. Stop one of them first.")
    try:
        with transaction.atomic():
            webhook = Webhook.objects.create(
                project=project,
                url=url,
                secret=secrets.token_urlsafe(32),
                created_by=by,
                created_at=now,
            )
    except IntegrityError:
        raise Conflict("This address is told already.") from None
    audit.record_action("webhook_added", webhook, by=by, now=now, project=project, url=_origin(url))
    return webhook


def _check_allowed(url: str) -> None:
    """Raise Conflict unless the address is one that the installation allows."""
    try:
        URLValidator(schemes=["https", "http"])(url)
        address = urlsplit(url)
        place = address.netloc.rpartition("@")[2].lower()
    except (ValidationError, ValueError):
        raise Conflict("That is not an address such as https://lab.example/ambit.") from None
    if address.username or address.password:
        raise Conflict("An address has no name and password in it. Check the signature instead.")
    if place not in settings.WEBHOOK_HOSTS:
        raise Conflict(
            f"Ambit may not send to {place}. Whoever runs it can allow that with WEBHOOK_HOSTS."
        )


def _origin(url: str) -> str:
    """Return the address without its path, which may hold a key: others than admins see the log."""
    address = urlsplit(url)
    return f"{address.scheme}://{address.netloc}"


@transaction.atomic
def stop_webhook(*, webhook: Webhook, by: User, now: dt.datetime) -> None:
    """Tell the address nothing more, not even what waits. Stopping twice changes nothing."""
    check_can_tell_others(by, webhook.project)
    if Webhook.objects.filter(pk=webhook.pk, stopped_at__isnull=True).update(stopped_at=now):
        webhook.deliveries.filter(due_at__isnull=False).update(
            due_at=None, problem="The address was removed."
        )
        url = _origin(webhook.url)
        audit.record_action(
            "webhook_stopped", webhook, by=by, now=now, project=webhook.project, url=url
        )


@transaction.atomic
def send_test_message(*, webhook: Webhook, by: User, now: dt.datetime) -> None:
    """Send the address a message that tells nothing."""
    check_can_tell_others(by, webhook.project)
    if webhook.stopped_at:
        raise Conflict("This address is not told any more.")
    _note([webhook.pk], Delivery.Event.TEST, [{"project": webhook.project.slug}], now=now)


# --- what is told --------------------------------------------------------------------------------


def job_done(job: Job, *, now: dt.datetime) -> None:
    """Note that a job has ended, in the transaction in which it does. One statement, or two."""
    told = Webhook.objects.filter(project=job.project_id, stopped_at__isnull=True)
    if ids := list(told.values_list("pk", flat=True)):
        data = {
            "project": Project.objects.values_list("slug", flat=True).get(pk=job.project_id),
            "job": job.pk,
            "kind": job.kind,
            "state": Job.State.DONE.value,
        }
        _note(ids, Delivery.Event.JOB, [data], now=now)


def _questions(settled: Sequence[SettledQuestion], *, protocol: str, now: dt.datetime) -> None:
    """Note the questions that are accepted now and were not before."""
    accepted = {
        row.question_id: row.state
        for row in settled
        if row.state in states.ANY_ACCEPTED and row.before not in states.ANY_ACCEPTED
    }
    rows = Question.objects.filter(pk__in=accepted).select_related("project")
    for question in rows.only("external_id", "project__slug"):
        told = Webhook.objects.filter(project=question.project_id, stopped_at__isnull=True)
        data = {
            "project": question.project.slug,
            "question": question.external_id,
            "state": accepted[question.pk],
        }
        _note(list(told.values_list("pk", flat=True)), Delivery.Event.QUESTION, [data], now=now)


FOLLOWER = Follower(
    _questions,
    place=30,
    fact=SQL(ANY_WEBHOOK),
)


def _note(
    webhooks: Iterable[int], event: str, rows: Iterable[Mapping[str, Any]], *, now: dt.datetime
) -> None:
    Delivery.objects.bulk_create(
        Delivery(webhook_id=pk, event=event, data=data, created_at=now, due_at=now)
        for data in rows
        for pk in webhooks
    )
    # The clock sends it where the broker is down.
    transaction.on_commit(lambda: queue.send_task(SEND), robust=True)


# --- sending -------------------------------------------------------------------------------------


def send_due(*, clock: Callable[[], dt.datetime]) -> int:
    """Send what is due, each once; return how many were taken. Deletes what is long over.

    An address that does not answer is left alone until the next time, so that it cannot hold up
    the others.
    """
    taken, silent = 0, set[int]()
    for _ in range(AT_ONCE):
        # Also what was noted while its address was being removed is not sent.
        due = Delivery.objects.filter(due_at__lte=clock(), webhook__stopped_at=None)
        due = due.exclude(webhook__in=silent)
        delivery = due.select_related("webhook").order_by("due_at", "pk").first()
        if delivery is None:
            break
        if not _claim(delivery, now=clock()):
            continue
        problem = _send(delivery, now=clock())
        _record(delivery, problem, now=clock())
        if problem:
            silent.add(delivery.webhook_id)
        else:
            taken += 1
    over = Q(due_at=None) | Q(webhook__stopped_at__isnull=False)
    Delivery.objects.filter(over, created_at__lt=clock() - KEEP).delete()
    return taken


def _claim(delivery: Delivery, *, now: dt.datetime) -> bool:
    """Count the attempt, so that nobody else makes it; whoever dies now is followed later."""
    mine = Delivery.objects.filter(
        pk=delivery.pk, attempts=delivery.attempts, due_at=delivery.due_at
    )
    return bool(mine.update(attempts=delivery.attempts + 1, due_at=now + _STALE))


def _record(delivery: Delivery, problem: str, *, now: dt.datetime) -> None:
    mine = Delivery.objects.filter(pk=delivery.pk, attempts=delivery.attempts + 1)
    mine = mine.filter(due_at__isnull=False)  # not stopped in the meantime
    if not problem:
        mine.update(taken_at=now, due_at=None, problem="")
        return
    again = PAUSES[delivery.attempts] if delivery.attempts < len(PAUSES) else None
    mine.update(due_at=now + again if again else None, problem=problem[:200])


def sign_message(secret: str, at: int, body: bytes) -> str:
    """Return what proves that a message is ours and when it was sent: HMAC-SHA256, in hex."""
    return hmac.new(secret.encode(), b"%d." % at + body, hashlib.sha256).hexdigest()


def _send(delivery: Delivery, *, now: dt.datetime) -> str:
    """Send one message; return why it was not taken, "" if it was."""
    from annotation.webhooks.posting import post_message  # loads what few commands need

    webhook, at = delivery.webhook, int(now.timestamp())
    if urlsplit(webhook.url).netloc.lower() not in settings.WEBHOOK_HOSTS:
        return "WEBHOOK_HOSTS does not allow this address."
    body = json.dumps(
        {
            "id": str(delivery.key),
            "event": delivery.event,
            "at": delivery.created_at.isoformat(),
            "data": delivery.data,
        }
    ).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"Ambit/{settings.VERSION}",
        "Ambit-Signature": f"t={at},v1={sign_message(webhook.secret, at, body)}",
    }
    return post_message(webhook.url, body, headers, seconds=SECONDS)
