"""What one person sees under My work. The number of queries does not depend on how much it is."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import connection
from django.db.models import Count, Max, Q, Sum

from accounts.models import User
from annotation import stages
from annotation.models import Assignment, Guideline, Membership, PayEntry, Project, Question
from annotation.queries.demands import Demand, demands

# Counting goes no further than this: nobody plans beyond a thousand questions.
MOST_COUNTED = 1000
RESULTS_SHOWN = 8
DRAFTS_SHOWN = 20
DRAFT_DAYS = 14
NEWS_DAYS = 14
State = Assignment.State
# A question excluded after a concern says nothing about the long answers to it.
EXCLUDED = Q(task__question__state=Question.State.EXCLUDED) & ~Q(stage=stages.LONG_ANSWERS)
ACCEPTED = (Question.State.ACCEPTED, Question.State.AUTO_ACCEPTED, Question.State.EDITED)


@dataclass(frozen=True)
class Ready:
    """The work of one stage of one project that this person could do now.

    open: questions they could get, up to MOST_COUNTED; total: all questions of the stage, up to
    MOST_COUNTED; back_at: when the next question held by somebody else may come back;
    typical_seconds: the mean active time of the last submissions, if there are some;
    demand: a qualification to pass before (more of) the work can be had;
    qualified_at: when they got the last one that it asks for.
    """

    project: Project
    stage: str
    label: str
    paused_since: dt.datetime | None
    pause_reason: str
    open: int
    total: int
    back_at: dt.datetime | None
    typical_seconds: int | None
    active: Assignment | None = None
    demand: Demand | None = None
    qualified_at: dt.datetime | None = None

    @property
    def more(self) -> bool:
        """Whether there are more than were counted."""
        return self.open >= MOST_COUNTED

    @property
    def possible(self) -> bool:
        """Whether the next question can be taken now."""
        running = self.project.state == Project.State.RUNNING
        return running and (bool(self.active) or (not self.paused_since and self.open > 0))


@dataclass(frozen=True)
class Week:
    """This week, from Monday. `accepted` of the `decided` questions stood, changed or not."""

    submitted: int
    seconds: int
    decided: int
    accepted: int
    pay: Mapping[str, object] = field(default_factory=dict)

    @property
    def percent(self) -> int:
        """The share of decided questions that was accepted."""
        return round(100 * self.accepted / self.decided) if self.decided else 0


def ready(user: User, *, now: dt.datetime, active: list[Assignment]) -> list[Ready]:
    """Return the person's stages, those with work first. Two queries, three where a qualification
    is missing."""
    memberships = {
        (each.project_id, each.role): each
        for each in Membership.objects.filter(user=user).select_related("project")
    }
    wanted: list[tuple[Membership, stages.Stage]] = [
        (membership, stage)
        for (_, role), membership in memberships.items()
        for stage in stages.of_protocol(membership.project.protocol)
        if stage.role == role
    ]
    if not wanted:
        return []
    counts = _counts(user, sorted({membership.project_id for membership, _ in wanted}), now)
    mine = {(each.project_id, each.stage): each for each in active}
    missing = demands(user, sorted({each[4] for each in counts.values() if each[4]}))
    found = []
    for membership, stage in wanted:
        project = membership.project
        key = (project.pk, stage.key)
        if key not in counts and isinstance(stage, stages.OncePerQuestion):
            continue  # nothing was drawn here yet: nobody is told of it
        nothing = (0, 0, None, None, None, None)
        open_, total, back_at, seconds, lacks, qualified_at = counts.get(key, nothing)
        found.append(
            Ready(
                project=project,
                stage=stage.key,
                label=stage.label,
                paused_since=membership.paused_at,
                pause_reason=membership.pause_reason,
                open=open_,
                total=total,
                back_at=back_at,
                typical_seconds=seconds,
                active=mine.get(key),
                demand=missing.get(lacks) if lacks else None,
                qualified_at=qualified_at,
            )
        )
    return sorted(
        found,
        key=lambda each: (not each.possible, not each.active, each.project.title, each.label),
    )


_Counts = tuple[int, int, dt.datetime | None, int | None, int | None, dt.datetime | None]


def _counts(user: User, projects: list[int], now: dt.datetime) -> dict[tuple[int, str], _Counts]:
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT p.project_id, p.stage, sum(o.n)::int, sum(t.n)::int, min(b.at),
                   (sum(s.seconds * s.n) / nullif(sum(s.n), 0))::int,
                   min(p.qualification_id) FILTER (WHERE held.id IS NULL),
                   max(held.given_at)
            FROM annotation_stagepolicy p
            LEFT JOIN annotation_qualified held ON held.qualification_id = p.qualification_id
              AND held.user_id = %(user)s AND held.revoked_at IS NULL
            CROSS JOIN LATERAL (
                SELECT count(*) AS n FROM (
                    SELECT 1 FROM annotation_task t WHERE t.policy_id = p.id AND t.seats > 0
                      AND (p.qualification_id IS NULL OR held.id IS NOT NULL)
                      AND NOT EXISTS (SELECT 1 FROM annotation_assignment a
                                      WHERE a.task_id = t.id AND a.user_id = %(user)s)
                    LIMIT %(most)s) counted) o
            CROSS JOIN LATERAL (
                SELECT count(*) AS n FROM (
                    SELECT 1 FROM annotation_task t WHERE t.policy_id = p.id
                    LIMIT %(most)s) counted) t
            CROSS JOIN LATERAL (
                SELECT min(a.lease_ends_at) AS at FROM annotation_assignment a
                WHERE a.policy_id = p.id AND a.state IN ('active', 'parked')
                  AND a.user_id <> %(user)s AND a.lease_ends_at > %(now)s
                  AND NOT EXISTS (SELECT 1 FROM annotation_assignment mine
                                  WHERE mine.task_id = a.task_id AND mine.user_id = %(user)s)) b
            CROSS JOIN LATERAL (
                SELECT avg(last.active_seconds) AS seconds, count(*) AS n FROM (
                    SELECT a.active_seconds FROM annotation_assignment a
                    WHERE a.policy_id = p.id AND a.state = 'submitted'
                    ORDER BY a.id DESC LIMIT 50) last) s
            WHERE p.project_id = ANY(%(projects)s)
            GROUP BY p.project_id, p.stage
            """,
            {"user": user.pk, "most": MOST_COUNTED, "projects": projects, "now": now},
        )
        return {(row[0], row[1]): row[2:] for row in cursor.fetchall()}


def in_hand(user: User, *, now: dt.datetime) -> list[Assignment]:
    """Return what the person holds, and what was left with text in the last days; newest first."""
    since = now - dt.timedelta(days=DRAFT_DAYS)
    held = Q(state__in=[State.ACTIVE, State.PARKED])
    left = Q(
        state__in=[State.EXPIRED, State.RETURNED, State.SKIPPED],
        ended_at__gte=since,
    ) & (~Q(draft={}) | Q(state=State.SKIPPED))
    return list(
        Assignment.objects.filter(held | left, user=user)
        .select_related("task__question", "project", "policy")
        .order_by("-id")[: DRAFTS_SHOWN + 50]
    )


def results(user: User) -> list[Assignment]:
    """Return the person's latest submissions with the state of their questions."""
    return list(
        Assignment.objects.filter(user=user, state=State.SUBMITTED)
        .select_related("task__question", "project")
        .order_by("-submitted_at", "-id")[:RESULTS_SHOWN]
    )


def submitted_count(user: User) -> int:
    """Return how many questions the person has submitted."""
    return Assignment.objects.filter(user=user, state=State.SUBMITTED).count()


def week(user: User, *, monday: dt.datetime) -> Week:
    """Return what was submitted since Monday, with active time, and what the ledger says since.

    Two queries.
    """
    rows = (
        Assignment.objects.filter(user=user, state=State.SUBMITTED, submitted_at__gte=monday)
        .order_by()
        .values("user")
        .annotate(
            count=Count("pk"),
            seconds=Sum("active_seconds"),
            accepted=Count("pk", filter=Q(task__question__state__in=ACCEPTED)),
            excluded=Count("pk", filter=EXCLUDED),
        )
    )
    posted = PayEntry.objects.filter(user=user, at__gte=monday).values("currency").order_by()
    sums = posted.annotate(sum=Sum("amount")).order_by("currency")
    pay = {row["currency"]: row["sum"] for row in sums if row["sum"]}
    return Week(
        submitted=sum(row["count"] for row in rows),
        seconds=sum(row["seconds"] or 0 for row in rows),
        decided=sum(row["accepted"] + row["excluded"] for row in rows),
        accepted=sum(row["accepted"] for row in rows),
        pay=pay,
    )


def news(user: User, *, now: dt.datetime) -> list[Guideline]:
    """Return the newest guidelines of the person's projects, where they are from these days."""
    return list(
        Guideline.objects.filter(
            project__memberships__user=user, created_at__gte=now - dt.timedelta(days=NEWS_DAYS)
        )
        .select_related("project")
        .order_by("project_id", "-version")
        .distinct("project_id")
    )


def newest_guideline(project_id: int) -> Guideline | None:
    """Return the guidelines in force."""
    return Guideline.objects.filter(project_id=project_id).order_by("-version").first()


def newest_guideline_version(project_id: int) -> int:
    """Return the number of the guidelines in force; 0 where there are none."""
    newest = Guideline.objects.filter(project_id=project_id).aggregate(version=Max("version"))
    return newest["version"] or 0
