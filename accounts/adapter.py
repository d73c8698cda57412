"""allauth's hooks: no one can sign up without an invitation."""

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.urls import reverse


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

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        return reverse("account-settings")
