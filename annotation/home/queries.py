"""What a person sees under My work. The number of queries does not depend on the amount."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import Count, Q, Sum

from accounts.models import User
from annotation.core import states
from annotation.core.models.projects import Guideline, Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.extensions.outcomes import accepted_since
from annotation.pay.models import PayEntry

RESULTS_SHOWN = 8
DRAFTS_SHOWN = 20
DRAFT_DAYS = 14
# For this time a question that was skipped or released can be taken back from My work.
UNDO = dt.timedelta(days=1)
NEWS_DAYS = 14
MOST_COUNTED = 1000
State = Assignment.State


@dataclass(frozen=True)
class Week:
    """This week, from Monday. `accepted` of the `decided` submissions were accepted."""

    submitted: int
    seconds: int
    decided: int
    accepted: int
    pay: Mapping[str, object] = field(default_factory=dict)

    @property
    def percent(self) -> int:
        """The share of decided questions that was accepted."""
        return round(100 * self.accepted / self.decided) if self.decided else 0


def in_hand(user: User, *, now: dt.datetime) -> list[Assignment]:
    """Return the assignments the person holds, and those they left lately; newest first.

    Those left are included if they have text, or were skipped or released just now and are free.
    Two queries, each from an index of its own.
    """
    mine = Assignment.objects.filter(user=user)
    mine = mine.select_related("task__question", "project", "policy")
    held = mine.filter(state__in=states.HELD)
    lately = mine.filter(state__in=states.LEFT, ended_at__gte=now - dt.timedelta(days=DRAFT_DAYS))
    free = Q(task__seats__gt=0) | Q(task__question__state=Question.State.SKIPPED)
    undone = Q(state__in=[State.RETURNED, State.SKIPPED], ended_at__gte=now - UNDO) & free
    left = lately.filter(~Q(draft={}) | undone)
    most = DRAFTS_SHOWN + 50
    both = [*held.order_by("-id")[:most], *left.order_by("-id")[:most]]
    return sorted(both, key=lambda assignment: -assignment.pk)[:most]


def list_latest_submissions(user: User) -> list[Assignment]:
    """Return the person's latest submissions with the state of their questions."""
    return list(
        Assignment.objects.filter(user=user, state=State.SUBMITTED)
        .select_related("task__question", "project")
        .order_by("-submitted_at", "-id")[:RESULTS_SHOWN]
    )


def submitted_count(user: User) -> int:
    """Return how many questions the person has submitted, up to one more than MOST_COUNTED."""
    return Assignment.objects.filter(user=user, state=State.SUBMITTED)[: MOST_COUNTED + 1].count()


def summarise_week(user: User, *, monday: dt.datetime) -> Week:
    """Return submissions since Monday, with active time, and the pay since then.

    Three queries.
    """
    rows = (
        Assignment.objects.filter(user=user, state=State.SUBMITTED, submitted_at__gte=monday)
        .order_by()
        .values("user")
        .annotate(
            count=Count("pk"),
            seconds=Sum("active_seconds"),
        )
    )
    decided, accepted = accepted_since(user, monday)
    posted = PayEntry.objects.filter(user=user, at__gte=monday).values("currency").order_by()
    sums = posted.annotate(sum=Sum("amount")).order_by("currency")
    pay = {row["currency"]: row["sum"] for row in sums if row["sum"]}
    return Week(
        submitted=sum(row["count"] for row in rows),
        seconds=sum(row["seconds"] or 0 for row in rows),
        decided=decided,
        accepted=accepted,
        pay=pay,
    )


def list_new_guidelines(user: User, *, now: dt.datetime) -> list[Guideline]:
    """Return the newest guidelines of the person's projects, if published in the last days."""
    return list(
        Guideline.objects.exclude(project__state=Project.State.ARCHIVED)
        .filter(project__memberships__user=user, created_at__gte=now - dt.timedelta(days=NEWS_DAYS))
        .select_related("project")
        .order_by("project_id", "-version")
        .distinct("project_id")
    )
