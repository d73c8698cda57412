"""The pages of sign-in and of one's own account."""

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from django.core.cache import cache
from django.test import override_settings
from django.urls import reverse

from accounts.models import User
from tests.browser.helpers import allow_problem, sign_in
from tests.browser.pages.steps import refused, url, writes
from tests.browser.signing_in import (
    institution,
    password_again,
    signed_in_with_password,
    with_key,
)


def refused_sign_in(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("account_login"))
    page.get_by_label("E-mail address").fill("nobody@example.org")
    page.get_by_label("Password").fill("not this one")
    page.get_by_role("button", name="Sign in").click()
    page.locator("#summary").wait_for()


@writes
def described(page, world):
    """The first page of an installation that says all about itself."""
    said = {
        "OPERATOR": "Reading Lab, Lake University",
        "CONTACT_EMAIL": "help@lake.example",
        "CONTACT_HOURS": "answered on weekdays",
        "ETHICS_APPROVAL": "Lake University, 2026-114",
        "PUBLICATIONS_URL": "https://lake.example/data",
    }
    with override_settings(**said):
        page.goto(reverse("home"))
    page.get_by_text("Ethics approval").wait_for()


@writes
def first_run(page, world):
    """Nobody can sign in: the accounts of the world are switched off."""
    User.objects.update(is_active=False)
    page.goto(reverse("home"))
    page.get_by_role("heading", name="Almost ready").wait_for()


@writes
def choose_password(page, world):
    user = world.people["annotator"]
    key = EmailAwarePasswordResetTokenGenerator().make_token(user)
    page.goto(reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), key]))
    page.get_by_label("New password, again").wait_for()


@writes
def no_password(page, world):
    user = world.people["annotator"]
    user.set_unusable_password()
    user.save()
    sign_in(page, user)
    page.goto(reverse("account_change_password"))
    page.get_by_role("heading", name="You have no password").wait_for()


@writes
def new_token(page, world):
    page.goto(reverse("account-settings"))
    page.get_by_role("button", name="Create a token").click()
    page.get_by_text("Copy this token now").wait_for()


def after_password(name, *args):
    """Return a function that opens a page which asks for the password first."""

    @writes
    def go(page, world):
        page.goto(reverse(name, args=args))
        password_again(page)
        page.wait_for_url(f"**{reverse(name, args=args)}")

    return go


CODES = {"migrated_codes": ["12345678", "23456789"]}


@writes
def recovery_codes(page, world):
    user = world.people["annotator"]
    Authenticator.objects.create(user=user, type="totp", data={})
    Authenticator.objects.create(user=user, type="recovery_codes", data=CODES)
    after_password("mfa_generate_recovery_codes")(page, world)
    page.goto(reverse("mfa_view_recovery_codes"))
    page.get_by_text("12345678").wait_for()


@writes
def factors(page, world):
    user = world.people["annotator"]
    for kind, data in (("totp", {}), ("webauthn", {"name": "Blue key"}), ("recovery_codes", CODES)):
        Authenticator.objects.create(user=user, type=kind, data=data)
    page.goto(reverse("mfa_index"))
    page.get_by_text("Blue key").wait_for()


@writes
def second_factor(page, world):
    user = world.people["annotator"]
    Authenticator.objects.create(user=user, type="totp", data={"secret": "A" * 32})
    signed_in_with_password(page, user)


@writes
def second_factor_refused(page, world):
    cache.clear()
    allow_problem(page, "status of 422")
    second_factor(page, world)
    page.get_by_role("textbox", name="Code").fill("000000")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def key_asked(page, world):
    """The second factor of somebody whose only one is a key."""
    cache.clear()
    user = world.people["annotator"]
    with_key(page, user)
    page.context.clear_cookies()
    signed_in_with_password(page, user)
    page.get_by_role("button", name="Use a security key").wait_for()


def code_again(page, world):
    page.goto(reverse("mfa_reauthenticate"))
    page.get_by_label("Code").wait_for()


@writes
def key_again(page, world):
    cache.clear()
    with_key(page, world.people["annotator"])
    page.goto(reverse("mfa_reauthenticate_webauthn"))
    page.get_by_role("button", name="Use a security key").wait_for()


@writes
def key_removed(page, world):
    data = {"name": "Blue key"}
    key = Authenticator.objects.create(user=world.people["annotator"], type="webauthn", data=data)
    after_password("mfa_remove_webauthn", key.pk)(page, world)


def with_app(go):
    """Return a function that opens a page as somebody who has an app."""

    @writes
    def go_there(page, world):
        Authenticator.objects.create(user=world.people["annotator"], type="totp", data={})
        go(page, world)

    return go_there


def staff_led_to(way, words):
    """Return a function that opens a page as staff who have not signed in as they must."""

    def go(page, world):
        with override_settings(STAFF_SIGN_IN=way):
            page.goto(reverse("home"))
        page.get_by_text(words).wait_for()

    return go


def institution_button(page, world):
    with institution(page):
        page.goto(reverse("account_login"))
        page.get_by_role("button", name="Sign in at Lake University").wait_for()


@writes
def not_invited(page, world):
    allow_problem(page, "status of 403")
    with institution(page, email="nobody@example.org", email_verified=True):
        page.goto(reverse("account_login"))
        page.get_by_role("button", name="Sign in at Lake University").click()
        page.get_by_text("Nobody has been invited").wait_for()


def institution_down(page, world):
    allow_problem(page, "status of 503")
    with institution(page, "http://127.0.0.1:9"):
        page.goto(reverse("account_login"))
        page.get_by_role("button", name="Sign in at Lake University").click()
        page.get_by_text("did not sign you in").wait_for()


def too_many_attempts(page, world):
    allow_problem(page, "status of 4")
    for _ in range(6):
        refused_sign_in(page, world)
    page.get_by_text("Too many attempts").wait_for()


PAGES = [
    ("first page", "anonymous", url("home")),
    ("first page, all is said", "anonymous", described),
    ("first page of a new installation", "anonymous", first_run),
    ("what is kept about you", "anonymous", url("about-data")),
    ("sign in", "anonymous", url("account_login")),
    ("sign in refused", "anonymous", refused_sign_in),
    ("sign in, too many attempts", "anonymous", too_many_attempts),
    ("sign out", "annotator", url("account_logout")),
    ("account switched off", "anonymous", url("account_inactive")),
    ("reset password", "anonymous", url("account_reset_password")),
    ("reset password, sent", "anonymous", url("account_reset_password_done")),
    ("choose a new password", "anonymous", choose_password),
    ("reset password, done", "anonymous", url("account_reset_password_from_key_done")),
    ("change password", "annotator", url("account_change_password")),
    ("change password, there is none", "annotator", no_password),
    ("account", "annotator", url("account-settings")),
    ("account with a new token", "annotator", new_token),
    ("password again", "annotator", url("account_reauthenticate")),
    ("second factors", "annotator", factors),
    ("second factor asked", "anonymous", second_factor),
    ("second factor, add an app", "annotator", after_password("mfa_activate_totp")),
    ("second factor, add a key", "annotator", after_password("mfa_add_webauthn")),
    ("recovery codes", "annotator", recovery_codes),
    ("second factors, none yet", "annotator", url("mfa_index")),
    (
        "second factors, staff must",
        "researcher",
        staff_led_to("second-factor", "Staff need a second factor"),
    ),
    ("account, staff must", "researcher", staff_led_to("institution", "Staff sign in at their")),
    ("second factor refused", "anonymous", second_factor_refused),
    ("second factor, a key asked", "anonymous", key_asked),
    ("second factor, remove the app", "annotator", with_app(after_password("mfa_deactivate_totp"))),
    ("second factor, remove a key", "annotator", key_removed),
    (
        "code again",
        "annotator",
        with_app(code_again),
    ),
    ("key again", "anonymous", key_again),
    (
        "recovery codes, new ones",
        "annotator",
        with_app(after_password("mfa_generate_recovery_codes")),
    ),
    ("sign up", "anonymous", refused(url("account_signup"), 403)),
    ("sign in, at an institution", "anonymous", institution_button),
    ("institution, not invited", "anonymous", not_invited),
    ("institution, not to be reached", "anonymous", institution_down),
    ("institution cancelled", "anonymous", url("socialaccount_login_cancelled")),
]
