"""Reads of the audit of the installation."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import User
from annotation.core.models.audit import OF_STAFF, STAFF_ACTIONS, AuditEntry
from annotation.core.models.projects import Project
from annotation.log import queries as log_queries
from annotation.log.queries import LogSentence

PAGE = 50
MATCHES = 200  # of people and projects that a word may mean
AT_ONCE = 500


@dataclass(frozen=True)
class AuditFilter:
    """What the audit is narrowed down to; "" and None leave all in. until: that day included."""

    text: str = ""
    kind: str = ""
    since: dt.date | None = None
    until: dt.date | None = None


def find_entries(chosen: AuditFilter) -> QuerySet[AuditEntry]:
    """Return rows of what staff did, newest first. Index: audit_of_staff."""
    actions = STAFF_ACTIONS.get(chosen.kind, OF_STAFF)
    entries = AuditEntry.objects.filter(action__in=actions)
    if chosen.since:
        entries = entries.filter(at__gte=_start_of(chosen.since))
    if chosen.until and chosen.until < dt.date.max:
        entries = entries.filter(at__lt=_start_of(chosen.until + dt.timedelta(days=1)))
    if chosen.text:
        entries = entries.filter(_about(chosen.text, actions))
    return entries.order_by("-pk")


def _start_of(day: dt.date) -> dt.datetime:
    return timezone.make_aware(dt.datetime.combine(day, dt.time()))


def _about(text: str, actions: Sequence[str]) -> Q:
    """Return the condition for rows by or about people, or in projects, that the words name."""
    people = User.objects.filter(Q(name__icontains=text) | Q(email__icontains=text))
    ids = list(people.values_list("pk", flat=True)[:MATCHES])
    projects = Project.objects.filter(Q(title__icontains=text) | Q(slug__icontains=text))
    word = text.lower().replace(" ", "_")
    return (
        Q(actor__in=ids)
        | Q(target__in=[f"user:{pk}" for pk in ids])
        | Q(data__user__in=ids)
        | Q(project__in=list(projects.values_list("pk", flat=True)[:MATCHES]))
        | Q(action__in=[action for action in actions if word in action])
        | Q(data__reason__icontains=text)
    )


def describe_page(entries: Sequence[AuditEntry]) -> list[LogSentence]:
    """Return rows as sentences. A query for projects, one for people, one for kind of target."""
    projects = Project.objects.in_bulk({entry.project for entry in entries if entry.project})
    return log_queries.describe_all_entries(entries, projects)


def stream_entries(chosen: AuditFilter) -> Iterator[LogSentence]:
    """Yield all rows as sentences, in bounded memory."""
    rows = find_entries(chosen).iterator(chunk_size=AT_ONCE)
    while some := list(islice(rows, AT_ONCE)):
        yield from describe_page(some)
