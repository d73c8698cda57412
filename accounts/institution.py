"""Sign-in at an institution: there by a button, and back with a code, as allauth does it."""

from http import HTTPStatus
from typing import Any

from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect import views as openid_views
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from requests import RequestException

from accounts import issuer


class _Institution(openid_views.OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """The institution, whose accounts are kept apart from those of others."""

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        login = super().complete_login(request, app, token, **kwargs)
        login.account.uid = issuer.uid_of(login.account.uid)
        return login


def _failed(request: HttpRequest) -> HttpResponse:
    template = "socialaccount/authentication_error.html"
    return render(request, template, status=HTTPStatus.SERVICE_UNAVAILABLE)


@login_not_required
@never_cache
@require_POST
def to_institution(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Send somebody to their institution. Only a press on the button does: a link could sign
    people in without their knowledge.
    """
    try:
        response: HttpResponse = openid_views.login(request, provider_id)
    except (RequestException, KeyError):  # it does not answer, or not as OpenID Connect
        return _failed(request)
    return response


@login_not_required
@never_cache
@require_safe
def from_institution(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Take the code that somebody comes back with, and sign them in."""
    try:
        callback = OAuth2CallbackView.adapter_view(_Institution(request, provider_id))
        response: HttpResponse = callback(request)
    except SocialApp.DoesNotExist:
        raise Http404 from None
    except (RequestException, KeyError):
        return _failed(request)
    return response


@login_not_required
@require_safe
def show_cancelled_sign_in(request: HttpRequest) -> HttpResponse:
    """Say that nothing happened."""
    return render(request, "socialaccount/login_cancelled.html")
