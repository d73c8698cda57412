"""Sign-in at an institution, against one on this machine that speaks OpenID Connect."""

from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.socialaccount.models import SocialAccount
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken

from config import openid
from tests import factories
from tests.accounts.openid import Institution, serving

pytestmark = pytest.mark.django_db
THERE = reverse("openid_connect_login", args=["institution"])
BACK = reverse("openid_connect_callback", args=["institution"])


@pytest.fixture
def institution(settings, monkeypatch):
    with serving() as address:
        monkeypatch.setenv("OIDC_URL", address)
        monkeypatch.setenv("OIDC_CLIENT_ID", "ambit")
        monkeypatch.setenv("OIDC_CLIENT_SECRET", "s3cret")
        monkeypatch.setenv("OIDC_NAME", "Lake University")
        settings.SOCIALACCOUNT_PROVIDERS = openid.build_providers()
        yield Institution


def go(client, **claims):
    """Press the button, be recognised over there as these claims say, and come back."""
    Institution.claims = {"sub": "u-17", "email_verified": True, **claims}
    sent = client.post(THERE)
    assert sent.status_code == 302
    query = parse_qs(urlsplit(sent["Location"]).query)
    assert {"state", "code_challenge", "redirect_uri"} <= set(query)
    return client.get(BACK, {"code": "once", "state": query["state"][0]})


def signed_in(client):
    return client.session.get("_auth_user_id")


def test_the_button_is_there_and_only_where_an_institution_is_set(
    client, institution, settings, stan
):
    assert "Sign in at Lake University" in client.get(reverse("account_login")).text
    settings.SOCIALACCOUNT_PROVIDERS = {}
    assert THERE not in client.get(reverse("account_login")).text


def test_people_are_known_by_their_address_and_then_by_their_name_there(client, institution, stan):
    assert go(client, email=stan.email.upper()).status_code == 302
    assert signed_in(client) == str(stan.pk)
    assert "code_verifier" in institution.asked[0]
    assert SocialAccount.objects.get().user == stan
    other = Client()
    assert go(other, email="changed@example.org").status_code == 302
    assert signed_in(other) == str(stan.pk)
    # The password still works.
    assert Client().login(email=stan.email, password=factories.PASSWORD)


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"email": "nobody@example.org"}, "Nobody has been invited"),
        ({"email": "stan@example.org", "email_verified": False}, "has not verified"),
        ({"email": "stan@example.org", "email_verified": "false"}, "has not verified"),
        ({}, "did not tell your e-mail address"),
        ({"email": ["stan@example.org"]}, "did not tell your e-mail address"),
    ],
)
def test_nobody_else_is_let_in(client, institution, claims, words):
    factories.make_user(email="stan@example.org")
    answer = go(client, **claims)
    assert answer.status_code == 403
    assert words in answer.text
    assert not signed_in(client)
    assert not SocialAccount.objects.exists()


def test_an_installation_may_trust_addresses_that_are_not_said_to_be_verified(
    client, institution, stan, settings
):
    settings.OIDC_TRUST_EMAIL = True
    go(client, email=stan.email, email_verified=False)
    assert signed_in(client) == str(stan.pk)


def test_a_link_does_not_sign_anybody_in(client, institution, stan):
    assert client.get(THERE).status_code == 405
    answer = client.get(BACK, {"code": "once", "state": "forged"})
    assert not signed_in(client)
    assert answer.status_code in (200, 401, 403)
    assert "did not sign you in" in answer.text


def test_an_institution_that_does_not_answer_is_named_as_the_reason(client, institution, settings):
    app = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"][0]
    app["settings"] = {"server_url": "http://127.0.0.1:9"}
    answer = client.post(THERE)
    assert answer.status_code == 503
    assert "did not sign you in" in answer.text


def test_staff_may_be_asked_to_come_from_there(client, institution, rosa, settings):
    settings.STAFF_SIGN_IN = "institution"
    client.force_login(rosa)
    assert client.get(reverse("home"))["Location"] == reverse("account-settings")
    other = Client()
    go(other, email=rosa.email)
    assert other.get(reverse("home")).status_code == 200


def move(settings, address):
    """Set another institution in place of the one that is there."""
    [app] = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
    app["settings"] = {"server_url": address}


class TestAnotherInstitution:
    """What an institution calls people is theirs alone: another one may call others the same."""

    def test_whoever_has_the_same_name_there_is_somebody_else(
        self, client, institution, stan, settings
    ):
        go(client, email=stan.email)
        with serving() as other:
            move(settings, other)
            answer = go(Client(), email="nobody@example.org")
            assert answer.status_code == 403
            # By their address people are known again.
            again = Client()
            go(again, email=stan.email)
            assert signed_in(again) == str(stan.pk)

    def test_the_same_one_may_be_written_with_its_place_of_settings(
        self, client, institution, stan, settings
    ):
        go(client, email=stan.email)
        [app] = settings.SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"]
        move(settings, f"{app['settings']['server_url']}/.well-known/openid-configuration")
        again = Client()
        go(again, email="changed@example.org")
        assert signed_in(again) == str(stan.pk)

    def test_having_come_from_the_former_one_is_not_what_staff_need(
        self, client, institution, rosa, settings
    ):
        settings.STAFF_SIGN_IN = "institution"
        header = {"Authorization": f"Token {AuthToken.objects.create(rosa)[1]}"}
        go(client, email=rosa.email)
        assert Client().get(reverse("api-projects"), headers=header).status_code == 200
        move(settings, "https://elsewhere.example")
        assert Client().get(reverse("api-projects"), headers=header).status_code == 403
        settings.SOCIALACCOUNT_PROVIDERS = {}
        assert Client().get(reverse("api-projects"), headers=header).status_code == 403


def test_who_inherits_an_address_there_does_not_inherit_the_account(client, institution, stan):
    go(client, email=stan.email)
    heir = Client()
    answer = go(heir, sub="u-18", email=stan.email)
    assert answer.status_code == 403
    assert "with another account of your institution" in answer.text
    assert not signed_in(heir)
    assert SocialAccount.objects.count() == 1
    SocialAccount.objects.all().delete()  # as the installation's staff do
    go(heir, sub="u-18", email=stan.email)
    assert signed_in(heir) == str(stan.pk)


def test_names_of_any_length_are_kept_whole(client, institution, stan, rosa):
    for end, person in (("1", stan), ("2", rosa)):
        go(client, sub="u" * 189 + end, email=person.email)
        assert signed_in(client) == str(person.pk)


def test_settings_that_do_not_fit_are_refused_by_name(monkeypatch):
    monkeypatch.setenv("OIDC_URL", "https://login.example")
    with pytest.raises(ImproperlyConfigured, match="OIDC_CLIENT_ID and OIDC_CLIENT_SECRET"):
        openid.build_providers()
    monkeypatch.setenv("OIDC_CLIENT_ID", "ambit")
    monkeypatch.setenv("OIDC_CLIENT_SECRET", "s3cret")
    monkeypatch.setenv("OIDC_URL", "http://login.example")
    with pytest.raises(ImproperlyConfigured, match="https://"):
        openid.build_providers()
    monkeypatch.setenv("OIDC_URL", "https://login.example/realms/lake")
    assert openid.list_form_origins(openid.build_providers()) == ["https://login.example"]
