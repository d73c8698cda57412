"""Second factors: an app that shows codes, security keys, recovery codes. The views are allauth's,
with statuses that scripts can distinguish.
"""

from typing import Any

from allauth.account.views import ReauthenticateView
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.base.views import ReauthenticateView as MFAReauthenticateView
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.views import generate_recovery_codes, view_recovery_codes
from allauth.mfa.totp.views import ActivateTOTPView, DeactivateTOTPView
from allauth.mfa.utils import is_mfa_enabled
from allauth.mfa.webauthn.views import (
    AddWebAuthnView,
    reauthenticate_webauthn,
    remove_webauthn,
)
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_safe

from accounts import services
from accounts.views import InvalidFormStatusMixin, UserRequest, status_of


class PasswordAgainView(InvalidFormStatusMixin, ReauthenticateView):  # type: ignore[misc]
    """Asks for the password again before something important is changed."""


class CodeAgainView(InvalidFormStatusMixin, MFAReauthenticateView):  # type: ignore[misc]
    """Asks for a code again before something important is changed."""


class FactorView(AuthenticateView):  # type: ignore[misc]
    """Asks for the second factor after the password."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Say which kinds the person has: only those are asked for."""
        context: dict[str, Any] = super().get_context_data(**kwargs)
        rows = Authenticator.objects.filter(user=self.stage.login.user)
        kinds = set(rows.values_list("type", flat=True))
        has_key = Authenticator.Type.WEBAUTHN in kinds
        return context | {"has_key": has_key, "has_app": Authenticator.Type.TOTP in kinds}

    def form_invalid(self, form: Any) -> HttpResponse:
        response: HttpResponse = super().form_invalid(form)
        response.status_code = status_of(form)
        return response


class AddedFactorMixin(InvalidFormStatusMixin):
    """A form view that adds a factor. The first one ends the API tokens: they know of none."""

    def form_valid(self, form: Any) -> HttpResponse:
        user = self.request.user  # type: ignore[attr-defined]
        first = not is_mfa_enabled(user)
        response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
        if first:
            services.end_tokens(user=user)
        return response


class AddAppView(AddedFactorMixin, ActivateTOTPView):  # type: ignore[misc]
    """Adds an app that shows codes."""


class RemoveAppView(InvalidFormStatusMixin, DeactivateTOTPView):  # type: ignore[misc]
    """Removes that app."""


class AddKeyView(AddedFactorMixin, AddWebAuthnView):  # type: ignore[misc]
    """Adds a security key."""


code_list = never_cache(require_safe(view_recovery_codes))
new_codes = never_cache(generate_recovery_codes)
key_again = never_cache(reauthenticate_webauthn)
remove_key = never_cache(remove_webauthn)


@never_cache
@require_safe
def factor_list(request: UserRequest) -> HttpResponse:
    """Show which second factors a person has, and how many recovery codes. One query."""
    rows = list(Authenticator.objects.filter(user=request.user).order_by("created_at"))
    of = {kind: [row for row in rows if row.type == kind] for kind in Authenticator.Type.values}
    context = {
        "app": next(iter(of["totp"]), None),
        "security_keys": [(row, row.wrap().name) for row in of["webauthn"]],
        "codes_left": sum(len(row.wrap().get_unused_codes()) for row in of["recovery_codes"]),
        "has_codes": bool(of["recovery_codes"]),
    }
    return render(request, "mfa/index.html", context)


@require_GET
def to_list(request: UserRequest) -> HttpResponse:
    """Lead back to that page."""
    return redirect("mfa_index")
