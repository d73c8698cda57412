"""Second factors: added, asked for, lost, and demanded of staff."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from knox.models import AuthToken

from accounts.services import password_link
from tests import factories

pytestmark = pytest.mark.django_db
LOGIN, FACTOR = reverse("account_login"), reverse("mfa_authenticate")


@pytest.fixture(autouse=True)
def no_attempts_yet():
    cache.clear()


def code_of(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def sign_in(user):
    client = Client()
    answer = client.post(LOGIN, {"login": user.email, "password": factories.PASSWORD})
    assert answer.status_code == 302
    return client, answer


def again(client, address):
    """Follow a page to where the password is asked again, and give it."""
    answer = client.get(address)
    assert answer["Location"].startswith(reverse("account_reauthenticate"))
    assert client.post(answer["Location"], {"password": "wrong"}).status_code == 422
    answer = client.post(answer["Location"], {"password": factories.PASSWORD})
    assert answer["Location"] == address
    return client.get(address)


def with_app(user):
    """Add an app as a person does; return the secret and the recovery codes."""
    client, _ = sign_in(user)
    return add_app(client)


def add_app(client):
    page = again(client, reverse("mfa_activate_totp"))
    [secret] = re.findall(r"<code>([A-Z2-7]{32})</code>", page.text)
    wrong = client.post(reverse("mfa_activate_totp"), {"code": "000000"})
    assert wrong.status_code == 422
    done = client.post(reverse("mfa_activate_totp"), {"code": code_of(secret)})
    assert done["Location"] == reverse("mfa_view_recovery_codes")
    codes = re.findall(r"<li><code>(\d{8})</code></li>", client.get(done["Location"]).text)
    assert len(codes) == 10
    return secret, codes


def test_the_code_is_asked_for_after_the_password(stan):
    secret, _ = with_app(stan)
    client, answer = sign_in(stan)
    assert answer["Location"] == FACTOR
    assert "_auth_user_id" not in client.session
    assert client.get(reverse("account-settings")).status_code == 302
    assert client.post(FACTOR, {"code": "000000"}).status_code == 422
    cache.clear()  # a code that was used is refused a second time
    assert client.post(FACTOR, {"code": code_of(secret)}).status_code == 302
    assert client.get(reverse("account-settings")).status_code == 200


def test_a_recovery_code_works_once(stan):
    _, codes = with_app(stan)
    for status in (302, 422):
        client, _ = sign_in(stan)
        assert client.post(FACTOR, {"code": codes[0]}).status_code == status


def test_wrong_codes_are_limited(stan):
    with_app(stan)
    client, _ = sign_in(stan)
    statuses = [client.post(FACTOR, {"code": "000000"}).status_code for _ in range(6)]
    assert statuses[-1] == 429


def test_the_app_is_removed_after_the_password(stan):
    with_app(stan)
    remove = reverse("mfa_deactivate_totp")
    client, stolen = Client(), Client()
    for each in (client, stolen):
        each.force_login(stan)
    assert stolen.post(remove).status_code == 302
    assert Authenticator.objects.filter(user=stan).count() == 2
    again(client, remove)
    assert client.post(remove)["Location"] == reverse("mfa_index")
    assert not Authenticator.objects.filter(user=stan).exists()
    _, answer = sign_in(stan)
    assert answer["Location"] == reverse("home")


def test_a_page_about_security_keys_offers_no_keyboard_shortcuts(client, stan):
    data = {"name": "Blue key"}
    key = Authenticator.objects.create(user=stan, type="webauthn", data=data)
    client.force_login(stan)
    page = client.get(reverse("mfa_index")).text
    assert "Remove the key Blue key" in page
    assert "Keyboard shortcuts" not in page
    page = again(client, reverse("mfa_remove_webauthn", args=[key.pk])).text
    assert "“Blue key” will no longer sign you in." in page


def test_used_recovery_codes_are_counted(client, stan):
    codes = {"migrated_codes": ["12345678"]}
    row = Authenticator.objects.create(user=stan, type="recovery_codes", data=codes)
    client.force_login(stan)
    assert "1 left." in client.get(reverse("mfa_index")).text
    assert row.wrap().validate_code("12345678")
    assert "You have used all of them." in client.get(reverse("mfa_index")).text


def test_nobody_removes_the_key_of_somebody_else(stan, rosa):
    key = Authenticator.objects.create(user=rosa, type="webauthn", data={"name": "Rosa's key"})
    client, _ = sign_in(stan)
    remove = reverse("mfa_remove_webauthn", args=[key.pk])
    assert again(client, remove).status_code == 404
    assert client.post(remove).status_code == 404
    assert Authenticator.objects.filter(pk=key.pk).exists()


class TestDemandedOfStaff:
    @pytest.fixture(autouse=True)
    def demanded(self, settings):
        settings.STAFF_SIGN_IN = "second-factor"

    def test_staff_without_one_are_led_to_the_page(self, client, project, rosa, ada):
        boss = factories.make_user(is_staff=True)
        for person in (rosa, ada, boss):
            client.force_login(person)
            assert client.get(reverse("home"))["Location"] == reverse("mfa_index")
            assert "Staff need a second factor here." in client.get(reverse("mfa_index")).text
            answer = client.get(reverse("home"), headers={"Accept": "application/json"})
            assert (answer.status_code, "second factor" in answer.text) == (403, True)
            answer = client.post(reverse("project-state", args=[project.slug]), {"state": "paused"})
            assert answer.status_code == 403
        project.refresh_from_db()
        assert project.state == "running"

    def test_their_tokens_are_worth_nothing_either(self, client, project, rosa, ann):
        for person, status in ((rosa, 403), (ann, 200)):
            header = {"Authorization": f"Token {AuthToken.objects.create(person)[1]}"}
            assert client.get(reverse("api-projects"), headers=header).status_code == status
        Authenticator.objects.create(user=rosa, type="totp", data={})
        header = {"Authorization": f"Token {AuthToken.objects.create(rosa)[1]}"}
        assert client.get(reverse("api-projects"), headers=header).status_code == 200

    def test_everybody_else_goes_on_at_the_cost_of_one_statement(self, client, ann, settings):
        client.force_login(ann)
        client.get(reverse("home"))
        counts = []
        for way in ("password", "second-factor"):
            settings.STAFF_SIGN_IN = way
            with CaptureQueriesContext(connection) as queries:
                assert client.get(reverse("home")).status_code == 200
            counts.append(len(queries))
        assert counts[1] == counts[0] + 1

    def test_recovery_codes_alone_are_not_one(self, client, rosa):
        Authenticator.objects.create(user=rosa, type="recovery_codes", data={})
        client.force_login(rosa)
        assert client.get(reverse("home")).status_code == 302
        Authenticator.objects.create(user=rosa, type="webauthn", data={})
        assert client.get(reverse("home")).status_code == 200


def choose_password(user):
    """Choose a password by the link that a person gets; return the client and the answer."""
    client = Client()
    user.refresh_from_db()  # a link is for the last time that they signed in
    form = client.get(password_link(user))["Location"]
    chosen = "a long walk by the river"
    return client, client.post(form, {"password1": chosen, "password2": chosen})


def test_who_chooses_a_password_is_signed_in(stan):
    client, answer = choose_password(stan)
    assert answer["Location"] == reverse("home")
    assert client.session["_auth_user_id"] == str(stan.pk)


def test_who_chooses_a_password_is_still_asked_for_the_second_factor(stan):
    with_app(stan)
    client, answer = choose_password(stan)
    assert answer["Location"] == FACTOR
    assert "_auth_user_id" not in client.session
