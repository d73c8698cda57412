"""The page that the link of an invitation leads to: what is offered, joining, and saying no."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.models import User
from annotation.access.people import (
    InvitationOver,
    check_invitation_is_for,
    check_invitation_open,
    end_of_invitation,
)
from annotation.access.projects import STAFF, is_member
from annotation.consent.forms import AgreeForm
from annotation.consent.policies import WORKING_ROLES
from annotation.consent.queries import has_to_answer, newest_text
from annotation.core.models.people import Invitation
from annotation.core.refusals import Denied
from annotation.people import invitation_services
from annotation.people.forms import JoinForm
from annotation.people.minimum import find_minimum
from annotation.people.offers import describe_offer
from annotation.text.markdown import render_markdown

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@never_cache
@login_not_required
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_accept(request: HttpRequest, token: str) -> HttpResponse:
    """Show an invitation; join with a new account or the one signed in, decline, or, once it has
    expired, ask for a new link.
    """
    invitation = None
    try:
        invitation = invitation_services.find_invitation(token)
        press = request.POST.get("press", "")
        if press == "renew":
            invitation_services.ask_for_renewal(token=token, now=timezone.now())
            return redirect("invitation-accept", token)
        user = request.user if isinstance(request.user, User) else None
        if user is not None:
            check_invitation_is_for(user, invitation)
        if press == "decline":
            invitation_services.decline_invitation(token=token, now=timezone.now())
            return redirect("invitation-accept", token)
        if user is not None and invitation.accepted_by_id == user.pk:
            member = is_member(user, invitation.project)
            slug = invitation.project.slug
            return redirect("project-start", slug) if member else redirect("home")
        check_invitation_open(invitation, timezone.now())
        return _offer(request, token, invitation, user)
    except Denied as refusal:
        return _explain(request, refusal, invitation)


def _offer(
    request: HttpRequest, token: str, invitation: Invitation, user: User | None
) -> HttpResponse:
    """Show what is offered, and let the person join."""
    if request.method == "GET":
        invitation_services.note_opening(invitation=invitation, now=timezone.now())
    text = newest_text(invitation.project)
    known = user is None and User.objects.filter(email__iexact=invitation.email).exists()
    data = request.POST if request.method == "POST" else None
    join = JoinForm(data, email=invitation.email, initial={"name": invitation.name})
    agree = AgreeForm(data, text=text) if text and _is_asked(user, invitation) else None
    forms = [form for form in (join if user is None else None, agree) if form is not None]
    status = HTTPStatus.OK
    if data is not None and known:
        status = HTTPStatus.CONFLICT
    elif data is not None:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        valid = [form.is_valid() for form in forms]  # each of them says what is missing
        if all(valid):
            return _join(request, token, invitation, user, join, agree)
    context = {
        "invitation": invitation,
        "project": invitation.project,
        "offer": describe_offer(invitation.project, invitation.roles),
        "minimum": find_minimum(invitation.project, now=timezone.now()),
        "works": bool(set(WORKING_ROLES) & set(invitation.roles)),
        "text": text,
        "body": render_markdown(text.body) if text else "",
        "known": known,
        "join": join,
        "form": agree,
        "problems": [row for form in forms if form.is_bound for row in form.problems()],
        "institution": _institution(),
    }
    return render(request, "annotation/people/people_invitation.html", context, status=status)


def _is_asked(user: User | None, invitation: Invitation) -> bool:
    """Return whether the person has to agree first: staff who do no work are not asked."""
    if not set(WORKING_ROLES) & set(invitation.roles):
        return False
    return user is None or has_to_answer(user, invitation.project)


def _institution() -> Any:
    """Return the institution that people can sign in at, None if there is none."""
    configured = settings.SOCIALACCOUNT_PROVIDERS.get("openid_connect", {})
    return next(iter(configured.get("APPS", [])), None)


def _join(
    request: HttpRequest,
    token: str,
    invitation: Invitation,
    user: User | None,
    join: JoinForm,
    agree: AgreeForm | None,
) -> HttpResponse:
    """Join, and go to the first task; staff to the project."""
    agreement, now = (agree.agreement if agree else None), timezone.now()
    if user is not None:
        invitation_services.accept_invitation(token=token, by=user, now=now, agreement=agreement)
    else:
        made = invitation_services.accept_new(
            token=token, **join.cleaned_data, now=now, agreement=agreement
        )
        login(request, made, backend=BACKEND)
    project = invitation.project
    if STAFF & set(invitation.roles):
        messages.success(request, f"You are now {invitation.role_names} of {project.title}.")
        return redirect("project-overview", project.slug)
    return redirect("project-start", project.slug)


def _explain(request: HttpRequest, refusal: Denied, invitation: Invitation | None) -> HttpResponse:
    """Say why the link does not work. It tells nothing of the project but its name."""
    end = ""
    if invitation is not None and isinstance(refusal, InvitationOver):
        end = end_of_invitation(invitation)
    context = {
        "sentence": str(refusal),
        "wrong_account": refusal.status == HTTPStatus.FORBIDDEN,
        "invitation": invitation,
        "end": end,
    }
    return render(
        request, "annotation/people/people_invitation_over.html", context, status=refusal.status
    )
