"""E-mails to the owner of an account when a way into it is added, changed or removed.

Whoever has somebody's password, or an open session of theirs, cannot do that unnoticed.
"""

import logging
import smtplib

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from accounts.installation import describe_installation
from accounts.models import User

logger = logging.getLogger(__name__)

TOKEN = "An API token was made. Programs that have it can do what you can."  # noqa: S105 - a sentence
FACTORS_RESET = (
    "An administrator of this installation removed your second factors and recovery codes, and "
    "signed you out everywhere. Sign in with your password, then add a new one."
)
INSTITUTION = "An account of your institution signs in to it from now on: {}."
# By allauth's names for them.
CHANGES = {
    "mfa/email/totp_activated": "An app that shows codes was added as a second factor.",
    "mfa/email/totp_deactivated": "The app that shows codes was removed.",
    "mfa/email/webauthn_added": "A security key was added as a second factor.",
    "mfa/email/webauthn_removed": "A security key was removed.",
    "mfa/email/recovery_codes_generated": "New recovery codes were made.",
    "account/email/password_changed": "The password was changed.",
    "account/email/password_reset": "A new password was chosen, with a link from an e-mail.",
}


def tell_owner(*, user: User, change: str, request: HttpRequest) -> None:
    """Tell the owner by e-mail once the change is stored. That it cannot be sent undoes nothing."""
    context = {
        "person": user,
        "change": change,
        "site": request.get_host(),
        "link": request.build_absolute_uri(reverse("account_reset_password")),
    }
    text = render_to_string("accounts/change_letter.txt", context)
    subject = f"Your {describe_installation().site} account was changed"

    def send() -> None:
        send_mail(subject, text, settings.DEFAULT_FROM_EMAIL, [user.email])

    transaction.on_commit(send, robust=True)


def send_password_link(*, user: User, link: str) -> bool:
    """Send a link on which the person chooses a password; return whether the e-mail was sent."""
    context = {"person": user, "link": link}
    text = render_to_string("accounts/password_letter.txt", context)
    try:
        send_mail("Choose a password for Ambit", text, settings.DEFAULT_FROM_EMAIL, [user.email])
    except (OSError, ValueError, smtplib.SMTPException):
        logger.exception("The link for a password could not be sent to account %s.", user.pk)
        return False
    return True
