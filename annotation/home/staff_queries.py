"""The home page of researchers and admins. The number of queries is constant."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Min, Q, QuerySet
from django.urls import reverse

from accounts.models import User
from annotation.access.projects import STAFF
from annotation.core.models.jobs import Job
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.jobs.queries import list_kinds_of_installation
from annotation.long_answers.concerns.models import Concern
from annotation.people import work_queries
from annotation.progress.queries import StageProgress, progress_of
from annotation.projects.stuck_work import list_stuck_work
from annotation.qualifications.models import QualificationAttempt
from annotation.threads.models import Message, Thread

PROJECTS_SHOWN = 12
JOBS_SHOWN = 5
JOB_DAYS = 7
LATE = dt.timedelta(days=1)
NAMES_SHOWN = 4


@dataclass(frozen=True)
class TeamMatter:
    """One kind of thing that waits for the team, over all projects.

    title: how many of what; url: page of the oldest; quote: its words; detail: the projects;
    since: waiting since then; late: whether that is long ago; broken: whether something failed.
    """

    icon: str
    title: str
    url: str
    quote: str = ""
    detail: str = ""
    since: dt.datetime | None = None
    late: bool = False
    broken: bool = False


@dataclass(frozen=True)
class StageProgressRow:
    """One stage of a project: its progress in each of the project's splits, None if it has none."""

    stage: str
    splits: Sequence[tuple[str, StageProgress | None]]


@dataclass(frozen=True)
class Card:
    """One project with its progress. counted_at: when it was counted, if that was not just now."""

    project: Project
    questions: int
    people: int
    splits: Sequence[str]
    rows: Sequence[StageProgressRow]
    a_day: float
    ends: dt.date | None
    counted_at: dt.datetime | None = None


def list_staffed_projects(user: User) -> list[Project]:
    """Return the projects that the person runs, running ones first, newest first. One query."""
    rows = Project.objects.all()
    if not user.is_superuser:
        runs = Membership.objects.filter(user=user, role__in=STAFF)
        rows = rows.filter(pk__in=runs.values("project"))
    order = list(Project.State.values)
    return sorted(rows.order_by("-pk"), key=lambda project: order.index(project.state))


def build_cards(projects: Sequence[Project], *, now: dt.datetime, today: dt.date) -> list[Card]:
    """Return the projects with their progress. Five queries."""
    ids = [each.pk for each in projects]
    done = progress_of(projects, now=now)
    questions = _questions(projects)
    people = dict(
        Membership.objects.filter(project__in=ids)
        .order_by()
        .values_list("project")
        .annotate(n=Count("user", distinct=True, filter=~Q(role__in=STAFF)))
    )
    made = []
    for project in projects:
        progress = done.get(project.pk, [])
        splits = sorted({each.split for each in progress})
        by_place = {(each.stage, each.split): each for each in progress}
        ends = [each.ends_on(today) for each in progress if each.done < each.total]
        dates = [end for end in ends if end is not None]
        made.append(
            Card(
                project=project,
                questions=questions.get(project.pk, 0),
                people=people.get(project.pk, 0),
                splits=splits,
                rows=[
                    StageProgressRow(
                        stage, [(split, by_place.get((stage, split))) for split in splits]
                    )
                    for stage in dict.fromkeys(each.stage for each in progress)
                ],
                a_day=sum(each.a_day for each in progress),
                ends=max(dates) if ends and len(dates) == len(ends) else None,
                counted_at=stored_counts.counted_at(project, OVERVIEW),
            )
        )
    return made


def list_current_jobs(projects: Sequence[Project], *, now: dt.datetime) -> list[Job]:
    """Return running jobs, and jobs that failed lately with no newer one done. One query."""
    newest = (
        Job.objects.filter(
            Q(ended_at__isnull=True) | Q(ended_at__gte=now - dt.timedelta(days=JOB_DAYS)),
            project__in=[each.pk for each in projects],
        )
        .exclude(kind__in=list_kinds_of_installation())
        .select_related("project", "created_by")
        .order_by("-pk")[: 10 * JOBS_SHOWN]
    )
    shown, over = [], set()
    for job in newest:
        key = (job.project_id, job.kind)
        if job.ended_at is None or (job.state == Job.State.FAILED and key not in over):
            shown.append(job)
        if job.ended_at is not None:
            over.add(key)
    return shown[:JOBS_SHOWN]


def list_waiting_work(
    projects: Sequence[Project],
    *,
    failed: Sequence[Job],
    blind: Collection[int],
    now: dt.datetime,
) -> list[TeamMatter]:
    """Return what waits for the team, broken and late things first. Fourteen queries at
    most.

    Nothing is quoted from projects in `blind`, where the person also answers questions.
    """
    titles = {each.pk: each for each in projects}
    found = [
        *_failed(failed),
        *_threads(titles, blind, now),
        *_grouped(
            titles,
            now,
            Concern.objects.filter(question__project__in=titles, state=Concern.State.OPEN),
            ("question__project", "created_at"),
            ("alert", "concern about a question", "concerns about questions", "concern-list"),
        ),
        *_grouped(
            titles,
            now,
            QualificationAttempt.objects.filter(
                qualification__project__in=titles, state=QualificationAttempt.State.IN_REVIEW
            ),
            ("qualification__project", "submitted_at"),
            ("book", "qualification to review", "qualifications to review", "qualification-list"),
        ),
        *_grouped(
            titles,
            now,
            Assignment.objects.filter(
                project__in=titles, state=Assignment.State.PARKED, returned_at__isnull=False
            ),
            ("project", "returned_at"),
            ("undo", "piece of returned work", "pieces of returned work", "project-monitoring"),
            never_late=True,
        ),
        *_grouped(
            titles,
            now,
            Membership.objects.filter(project__in=titles, paused_at__isnull=False),
            ("project", "paused_at"),
            ("pause", "person is paused", "people are paused", "project-people"),
        ),
        *_stuck(titles),
        *_idle(titles, now),
    ]
    return sorted(found, key=lambda each: (not each.broken, not each.late))


def _questions(projects: Sequence[Project]) -> dict[int, int]:
    """Return the number of questions of each project. At most one query."""
    stored = {
        project.pk: stored_counts.find_stored_part(project, OVERVIEW, "states")
        for project in projects
    }
    live = Question.objects.filter(project__in=[pk for pk, rows in stored.items() if rows is None])
    counted = live.order_by().values_list("project").annotate(n=Count("pk"))
    return dict(counted) | {
        pk: sum(number for _, number in rows) for pk, rows in stored.items() if rows is not None
    }


def _failed(failed: Sequence[Job]) -> list[TeamMatter]:
    broken = [job for job in failed if job.state == Job.State.FAILED]
    if not broken:
        return []
    job = broken[0]
    return [
        TeamMatter(
            "error",
            f"{len(broken)} job{'' if len(broken) == 1 else 's'} failed",
            reverse("job-detail", args=[job.project.slug, job.pk]),
            detail=f"{job.file_name or job.kind}: {job.problem} {job.project.title}",
            since=job.ended_at,
            broken=True,
        )
    ]


def _threads(
    titles: Mapping[int, Project], blind: Collection[int], now: dt.datetime
) -> list[TeamMatter]:
    rows = list(
        Thread.objects.filter(project__in=titles, state=Thread.State.OPEN)
        .order_by("waiting_since", "pk")
        .values_list("pk", "project", "kind", "waiting_since")[:1000]
    )
    claims = [row for row in rows if row[2] == Thread.Kind.CLAIM]
    asked = [row for row in rows if row[2] != Thread.Kind.CLAIM]
    firsts = [group[0][0] for group in (asked, claims) if group and group[0][1] not in blind]
    words = dict(
        Message.objects.filter(thread__in=firsts, by_staff=False)
        .order_by("thread", "-pk")
        .distinct("thread")
        .values_list("thread", "text")
    )
    found = []
    for icon, one, many, group in (
        ("chat", "question to the team", "questions to the team", asked),
        ("flag", "claim", "claims", claims),
    ):
        if not group:
            continue
        pk, project, _, since = group[0]
        found.append(
            TeamMatter(
                icon,
                f"{len(group)} {one if len(group) == 1 else many}",
                reverse("claim-list", args=[titles[project].slug]),
                quote=words.get(pk, ""),
                detail=_where(titles, [row[1] for row in group]),
                since=since,
                late=now - since > LATE,
            )
        )
    return found


def _grouped(
    titles: Mapping[int, Project],
    now: dt.datetime,
    rows: QuerySet[Any],
    fields: tuple[str, str],
    words: tuple[str, str, str, str],
    *,
    never_late: bool = False,
) -> list[TeamMatter]:
    """Return one line about rows of a kind: number, projects, waiting since. One query."""
    (project, at), (icon, one, many, url) = fields, words
    by_project = rows.order_by().values_list(project)
    counts = list(by_project.annotate(n=Count("pk"), first=Min(at)).order_by("first"))
    if not counts:
        return []
    total, (oldest, _, since) = sum(row[1] for row in counts), counts[0]
    return [
        TeamMatter(
            icon,
            f"{total:,} {one if total == 1 else many}",
            reverse(url, args=[titles[oldest].slug]),
            detail=_where(titles, [row[0] for row in counts for _ in range(min(row[1], 1000))]),
            since=since,
            late=not never_late and now - since > LATE,
        )
    ]


def _where(titles: Mapping[int, Project], ids: Sequence[int]) -> str:
    """Return the projects of some rows in words, with counts where there are several."""
    counts: dict[int, int] = defaultdict(int)
    for pk in ids:
        counts[pk] += 1
    if len(counts) == 1:
        return titles[ids[0]].title
    return ", ".join(f"{count:,} in {titles[pk].title}" for pk, count in counts.items())


def _stuck(titles: Mapping[int, Project]) -> list[TeamMatter]:
    rows = list_stuck_work(list(titles.values()))
    if not rows:
        return []
    total = sum(each.questions for each in rows)
    many = f"{total:,}{' or more' if any(each.many.endswith('+') for each in rows) else ''}"
    return [
        TeamMatter(
            "alert",
            f"{many} question{'' if total == 1 else 's'} that no one can take",
            reverse("project-stuck", args=[rows[0].policy.project.slug]),
            detail=f"{rows[0].why} {rows[0].policy.project.title}",
            late=True,
        )
    ]


def without_work(projects: Collection[Project], *, now: dt.datetime) -> list[tuple[int, str]]:
    """Return project and name of each member who is ready to work and has nothing to do.

    At most six queries.
    """
    stored = {
        project.pk: stored_counts.find_stored_part(project, OVERVIEW, "idle")
        for project in projects
    }
    live = [project for project in projects if stored[project.pk] is None]
    rows = work_queries.list_idle(live, now=now) if live else []
    return rows + [(pk, name) for pk, names in stored.items() for name in names or []]


stored_counts.register_part(
    OVERVIEW,
    "idle",
    lambda project, now: [name for _, name in work_queries.list_idle([project], now=now)],
)


def _idle(titles: Mapping[int, Project], now: dt.datetime) -> list[TeamMatter]:
    rows = without_work(titles.values(), now=now)
    if not rows:
        return []
    names = list(dict.fromkeys(name for _, name in rows))
    more = len(names) - NAMES_SHOWN
    shown = ", ".join(names[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
    is_ = "person has" if len(names) == 1 else "people have"
    return [
        TeamMatter(
            "people",
            f"{len(names)} {is_} no work",
            reverse("project-people", args=[titles[rows[0][0]].slug]),
            detail=f"{shown}: {_where(titles, [pk for pk, _ in rows])}",
        )
    ]
