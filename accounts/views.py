"""Sign-in pages (allauth's, with statuses that scripts can distinguish) and one's own account."""

from http import HTTPStatus
from typing import Any

from allauth.account import views as allauth_views
from allauth.account.decorators import reauthentication_required
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from knox.models import AuthToken

from accounts import letters, services
from accounts.attempts import describe_refusal
from accounts.forms import SettingsForm, ShortcutsForm
from accounts.models import User
from accounts.shortcuts import all_keys


class UserRequest(HttpRequest):
    """A request of a signed-in person."""

    user: User


def status_of(form: Form) -> int:
    """Return 429 when too many attempts failed, else 422."""
    errors = form.errors.as_data().values()
    codes = {error.code for each in errors for error in each}
    if "too_many_login_attempts" in codes:
        return HTTPStatus.TOO_MANY_REQUESTS
    return HTTPStatus.UNPROCESSABLE_ENTITY


class InvalidFormStatusMixin:
    """A form view that answers an invalid form with the status of `status_of`."""

    def form_invalid(self, form: Form) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)  # type: ignore[misc]
        response.status_code = status_of(form)
        return response


class SignInView(InvalidFormStatusMixin, allauth_views.LoginView):  # type: ignore[misc]
    """What this installation is, beside e-mail address and password and the way to the institution.

    Strangers see it at `/`, too (config/signin.py).
    """

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context_data(**kwargs)
        configured = settings.SOCIALACCOUNT_PROVIDERS.get("openid_connect", {})
        return context | {
            "institution": next(iter(configured.get("APPS", [])), None),
            "refused": describe_refusal(self.request, context["form"]),
        }


class PasswordResetView(InvalidFormStatusMixin, allauth_views.PasswordResetView):  # type: ignore[misc]
    """Ask for a link by e-mail. The answer is the same whether there is an account or not."""


class PasswordResetFromKeyView(InvalidFormStatusMixin, allauth_views.PasswordResetFromKeyView):  # type: ignore[misc]
    """Choose a new password after following that link."""

    def render_to_response(self, context: dict[str, Any], **kwargs: Any) -> HttpResponse:
        if context.get("token_fail"):
            kwargs["status"] = HTTPStatus.GONE
        response: HttpResponse = super().render_to_response(context, **kwargs)
        return response


class PasswordChangeView(InvalidFormStatusMixin, allauth_views.PasswordChangeView):  # type: ignore[misc]
    """Change the current password; people without one are told how they get one."""

    def dispatch(self, request: UserRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.has_usable_password():
            return render(request, "account/password_none.html")
        response: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return response


class SignupClosedView(allauth_views.SignupView):  # type: ignore[misc]
    """Says that people need an invitation."""

    def closed(self) -> HttpResponse:
        response: HttpResponse = super().closed()
        response.status_code = HTTPStatus.FORBIDDEN
        return response


@login_not_required
@require_safe
def about_data(request: HttpRequest) -> HttpResponse:
    """Tell anyone what is kept about people who work here, who reads it and how they are paid."""
    return render(request, "account/about_data.html")


def settings_page(
    request: UserRequest,
    form: SettingsForm | None = None,
    *,
    keys_form: ShortcutsForm | None = None,
    token: str = "",
    status: int = 200,
) -> HttpResponse:
    """Render the account page; `token` is the text of a token made just now."""
    if keys_form is None:
        keys_form = ShortcutsForm(initial=all_keys(request.user.keys))
    if form is None:
        user = request.user
        form = SettingsForm(initial={"name": user.name, "single_keys": user.single_keys})
    factors = Authenticator.objects.filter(user=request.user)
    tokens = AuthToken.objects.filter(user=request.user).exclude(expiry__lte=timezone.now())
    context = {
        "form": form,
        "keys_form": keys_form,
        "factors": factors.exclude(type=Authenticator.Type.RECOVERY_CODES).exists(),
        "tokens": tokens.order_by("-created"),
        "token": token,
    }
    return render(request, "accounts/settings_view.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def account_settings(request: UserRequest) -> HttpResponse:
    """Show and change name, shortcuts, appearance, password and API tokens."""
    if request.method != "POST":
        return settings_page(request)
    form = SettingsForm(request.POST)
    if not form.is_valid():
        return settings_page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    services.change_settings(user=request.user, **form.cleaned_data)
    messages.success(request, "Saved.")
    return redirect("account-settings")


@never_cache
@require_POST
def account_shortcuts(request: UserRequest) -> HttpResponse:
    """Change the keys of single-key shortcuts, or go back to the defaults."""
    if "reset" in request.POST:
        services.change_keys(user=request.user, keys={})
        messages.success(request, "Shortcuts reset to the defaults.")
        return redirect("account-settings")
    form = ShortcutsForm(request.POST)
    if not form.is_valid():
        return settings_page(request, keys_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    services.change_keys(user=request.user, keys=form.cleaned_data)
    messages.success(request, "Shortcuts saved.")
    return redirect("account-settings")


def _has_factor(request: HttpRequest) -> bool:
    return bool(is_mfa_enabled(request.user))


@never_cache
@require_POST
@reauthentication_required(app="allauth.mfa", enabled=_has_factor)  # type: ignore[untyped-decorator]
def token_create(request: UserRequest) -> HttpResponse:
    """Create a token and show its text, which is shown only once.

    It works without a second factor for months, so people who have one are asked again.
    """
    text, _ = services.create_token(user=request.user, now=timezone.now())
    letters.tell_owner(user=request.user, change=letters.TOKEN, request=request)
    return settings_page(request, token=text, status=HTTPStatus.CREATED)


@require_POST
def token_revoke(request: UserRequest, key: str) -> HttpResponse:
    """Revoke one of one's own tokens."""
    if services.revoke_token(user=request.user, key=key):
        messages.success(request, f"Token {key}… revoked.")
    else:
        messages.info(request, "That token was revoked before.")
    return redirect("account-settings")
