"""Every page, in light and dark and at 320 px: axe finds nothing, nothing scrolls sideways.

Add a line to PAGES for each page you write: a name, who looks, and the address built from
tests.world (add the rows your page needs there). Where a page has states worth checking (a
dialog open, an error summary), give the third element more: a function of (page, world) that
goes there and brings the page into the state.
"""

import pytest
from allauth.account.forms import EmailAwarePasswordResetTokenGenerator
from allauth.account.utils import user_pk_to_url_str
from django.urls import reverse

from tests.browser.helpers import allow_problem, check_axe, check_reflow, sign_in


def url(name, *args):
    """Return a function of the world that gives the address; args are functions of it too."""
    return lambda world: reverse(name, args=[arg(world) for arg in args])


def slug(world):
    return world.slug


def refused_sign_in(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("account_login"))
    page.get_by_label("E-mail address").fill("nobody@example.org")
    page.get_by_label("Password").fill("not this one")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_text("There is a problem").wait_for()


def choose_password(page, world):
    user = world.people["annotator"]
    key = EmailAwarePasswordResetTokenGenerator().make_token(user)
    page.goto(reverse("account_reset_password_from_key", args=[user_pk_to_url_str(user), key]))
    page.get_by_label("New password, again").wait_for()


def new_token(page, world):
    page.goto(reverse("account-settings"))
    page.get_by_role("button", name="Make a token").click()
    page.get_by_text("Copy this token now").wait_for()


PAGES = [
    # name, persona, address of the world (or a function of (page, world) that goes there)
    ("sign in", "anonymous", url("account_login")),
    ("sign in refused", "anonymous", refused_sign_in),
    ("sign out", "annotator", url("account_logout")),
    ("account switched off", "anonymous", url("account_inactive")),
    ("reset password", "anonymous", url("account_reset_password")),
    ("reset password, sent", "anonymous", url("account_reset_password_done")),
    ("choose a new password", "anonymous", choose_password),
    ("reset password, done", "anonymous", url("account_reset_password_from_key_done")),
    ("change password", "annotator", url("account_change_password")),
    ("account", "annotator", url("account-settings")),
    ("account with a new token", "annotator", new_token),
]


@pytest.mark.parametrize(
    ("persona", "address"), [row[1:] for row in PAGES], ids=[row[0] for row in PAGES]
)
def test_page(page, world, persona, address):
    sign_in(page, world.people[persona])
    if address.__code__.co_argcount == 2:
        address(page, world)
    else:
        response = page.goto(address(world))
        assert response.status < 400, f"{page.url} answers {response.status}"
    assert page.locator("h1").first.is_visible()  # what has no size, axe passes over
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        check_axe(page, label=theme)
    check_reflow(page)


def test_every_name_is_there_once():
    names = [row[0] for row in PAGES]
    assert len(names) == len(set(names))
