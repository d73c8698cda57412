"""The people of a project, and the page an invitation leads to."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from annotation.access.loaders import UserRequest, get_member, get_project
from annotation.access.people import check_invitation_is_for, check_invitation_open
from annotation.access.projects import STAFF, check_can_manage, check_can_manage_people, is_member
from annotation.core.models.people import Invitation, Membership
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict, Denied
from annotation.pages.views import project_page
from annotation.people import invitation_services, letters, queries, services
from annotation.people.forms import InviteForm, JoinForm, RoleForm

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


def _site(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


def _people_page(
    request: UserRequest, project: Project, form: InviteForm, status: int = 200
) -> HttpResponse:
    context = project_page(request, project, "people")
    site = _site(request)
    context |= {
        "members": queries.list_members(project),
        "form": form,
        "invitations": [
            (
                invitation,
                site + invitation_services.invitation_link(invitation),
                invitation.expires_at <= timezone.now(),
            )
            for invitation in queries.open_invitations(project)
        ],
    }
    return render(request, "annotation/people/people_list.html", context, status=status)


@never_cache
@require_safe
def project_people(request: UserRequest, slug: str) -> HttpResponse:
    """Members with their roles, pauses and open invitations."""
    project = get_project(request, slug, check_can_manage)
    return _people_page(request, project, InviteForm())


@require_POST
def invitation_create(request: UserRequest, slug: str) -> HttpResponse:
    """Invite an address: send the e-mail and show the link to copy."""
    project = get_project(request, slug, check_can_manage_people)
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _people_page(request, project, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        invitation = _invite(request, project, form)
    except Conflict as refusal:
        form.add_error("email", str(refusal))
        return _people_page(request, project, form, refusal.status)
    messages.success(
        request,
        f"{invitation.email} is invited, and the e-mail is on its way. You can copy the link, too.",
    )
    return redirect("project-people", slug)


@transaction.atomic
def _invite(request: UserRequest, project: Project, form: InviteForm) -> Invitation:
    now = timezone.now()
    invitation = invitation_services.invite_member(
        project=project,
        email=form.cleaned_data["email"],
        roles=[form.cleaned_data["role"]],
        by=request.user,
        now=now,
        by_letter=True,
    )
    letters.start_letters(
        project=project, invitations=[invitation], site=_site(request), by=request.user, now=now
    )
    return invitation


@require_POST
def invitation_revoke(request: UserRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Revoke an invitation; its link no longer works."""
    project = get_project(request, slug, check_can_manage_people)
    invitation = get_object_or_404(
        Invitation.objects.select_related("project").filter(project=project), pk=invitation_id
    )
    invitation_services.revoke_invitation(
        invitation=invitation, by=request.user, now=timezone.now()
    )
    messages.success(request, f"The invitation of {invitation.email} is revoked.")
    return redirect("project-people", slug)


@require_POST
def role_add(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """Give a member one more role."""
    project = get_project(request, slug, check_can_manage_people)
    member = get_member(project, user_id)
    form = RoleForm(request.POST)
    if not form.is_valid():
        raise Denied("Choose one of the roles in the list.")
    membership = services.add_role(
        project=project, user=member, **form.cleaned_data, by=request.user, now=timezone.now()
    )
    messages.success(request, f"{member} is now {membership.get_role_display().lower()}.")
    return redirect("project-people", slug)


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


@never_cache
@login_not_required
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_accept(request: HttpRequest, token: str) -> HttpResponse:
    """The page of an invitation's link: join with a new account, or the one signed in."""
    now = timezone.now()
    try:
        invitation = invitation_services.find_invitation(token)
        context: dict[str, Any] = {"invitation": invitation, "project": invitation.project}
        if isinstance(request.user, User):
            return _accept_signed_in(request, request.user, token, invitation)
        check_invitation_open(invitation, now)
        _note_opening(request, invitation)
        context["known"] = User.objects.filter(email__iexact=invitation.email).exists()
        form = JoinForm(request.POST or None, email=invitation.email)
        if request.method == "POST" and not context["known"] and form.is_valid():
            user = invitation_services.accept_new(token=token, **form.cleaned_data, now=now)
            login(request, user, backend=BACKEND)
            return _joined(request, invitation)
    except Denied as refusal:
        return _explain(request, refusal)
    refused = HTTPStatus.CONFLICT if context["known"] else HTTPStatus.UNPROCESSABLE_ENTITY
    status = refused if request.method == "POST" else HTTPStatus.OK
    context["form"] = form
    return render(request, "annotation/people/people_invitation.html", context, status=status)


def _accept_signed_in(
    request: HttpRequest, user: User, token: str, invitation: Invitation
) -> HttpResponse:
    check_invitation_is_for(user, invitation)
    if request.method == "POST":
        invitation_services.accept_invitation(token=token, by=user, now=timezone.now())
        return _joined(request, invitation)
    if invitation.accepted_by_id == user.pk:
        member = is_member(user, invitation.project)
        return redirect("project-start", invitation.project.slug) if member else redirect("home")
    check_invitation_open(invitation, timezone.now())
    _note_opening(request, invitation)
    context = {"invitation": invitation, "project": invitation.project}
    return render(request, "annotation/people/people_invitation.html", context)


def _note_opening(request: HttpRequest, invitation: Invitation) -> None:
    if request.method == "GET":
        invitation_services.note_opening(invitation=invitation, now=timezone.now())


def _joined(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """Redirect a person who has joined to their first task; staff to the project."""
    project = invitation.project
    if STAFF & set(invitation.roles):
        messages.success(request, f"You are now {invitation.role_names} of {project.title}.")
        return redirect("project-overview", project.slug)
    return redirect("project-start", project.slug)


def _explain(request: HttpRequest, refusal: Denied) -> HttpResponse:
    context = {"sentence": str(refusal), "wrong_account": refusal.status == HTTPStatus.FORBIDDEN}
    return render(
        request, "annotation/people/people_invitation_over.html", context, status=refusal.status
    )
