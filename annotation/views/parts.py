"""What the forms of every stage show alike: quotes, two drafts compared, what is still to do."""

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from annotation.checks import Finding
from annotation.models import Assignment
from annotation.queries.quotes import quote_address, where_of
from annotation.responses import Keep
from annotation.services.leases import seconds_at
from metrics.edits import Span, diff
from wikipedia.models import Quote


@dataclass(frozen=True)
class Row:
    """One field of two drafts, compared."""

    label: str
    spans: list[Span]


@dataclass(frozen=True)
class ConflictShown:
    """The other draft: when it was saved, under which version, and where it differs."""

    saved_at: dt.datetime | None
    version: int
    rows: list[Row]


@dataclass(frozen=True)
class QuoteShown:
    """A quote as a form shows it; `url` opens its page at its words."""

    pk: int
    exact: str
    where: str
    url: str


def compared(mine: Iterable[tuple[str, str]], theirs: Iterable[tuple[str, str]]) -> list[Row]:
    """Return the fields in which two drafts differ: ins is only mine, del only theirs."""
    left, right = dict(theirs), dict(mine)
    return [
        Row(label, diff(left.get(label, ""), right.get(label, "")))
        for label in [*right, *(label for label in left if label not in right)]
        if left.get(label, "") != right.get(label, "")
    ]


def quotes_named(assignment: Assignment, ids: Iterable[int | None]) -> dict[int, QuoteShown]:
    """Return the person's own quotes among these ids; others' are as if not there. One query."""
    named = {pk for pk in ids if pk is not None}
    if not named:
        return {}
    made = Quote.objects.filter(
        pk__in=named,
        created_by_id=assignment.user_id,
        page__snapshot_id=assignment.project.snapshot_id,
    ).select_related("page")
    return {
        quote.pk: QuoteShown(
            pk=quote.pk,
            exact=quote.exact,
            where=where_of(quote),
            url=quote_address(assignment.pk, quote),
        )
        for quote in made
    }


def idle(keeps: Iterable[Keep], findings: Iterable[Finding]) -> list[Keep]:
    """Return the reasons for warnings that are not shown at the moment."""
    shown = {(finding.rule, finding.field) for finding in findings}
    return [keep for keep in keeps if (keep.rule, keep.field) not in shown]


def items(checklist: Iterable[Any], anchor: Callable[[str], str]) -> list[dict[str, Any]]:
    """Return the lines of "Before you submit", with links to the fields they are about."""
    return [
        {
            "title": each.title,
            "state": each.state,
            "detail": each.detail,
            "links": [(name, anchor(field)) for name, field in each.links],
        }
        for each in checklist
    ]


def seconds_left(assignment: Assignment, now: dt.datetime) -> int:
    """Return after how many seconds a page asks again, where only time is missing (A17)."""
    return max(1, assignment.policy.minimum_seconds - seconds_at(assignment, now))
