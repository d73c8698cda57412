"""My work: what is ready, what is in hand, and the outcomes of submissions."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from annotation.access.loaders import UserRequest, get_project, parse_date_time
from annotation.core.models.people import Role
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.core.refusals import roles_in
from annotation.extensions.outcomes import read_outcome_labels
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.home import queries
from annotation.home import ready as ready_queries
from annotation.home import staff_queries as staff_home
from annotation.home.ready import MOST_COUNTED, ReadyWork
from annotation.imports.queries import job_context
from annotation.long_answers.concerns import queries as concerns_queries
from annotation.news import queries as news_queries
from annotation.news import services as news_services
from annotation.pages.panels import home_panels_of
from annotation.people.minimum import find_minimum, list_own_minimums
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from annotation.qualifications.demands import ACCEPTED_DAYS, list_recent_acceptances
from annotation.qualifications.models import Qualified
from annotation.stages import registry as stages
from annotation.text.cleaning import ResponseError
from annotation.threads import queries as threads_queries
from annotation.work.turn_views import is_fragment

State = Assignment.State
NOTHING = "Nothing written yet"


@require_GET
@never_cache
def show_my_work(request: UserRequest) -> HttpResponse:
    """Show My work."""
    now = timezone.now()
    mine = queries.in_hand(request.user, now=now)
    active = [assignment for assignment in mine if assignment.state == State.ACTIVE]
    parked = [assignment for assignment in mine if assignment.state == State.PARKED]
    # What the team has sent back waits for this person, the rest for the team.
    parked.sort(key=lambda assignment: (not assignment.returned_at, assignment.lease_ends_at))
    left = [
        assignment for assignment in mine if assignment.ended_at and _worth_listing(assignment, now)
    ]
    today = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    ready = ready_queries.list_ready_stages(request.user, now=now, active=active)
    results = queries.list_latest_submissions(request.user)
    told, asked = threads_queries.list_thread_news(request.user)
    doubts = any(
        protocols.protocol_of(stage.project).has_feature(Feature.CONCERNS) for stage in ready
    )
    drafts = [_draft(assignment, now) for assignment in [*active, *left][: queries.DRAFTS_SHOWN]]
    staff = staff_home.list_staffed_projects(request.user)
    # The first administrator has no project yet, and is here to make one.
    runs = bool(staff) or request.user.is_staff or request.user.is_superuser
    context = {
        "section": "work",
        "panels": home_panels_of(request.user),
        "works": bool(ready or mine or results or not runs),
        "greeting": _greeting(timezone.localtime(now)),
        "line": _line(len(active), len(parked)),
        "ready": ready,
        "waiting": [stage for stage in ready if stage.possible],
        "reasons": _reasons(ready),
        "demands": [stage for stage in ready if _demanded(stage)],
        "to_agree": _to_agree(ready),
        "drafts": drafts,
        "parked": [(assignment, asked.get(assignment.pk)) for assignment in parked],
        "parked_limit": min((assignment.project.parked_limit for assignment in parked), default=0),
        "results": _results(request.user, results),
        "total": queries.submitted_count(request.user) if len(results) > 0 else 0,
        "most_counted": queries.MOST_COUNTED,
        "week": queries.summarise_week(
            request.user, monday=today - dt.timedelta(days=today.weekday())
        ),
        "news": news_queries.list_news(
            request.user,
            now=now,
            parked=parked,
            told=told,
            concerns=concerns_queries.list_decision_news(request.user) if doubts else [],
            accepted=_accepted(request.user, ready, now),
            guidelines=queries.list_new_guidelines(request.user, now=now),
        ),
        "read_until": now.isoformat(),
        "minimums": list_own_minimums(request.user, {s.project for s in ready}, now=now),
    }
    if runs:
        context |= _staff_context(staff, {stage.project.pk for stage in ready}, now)
    return render(request, "annotation/home/home.html", context)


@require_POST
def news_read(request: UserRequest) -> HttpResponse:
    """Record that the person has seen the news on their page."""
    until = parse_date_time(request.POST.get("until", ""))
    if until is not None:
        news_services.mark_read(until=until, by=request.user, now=timezone.now())
    return HttpResponse(status=204) if is_fragment(request) else redirect("home")


@require_GET
@never_cache
def project_start(request: UserRequest, slug: str) -> HttpResponse:
    """Show a person who has joined a project the way to their first task in it."""
    project = get_project(request, slug)
    now = timezone.now()
    holds = Assignment.objects.filter(user=request.user, project=project, state=State.ACTIVE)
    active = list(holds.select_related("task__question"))
    ready = ready_queries.list_ready_stages(request.user, now=now, active=active, project=project)
    context = {
        "section": "work",
        "project": project,
        "roles": [
            str(Role(role).label).lower() for role in sorted(roles_in(request.user, project))
        ],
        "waiting": [stage for stage in ready if stage.possible],
        "reasons": _reasons(ready),
        "demands": [stage for stage in ready if _demanded(stage)],
        "to_agree": _to_agree(ready),
        "ready": ready,
        "minimum": find_minimum(project, now=now),
    }
    return render(request, "annotation/home/project_start.html", context)


def _staff_context(staff: list[Project], blind: set[int], now: dt.datetime) -> dict[str, Any]:
    """Return what researchers and admins see first: tasks waiting for them, and their projects."""
    open_ = [project for project in staff if not project.over]
    stored_counts.load_figures(open_, OVERVIEW, now=now)
    jobs = staff_home.list_current_jobs(open_, now=now)
    today = timezone.localdate(now)
    cards = staff_home.build_cards(open_[: staff_home.PROJECTS_SHOWN], now=now, today=today)
    return {
        "staff": True,
        "today": today,
        "open_projects": len(open_),
        "closed_projects": sum(project.state == Project.State.CLOSED for project in staff),
        "hidden_projects": len(open_) - len(cards),
        "cards": cards,
        "jobs": [(job, job_context(job)) for job in jobs],
        "waiting_for_team": staff_home.list_waiting_work(open_, failed=jobs, blind=blind, now=now),
    }


def _accepted(user: User, ready: list[ReadyWork], now: dt.datetime) -> list[Qualified]:
    """Return the qualifications the team has accepted the person for; queried only if recent."""
    since = now - dt.timedelta(days=ACCEPTED_DAYS)
    if any(stage.qualified_at and stage.qualified_at >= since for stage in ready):
        return list_recent_acceptances(user, now=now)
    return []


def _greeting(at: dt.datetime) -> str:
    if at.hour < 12:
        return "Good morning"
    return "Good afternoon" if at.hour < 18 else "Good evening"


def _line(active: int, parked: int) -> str:
    if active:
        return "Your question is waiting where you left it."
    if parked:
        return "What you parked is waiting for you."
    return ""


def _results(user: User, latest: list[Assignment]) -> list[dict[str, Any]]:
    """Return the latest submissions with their outcomes, in the words of My submissions."""
    told = read_outcome_labels(user, [assignment.pk for assignment in latest])
    rows = []
    for assignment in latest:
        measured, _ = stages.get_stage(assignment.stage).measured
        label, tone = told.get(assignment.pk, (measured, ""))
        rows.append({"assignment": assignment, "label": label, "tone": tone})
    return rows


def _worth_listing(assignment: Assignment, now: dt.datetime) -> bool:
    """Whether an assignment that was left is listed: its draft has text, or it can be resumed."""
    ended = assignment.ended_at
    back = assignment.state in (State.RETURNED, State.SKIPPED)
    undone = back and ended is not None and ended >= now - queries.UNDO
    return undone or _contents(assignment) != NOTHING


def _draft(assignment: Assignment, now: dt.datetime) -> dict[str, Any]:
    """Return a line under Drafts: its contents, and when the time for it ends."""
    ends, contents = assignment.limit_ends_at or assignment.lease_ends_at, _contents(assignment)
    return {
        "assignment": assignment,
        "contents": "" if assignment.ended_at and contents == NOTHING else contents,
        "left": int((ends - now).total_seconds()) if ends else 0,
    }


def _contents(assignment: Assignment) -> str:
    """Return the contents of a draft in a few words."""
    sheet = stages.get_stage(assignment.stage).sheet
    try:
        return sheet.summarise_response(sheet.load(assignment.draft)) or NOTHING
    except ResponseError:
        return NOTHING


def _demanded(ready: ReadyWork) -> bool:
    """Whether a qualification is what the person should do next for this work."""
    running = ready.project.state == Project.State.RUNNING
    kept_back = ready.paused_since or ready.must_agree
    return ready.demand is not None and running and not kept_back


def _to_agree(ready: Iterable[ReadyWork]) -> list[Project]:
    """Return the projects whose consent text the person has to answer before they get work."""
    running = (stage.project for stage in ready if stage.must_agree and not stage.paused_since)
    return list({row.pk: row for row in running if row.state == Project.State.RUNNING}.values())


def _reasons(ready: Iterable[ReadyWork]) -> list[dict[str, Any]]:
    """Return why there is no work, without what two stages of a role would say twice."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for stage in ready:
        if not (_demanded(stage) or stage.must_agree):
            row = _why_nothing(stage)
            rows.setdefault((row["title"], row["text"]), row)
    return list(rows.values())


def _why_nothing(ready: ReadyWork) -> dict[str, Any]:
    """Return why a stage has no work for this person, and what to do next."""
    project, stage = ready.project, stages.get_stage(ready.stage)
    context: dict[str, Any] = {"ready": ready, "title": "", "text": "", "back_at": None}
    if ready.possible:
        return context
    if project.over:
        context |= {
            "title": f"{project.title} is closed",
            "text": "It accepts no more work. Your results stay listed here.",
        }
    elif project.state == Project.State.PAUSED:
        context |= {
            "title": f"{project.title} is paused",
            "text": "Nothing is handed out until it runs again. Your text is kept.",
        }
    elif ready.paused_since:
        why = f" The reason given: {ready.pause_reason}." if ready.pause_reason else ""
        context |= {
            "title": f"You get no new work in {project.title}",
            "text": f"Ask the people who run the project to resume it.{why}",
        }
    elif all(stage.none_ready) and not ready.back_at:
        title, text = stage.none_ready
        context |= {"title": f"{title} in {project.title}", "text": text}
    elif not ready.total:
        context |= {
            "title": f"{project.title} has no questions yet",
            "text": "They appear here once they are imported.",
        }
    else:
        count = f"{ready.total:,} " if ready.total < MOST_COUNTED else ""
        text = (
            "A question is free again when someone’s time for it ends."
            if ready.back_at
            else f"Every question {stage.enough}, or you have had it. "
            "New ones appear here automatically."
        )
        title = (
            f"The one question of {project.title} is taken"
            if ready.total == 1
            else f"All {count}questions of {project.title} are taken"
        )
        context |= {"title": title, "text": text, "back_at": ready.back_at}
    return context
