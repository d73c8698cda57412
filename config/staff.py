"""How staff have to sign in: STAFF_SIGN_IN asks for more than a password.

Staff are the researchers and admins of any project, and the staff of the installation.
"""

from collections.abc import Callable
from typing import Any

from allauth.account.internal.flows.login import get_authentication_records
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request

from accounts import issuer
from accounts.models import User
from annotation.access.projects import STAFF
from annotation.models import Membership
from config.errors import render_error

PASSWORD, SECOND_FACTOR, INSTITUTION = "password", "second-factor", "institution"
WAYS = (PASSWORD, SECOND_FACTOR, INSTITUTION)
SENTENCES = {
    SECOND_FACTOR: "Staff need a second factor here. Add one under Account, Second factors.",
    INSTITUTION: "Staff sign in at their institution here. Sign out, then sign in there.",
}
# Where they are led: to add a factor, or to sign out.
PAGES = {SECOND_FACTOR: "mfa_index", INSTITUTION: "account-settings"}
# What people without it still reach: their own sign-in, and what tells whether Ambit is well. But
# a token is taken for signed in as asked, so nobody makes one who has not.
_OPEN = ("/account/", "/static/", "/healthz", "/livez", "/readyz", "/metrics")
_CLOSED = ("token-create",)
# A first factor is added where the second one is that they have: else the password would do.
_FIRST_FACTOR = ("mfa_activate_totp", "mfa_add_webauthn")
FIRST_FACTOR = "Sign in at your institution to add your first second factor."
_FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def refusal_reason(user: AbstractBaseUser | AnonymousUser, request: HttpRequest | None) -> str:
    """Return why this person may not go on, "" if they may. One query where anything is asked.

    `request` is that of a browser, None for a token of the API: a token was made by somebody who
    had signed in as asked, so it is enough that they still could.
    """
    way = settings.STAFF_SIGN_IN
    if way == PASSWORD or not isinstance(user, User):
        return ""
    if request is not None and _came_from_institution(request, user):
        return ""
    if not _lacks(user, way, by_token=request is None):
        return ""
    return SENTENCES[way]


def _came_from_institution(request: HttpRequest, user: User) -> bool:
    records = get_authentication_records(request, user)
    return any(record.get("method") == "socialaccount" for record in records)


def _lacks(user: User, way: str, *, by_token: bool) -> bool:
    """Whether they are staff without what is asked."""
    staff = Membership.objects.filter(user=OuterRef("pk"), role__in=STAFF)
    factors = Authenticator.objects.filter(user=OuterRef("pk"), type__in=_FACTORS)
    accounts = issuer.present_accounts().filter(user=OuterRef("pk"))
    lacking = User.objects.filter(Exists(staff) | Q(is_staff=True) | Q(is_superuser=True))
    if way == SECOND_FACTOR:
        lacking = lacking.exclude(Exists(factors))
    if by_token:
        lacking = lacking.exclude(Exists(accounts))
    return lacking.filter(pk=user.pk).exists()


def _is_open(request: HttpRequest) -> bool:
    return request.path.startswith(_OPEN) and _view_of(request) not in _CLOSED


def _adds_factor_from_elsewhere(request: HttpRequest) -> bool:
    return (
        settings.STAFF_SIGN_IN == SECOND_FACTOR
        and _view_of(request) in _FIRST_FACTOR
        and issuer.present_accounts().filter(user=request.user.pk).exists()
    )


def _view_of(request: HttpRequest) -> str:
    return request.resolver_match.view_name if request.resolver_match else ""


class StaffMiddleware:
    """Lead staff who have not signed in as asked to the page where they can."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: Any,
        kwargs: Any,
    ) -> HttpResponse | None:
        """Answer in place of the view; scripts and fragments get the sentence."""
        first_factor = _adds_factor_from_elsewhere(request)
        if settings.STAFF_SIGN_IN == PASSWORD or (_is_open(request) and not first_factor):
            return None
        if not (sentence := refusal_reason(request.user, request)):
            return None
        if first_factor:
            sentence = FIRST_FACTOR
        page = request.method == "GET" and "text/html" in request.headers.get("Accept", "text/html")
        if page and "HX-Request" not in request.headers:
            messages.warning(request, sentence)
            return redirect(PAGES[settings.STAFF_SIGN_IN])
        return render_error(request, sentence, 403)


class SignedInAsAsked(IsAuthenticated):
    """The same for tokens of the API; sessions come through the middleware."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Whether the person is signed in, and as asked if they are staff."""
        if not super().has_permission(request, view):
            return False
        if request.auth is None:
            return True
        self.message = refusal_reason(request.user, None)
        return not self.message
