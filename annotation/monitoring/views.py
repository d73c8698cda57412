"""Monitoring for the team: how the writing goes, and feedback on it."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access.loaders import UserRequest, get_project, get_worker, parse_number
from annotation.access.projects import check_can_manage
from annotation.figures import counts as stored_counts
from annotation.figures.counts import MONITORING
from annotation.monitoring import queries
from annotation.pages.views import project_page
from annotation.people.minimum import find_minimum, list_people_below
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature


@never_cache
@require_safe
def project_monitoring(request: UserRequest, slug: str) -> HttpResponse:
    """List everyone who writes, by name, with their latest work and the feedback they got."""
    project = get_project(request, slug, check_can_manage)
    now = timezone.now()
    stored_counts.load_figures([project], MONITORING, now=now)
    context = project_page(request, project, "monitoring") | {
        "counted_at": stored_counts.counted_at(project, MONITORING),
        "people": queries.list_people(project, now=now),
        "days": queries.DAYS,
        "warns": protocols.protocol_of(project).has_feature(Feature.WARNINGS),
        "now": now,
        "minimum": find_minimum(project, now=now),
        "below": list_people_below(project, now=now),
    }
    return render(request, "annotation/monitoring/project_monitoring.html", context)


@never_cache
@require_safe
def monitoring_person(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """Show one person's latest answers with a box for feedback, and figures by week."""
    project = get_project(request, slug, check_can_manage)
    person = get_worker(project, user_id)
    before = parse_number(request.GET.get("before", ""))
    turns, older = queries.list_latest_submissions(
        project, person, reader=request.user, before=before
    )
    weeks = queries.list_weeks(project, person, now=timezone.now())
    context = project_page(request, project, "monitoring") | {
        "person": person,
        "own": person == request.user,
        "standing": queries.find_standing(project, person),
        "turns": turns,
        "older": turns[-1].pk if older else 0,
        "before": before,
        "weeks": weeks,
        "counts": protocols.protocol_of(project).has_feature(Feature.DISAMBIGUATIONS),
        "measured": any(week.new is not None for week in weeks),
        "most": queries.MOST_MEASURED,
        "tags": protocols.protocol_of(project).feedback_tags.items(),
    }
    return render(request, "annotation/monitoring/monitoring_person.html", context)
