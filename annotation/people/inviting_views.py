"""Inviting a pasted list of people, and what becomes of each invitation."""

import datetime as dt
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage_people
from annotation.core.models.people import Invitation, LetterState, Membership
from annotation.core.models.projects import Project
from annotation.extensions.parts import OTHER_WAYS
from annotation.pages.panels import panels_of
from annotation.pages.views import project_page
from annotation.people import invitation_services, inviting, letters, queries
from annotation.people.forms import InviteForm

# Lines that were not done wait here to be corrected, by project.
LEFT_OVER = "people-to-correct"
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
LATEST = 10**17  # microseconds: no date of Python comes after the year 9999


@dataclass(frozen=True)
class PendingInvitation:
    """An invitation with its link. over: whether it has expired."""

    row: Invitation
    link: str
    over: bool


def _site(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


def list_pending(
    request: HttpRequest, project: Project, now: dt.datetime
) -> list[PendingInvitation]:
    """Return the invitations of a project that have not ended, with their links. One query."""
    return [
        _with_link(request, row, over=row.expires_at <= now)
        for row in queries.open_invitations(project)
    ]


def _with_link(request: HttpRequest, row: Invitation, *, over: bool = False) -> PendingInvitation:
    return PendingInvitation(row, _site(request) + invitation_services.invitation_link(row), over)


def empty_form(request: UserRequest, project: Project, people: str = "") -> dict[str, Any]:
    """Return the context of the form with nothing checked yet."""
    return {
        "form": InviteForm(initial={"people": people}),
        "sources": queries.list_other_projects(request.user, project),
        "ways": panels_of(project, OTHER_WAYS),
    }


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_create(request: UserRequest, slug: str) -> HttpResponse:
    """Check a pasted list line by line, and then invite the people in it.

    The box holds what is left over from the last list, or the people of another project.
    """
    project = get_project(request, slug, check_can_manage_people)
    context = project_page(request, project, "people")
    if request.method != "POST":
        people = request.session.get(LEFT_OVER, {}).get(slug, "")
        if source := request.GET.get("from"):
            people = queries.list_as_lines(request.user, project, source)
        context |= empty_form(request, project, people)
        return render(request, "annotation/people/people_invite.html", context)
    form = InviteForm(request.POST)
    context |= {"form": form}
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return render(request, "annotation/people/people_invite.html", context, status=status)
    now, text, role = timezone.now(), form.cleaned_data["people"], form.cleaned_data["role"]
    if request.POST.get("press") != "invite":
        context |= {"checked": inviting.check_list(project, text, role=role, now=now)}
        return render(request, "annotation/people/people_invite.html", context)
    done = inviting.invite_list(
        project=project,
        text=text,
        role=role,
        message=form.cleaned_data["message"],
        open_for=dt.timedelta(days=form.cleaned_data["days"]),
        by_letter=not form.cleaned_data["copies"],
        site=_site(request),
        by=request.user,
        now=now,
    )
    left = dict(request.session.get(LEFT_OVER, {}))
    left.pop(slug, None)
    if done.rest:
        left[slug] = done.rest
    request.session[LEFT_OVER] = left
    if not (done.invited or done.given):
        context |= {"checked": done}
        status = HTTPStatus.CONFLICT if done.problems else HTTPStatus.OK
        return render(request, "annotation/people/people_invite.html", context, status=status)
    return redirect("invitations-made", slug, (now - EPOCH) // dt.timedelta(microseconds=1))


@never_cache
@require_safe
def invitations_made(request: UserRequest, slug: str, at: int) -> HttpResponse:
    """The links of the people invited by one press, and the roles it gave, to be undone.

    `at` is the moment of the press, in microseconds since 1970.
    """
    project = get_project(request, slug, check_can_manage_people)
    if at > LATEST:
        raise Http404
    moment = EPOCH + dt.timedelta(microseconds=at)
    invitations = [
        _with_link(request, row)
        for row in queries.open_invitations(project).filter(created_at=moment)
    ]
    roles = Membership.objects.filter(project=project, created_at=moment).select_related("user")
    rest = request.session.get(LEFT_OVER, {}).get(slug, "")
    context = project_page(request, project, "people") | {
        "invitations": invitations,
        "roles": roles.order_by("user__name", "pk"),
        "until": max((each.row.expires_at for each in invitations), default=None),
        "by_letter": any(each.row.letter != LetterState.NONE for each in invitations),
        "left": len(rest.splitlines()),
    }
    return render(request, "annotation/people/people_invited.html", context)


def _invitation(project: Project, invitation_id: int) -> Invitation:
    rows = Invitation.objects.select_related("project").filter(project=project)
    return get_object_or_404(rows, pk=invitation_id)


@require_POST
def invitation_renew(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Let an invitation's link work again, and send the e-mail once more."""
    project = get_project(request, slug, check_can_manage_people)
    now = timezone.now()
    renewed = invitation_services.renew_invitation(
        invitation=_invitation(project, invitation_id), by=request.user, now=now, by_letter=True
    )
    letters.start_letters(
        project=project, invitations=[renewed], site=_site(request), by=request.user, now=now
    )
    until = timezone.localtime(renewed.expires_at)
    messages.success(
        request,
        f"The e-mail goes to {renewed.email} again. The link works until {until.day} {until:%B}.",
    )
    return redirect("project-people", slug)


@require_POST
def invitation_revoke(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Withdraw an invitation; its link no longer works."""
    project = get_project(request, slug, check_can_manage_people)
    invitation = _invitation(project, invitation_id)
    invitation_services.revoke_invitation(
        invitation=invitation, by=request.user, now=timezone.now()
    )
    messages.success(request, f"The invitation of {invitation.email} is withdrawn.")
    return redirect("project-people", slug)
