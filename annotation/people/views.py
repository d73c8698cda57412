"""The people of a project."""

import datetime as dt
from collections.abc import Collection
from urllib.parse import quote

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import STAFF, check_can_manage, check_can_manage_people
from annotation.core.models.people import OFFERED_ROLES, LetterState, Membership
from annotation.core.models.projects import Project
from annotation.core.refusals import Denied, roles_in
from annotation.pages.views import project_page
from annotation.people import bulk, queries, services
from annotation.people.inviting_views import empty_form, list_pending
from annotation.people.offers import list_kinds_of_work
from annotation.people.work_notes import IDLE
from annotation.stages import registry as stages

# What is said of each change.
WORDS = {
    bulk.GIVE: "{people} got the role {role}.",
    bulk.REMOVE: "{people} lost the role {role}.",
    bulk.PAUSE: "{people} paused: no new work until you resume it.",
}


SHOWN = ("all", "without-work", "away")
AWAY = dt.timedelta(days=7)


@never_cache
@require_safe
def project_people(request: UserRequest, slug: str) -> HttpResponse:
    """Members with their roles and their work or why they have none, and open invitations."""
    project = get_project(request, slug, check_can_manage)
    context = project_page(request, project, "people")
    now = timezone.now()
    members = queries.list_members(project, now=now)
    groups = {
        "all": members,
        "without-work": [each for each in members if not each.note.is_fine],
        "away": [each for each in members if each.is_away(now - AWAY)],
    }
    show = request.GET.get("show", "all")
    invitations = list_pending(request, project, now) if context["administers"] else []
    context |= {
        "groups": groups,
        "show": show if show in SHOWN else "all",
        "members": groups.get(show, members),
        "idle": sum(each.note.reason in IDLE for each in members),
        "alone": {each.user.pk for each in members} <= {request.user.pk},
        "offered": OFFERED_ROLES,
        "invitations": invitations,
        "links": [each for each in invitations if not each.over],
        "failed": any(each.row.letter == LetterState.FAILED for each in invitations),
    }
    if context["alone"] and context["administers"]:
        every = stages.of_protocol(project.protocol)
        context |= empty_form(request, project)
        context["waiting"] = [each for each in list_kinds_of_work(project, every) if each.open]
    return render(request, "annotation/people/people_list.html", context)


@require_POST
def people_change(request: UserRequest, slug: str) -> HttpResponse:
    """Give the chosen members a role, take it, pause their work, or show how to write to them."""
    project = get_project(request, slug, check_can_manage)
    press = request.POST.get("press", "")
    users = {int(each) for each in request.POST.getlist("person") if each.isdecimal()}
    if press == "write":
        return _addresses_page(request, project, users)
    if press not in WORDS:
        raise Denied("Choose what to change.")
    role = request.POST.get("role", "")
    change = bulk.change_people(
        project=project, users=users, press=press, role=role, by=request.user, now=timezone.now()
    )
    for sentence in change.refused:
        messages.warning(request, sentence)
    number = len(change.changed)
    people = str(change.changed[0]) if number == 1 else f"{number} people"
    if number:
        name = dict(OFFERED_ROLES).get(role, "").lower()
        messages.success(request, WORDS[press].format(people=people, role=name))
    elif not change.refused:
        messages.success(request, "There was nothing to change.")
    if not STAFF & roles_in(request.user, project):
        return redirect("project-list")  # the person has taken their own role away
    return redirect("project-people", slug)


def _addresses_page(request: UserRequest, project: Project, users: Collection[int]) -> HttpResponse:
    people = [
        each for each in queries.list_members(project, now=timezone.now()) if each.user.pk in users
    ]
    if not people:
        raise Denied("Choose at least one person.")
    addresses = [each.user.email for each in people]
    context = project_page(request, project, "people") | {
        "people": people,
        "addresses": ", ".join(addresses),
        # As blind copies, so that people do not learn each other's addresses.
        "mailto": f"mailto:?bcc={quote(','.join(addresses), safe='@,')}",
    }
    return render(request, "annotation/people/people_write.html", context)


def _membership(project: Project, membership_id: int) -> Membership:
    rows = Membership.objects.select_related("user", "project").filter(project=project)
    return get_object_or_404(rows, pk=membership_id)


@require_POST
def role_remove(request: UserRequest, slug: str, membership_id: int) -> HttpResponse:
    """Take a role away."""
    project = get_project(request, slug, check_can_manage_people)
    membership = _membership(project, membership_id)
    services.remove_role(membership=membership, by=request.user, now=timezone.now())
    role = membership.get_role_display().lower()
    messages.success(request, f"{membership.user} is no longer {role}.")
    if membership.user_id == request.user.pk:
        return redirect("project-list")  # the person may have lost access to the people page
    return redirect("project-people", slug)


@require_POST
def pause_lift(request: UserRequest, slug: str, membership_id: int) -> HttpResponse:
    """Let a paused person take work again."""
    project = get_project(request, slug, check_can_manage)
    membership = _membership(project, membership_id)
    services.lift_pause(membership=membership, by=request.user, now=timezone.now())
    messages.success(request, f"{membership.user} can get new work again.")
    return redirect("project-people", slug)
