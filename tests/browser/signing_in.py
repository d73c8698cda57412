"""Steps of signing in: passwords, security keys, an institution."""

import copy
import re
from contextlib import contextmanager

from allauth.mfa.models import Authenticator
from csp.utils import build_policy
from django.conf import settings
from django.test import override_settings
from django.urls import reverse

from config import openid
from tests import factories
from tests.accounts.openid import Institution, serving
from tests.browser.helpers import sign_in


def password_again(page):
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Continue").click()


def signed_in_with_password(page, user):
    """Give the password of somebody who is then asked for a second factor."""
    page.goto(reverse("account_login"))
    page.get_by_label("E-mail address").fill(user.email)
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Second factor").wait_for()


def plug_in(page):
    """Give the browser a security key of its own kind, that needs no touch."""
    tools = page.context.new_cdp_session(page)
    tools.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "usb", "isUserVerified": True}
    options |= {"hasUserVerification": True, "automaticPresenceSimulation": True}
    tools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    return tools


def with_key(page, user):
    """Sign somebody in who adds a security key, as they do it; return the codes they got."""
    plug_in(page)
    sign_in(page, user)
    page.goto(reverse("account-settings"))
    page.get_by_role("link", name="Second factors").click()
    page.get_by_role("link", name="Add a key").click()
    password_again(page)
    page.get_by_label("Name of the key").fill("Blue key")
    page.get_by_role("button", name="Add the key").click()
    page.get_by_role("heading", name="Recovery codes").wait_for()
    codes = page.locator("#codes code").all_inner_texts()
    page.get_by_role("link", name="Done").click()
    page.get_by_text("Blue key").wait_for()
    assert Authenticator.objects.filter(user=user, type="webauthn").count() == 1
    return codes


@contextmanager
def institution(page, address=None, **claims):
    """Sign-in at an institution that says this of whoever comes; `address` leads elsewhere."""
    with serving() as here:
        Institution.claims = {"sub": "u-17", **claims}
        app = {"provider_id": "institution", "name": "Lake University", "client_id": "ambit"}
        app |= {"secret": "s3cret", "settings": {"server_url": address or here}}
        configured = {"openid_connect": {"APPS": [app], "OAUTH_PKCE_ENABLED": True}}
        with override_settings(SOCIALACCOUNT_PROVIDERS=configured):
            _let_forms_lead(page, openid.list_form_origins(configured))
            yield Institution


def _let_forms_lead(page, origins):
    """Give the sign-in page the policy that it has where the server starts with the institution."""
    policy = copy.deepcopy(settings.CONTENT_SECURITY_POLICY)
    policy["DIRECTIVES"]["form-action"] += origins
    with override_settings(CONTENT_SECURITY_POLICY=policy):
        header = build_policy()

    def change(route):
        response = route.fetch(max_redirects=0)
        headers = response.headers | {"content-security-policy": header}
        route.fulfill(response=response, headers=headers)

    page.route(re.compile(r"/account/login/"), change)
