"""allauth's hooks: no one can sign up without an invitation."""

import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal.httpkit import clean_client_ip
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.base import AuthProcess
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction
from django.http import HttpRequest
from django.shortcuts import render
from django.urls import reverse

from accounts import issuer, letters
from accounts.models import User

logger = logging.getLogger(__name__)


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Close the public sign-up and use our own texts."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "account_inactive": "This account is switched off. Ask an admin of your project.",
        "email_password_mismatch": "Wrong e-mail address or password.",
        "enter_current_password": "Write the password you sign in with now.",
        "too_many_login_attempts": "Too many attempts. Wait five minutes, then try again.",
        "invalid_password_reset": "This link no longer works. Ask for a new one.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def format_email_subject(self, subject: str) -> str:
        """Return the subject without a prefix; subjects name Ambit where it helps."""
        return subject

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a letter to `person`. Context processors take `user` for who is signed in."""
        super().send_mail(template_prefix, email, context | {"person": context.get("user")})

    def send_notification_mail(
        self,
        template_prefix: str,
        user: User,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        """Tell the owner of an account what was changed about it, in words of our own."""
        change = letters.CHANGES.get(template_prefix)
        if template_prefix == "socialaccount/email/account_connected" and context:
            change = letters.INSTITUTION.format(context["provider"].name)
        if change:
            letters.tell_owner(user=user, change=change, request=self.request)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account-settings")

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the address that rate limits count by.

        If fewer proxies than TRUSTED_PROXIES wrote their client's address, all that is written
        can be believed, and the first is the person's.
        """
        try:
            address = super().get_client_ip(request)
        except ImproperlyConfigured:
            logger.error("TRUSTED_PROXIES is larger than the number of proxies in front.")
            first = request.headers["X-Forwarded-For"].split(",")[0]
            address = clean_client_ip(first) or request.META["REMOTE_ADDR"]
        return str(address)


class InstitutionAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """People who sign in at their institution are those whom somebody has invited here.

    Who comes for the first time is known by the e-mail address, which the institution must have
    verified; from then on by the institution's own name for them.
    """

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Connect the account to the person with its address."""
        # The address could ask for more, such as to connect it to whoever is signed in.
        sociallogin.state["process"] = AuthProcess.LOGIN
        if sociallogin.is_existing:
            return
        data = sociallogin.account.get_provider_account().get_user_data() or {}
        email = _address(data.get("email"))
        # Some send the word.
        verified = data.get("email_verified") in (True, "true") or settings.OIDC_TRUST_EMAIL
        with transaction.atomic():
            people = User.objects.select_for_update(no_key=True)
            people = people.filter(email=email, is_active=True, is_participant=False)
            person = people.first() if email and verified else None
            # Whoever has the address there now need not be who had it when they came first.
            other = person is not None and issuer.present_accounts().filter(user=person).exists()
            if person is None or other:
                context = {"email": email, "other": other, "unverified": email and not verified}
                page = render(request, "socialaccount/unknown.html", context, status=403)
                raise ImmediateHttpResponse(page)
            sociallogin.connect(request, person)


def _address(email: object) -> str:
    """Return an institution's e-mail address as ours are stored, "" for what is none.

    Only plain letters are made small: a few others, such as the sign of kelvin, would become plain
    ones, and so another person's address.
    """
    if not isinstance(email, str) or "\0" in email:
        return ""
    return email.lower() if email.isascii() else email
