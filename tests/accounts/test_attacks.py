"""What someone may try with a password, a session or an account elsewhere that is not enough."""

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from accounts.services import create_participant, create_token
from tests import factories
from tests.accounts.test_factors import add_app, again, with_app
from tests.accounts.test_institution import Institution, go, institution, signed_in

pytestmark = pytest.mark.django_db
LOGIN, TOKENS = reverse("account_login"), reverse("token-create")
NEW = "another long passphrase"
assert institution  # a fixture


@pytest.fixture(autouse=True)
def no_attempts_yet():
    cache.clear()


def by_password(user):
    client = Client()
    client.post(LOGIN, {"login": user.email, "password": factories.PASSWORD})
    return client


def can_use(token):
    headers = {"Authorization": f"Token {token}"}
    return Client().get(reverse("api-projects"), headers=headers).status_code == 200


class TestTokens:
    """A token is a way in that knows neither password nor second factor."""

    @pytest.mark.parametrize("way", ["second-factor", "institution"])
    def test_staff_who_came_by_password_alone_cannot_make_one(self, rosa, project, settings, way):
        settings.STAFF_SIGN_IN = way
        SocialAccount.objects.create(user=rosa, provider="institution", uid="u-1")
        client = by_password(rosa)
        assert client.get(reverse("account-settings")).status_code == 200
        assert client.post(TOKENS).status_code == 403
        assert not AuthToken.objects.exists()

    def test_who_has_a_second_factor_is_asked_again_before_one_is_made(self, stan):
        with_app(stan)
        stolen = Client()
        stolen.force_login(stan)
        answer = stolen.post(TOKENS)
        assert answer["Location"].startswith(reverse("account_reauthenticate"))
        assert not AuthToken.objects.exists()
        assert stolen.post(answer["Location"], {"password": "a guess"}).status_code == 422
        answer = stolen.post(answer["Location"], {"password": factories.PASSWORD})
        assert answer.status_code == 201
        assert "Copy this token now" in answer.text
        assert AuthToken.objects.filter(user=stan).count() == 1

    def test_a_changed_password_ends_them(self, stan, rosa):
        own, other = (create_token(user=user, now=timezone.now())[0] for user in (stan, rosa))
        assert can_use(own)
        client = by_password(stan)
        fields = {"oldpassword": factories.PASSWORD, "password1": NEW, "password2": NEW}
        assert client.post(reverse("account_change_password"), fields).status_code == 302
        assert not can_use(own)
        assert can_use(other)

    def test_so_does_a_forgotten_one(self, stan):
        token, _ = create_token(user=stan, now=timezone.now())
        elsewhere, client = by_password(stan), Client()
        client.post(reverse("account_reset_password"), {"email": stan.email})
        [link] = [word for word in mail.outbox[0].body.split() if "/key/" in word]
        page = client.get(link, follow=True).redirect_chain[-1][0]
        assert client.post(page, {"password1": NEW, "password2": NEW}).status_code == 302
        assert not can_use(token)
        assert signed_in(client)  # as the one who could read the letter
        assert elsewhere.get(reverse("account-settings")).status_code == 302

    def test_and_one_that_the_installation_sets(self, stan, tmp_path):
        token, _ = create_token(user=stan, now=timezone.now())
        (tmp_path / "password").write_text(NEW)
        call_command("create_admin", stan.email, password_file=str(tmp_path / "password"))
        assert not can_use(token)

    def test_and_a_password_that_is_switched_off(self, stan):
        token, _ = create_token(user=stan, now=timezone.now())
        stan.set_unusable_password()
        stan.save()
        assert not can_use(token)
        # Whoever comes from the institution has none, and keeps theirs.
        token, _ = create_token(user=stan, now=timezone.now())
        stan.save()
        assert can_use(token)

    def test_and_the_first_second_factor(self, stan):
        """One that was made with a stolen password was made without it."""
        token, _ = create_token(user=stan, now=timezone.now())
        with_app(stan)
        assert not can_use(token)

    def test_but_not_the_next_one(self, stan):
        Authenticator.objects.create(user=stan, type="webauthn", data={"name": "Blue key"})
        token, _ = create_token(user=stan, now=timezone.now())
        client = Client()
        client.force_login(stan)
        add_app(client)
        assert can_use(token)

    def test_signing_in_and_a_new_name_leave_them(self, stan):
        token, _ = create_token(user=stan, now=timezone.now())
        by_password(stan).post(reverse("account-settings"), {"name": "Stanley Stone"})
        assert can_use(token)


class TestSecondFactors:
    def test_a_forgotten_password_does_not_get_around_them(self, stan):
        with_app(stan)
        client = Client()
        client.post(reverse("account_reset_password"), {"email": stan.email})
        [link] = [word for word in mail.outbox[0].body.split() if "/key/" in word]
        page = client.get(link, follow=True).redirect_chain[-1][0]
        client.post(page, {"password1": NEW, "password2": NEW})
        assert not signed_in(client)
        answer = client.post(LOGIN, {"login": stan.email, "password": NEW})
        assert answer["Location"] == reverse("mfa_authenticate")
        assert not signed_in(client)

    def test_nor_does_the_institution(self, institution, stan):
        with_app(stan)
        client = Client()
        assert go(client, email=stan.email)["Location"] == reverse("mfa_authenticate")
        assert not signed_in(client)

    def test_a_password_alone_adds_no_first_one_where_the_institution_has_one(
        self, institution, rosa, settings
    ):
        """It would be the password that opens everything, and not the second factor."""
        settings.STAFF_SIGN_IN = "second-factor"
        there = Client()
        go(there, email=rosa.email)
        thief = by_password(rosa)
        for name in ("mfa_activate_totp", "mfa_add_webauthn"):
            assert thief.post(reverse(name), {"code": "000000"}).status_code == 403
            page = thief.get(reverse(name), follow=True)
            assert page.redirect_chain == [(reverse("mfa_index"), 302)]
            assert "Sign in at your institution to add your first second factor." in page.text
        assert again(there, reverse("mfa_activate_totp")).status_code == 200

    def test_nor_do_pages_that_come_after_them(self, stan):
        with_app(stan)
        client = by_password(stan)
        for name in ("mfa_index", "mfa_view_recovery_codes", "account-settings"):
            answer = client.get(reverse(name))
            assert answer.status_code == 302
            assert LOGIN in answer["Location"]
        assert client.get(reverse("home"))["Location"] == reverse("mfa_authenticate")
        headers = {"Accept": "application/json"}
        assert client.get(reverse("api-projects"), headers=headers).status_code == 401

    def test_a_session_alone_neither_shows_nor_changes_them(self, stan):
        with_app(stan)
        stolen = Client()
        stolen.force_login(stan)
        before = list(Authenticator.objects.order_by("pk").values_list("pk", "data"))
        for name in (
            "mfa_view_recovery_codes",
            "mfa_generate_recovery_codes",
            "mfa_deactivate_totp",
            "mfa_add_webauthn",
        ):
            assert "reauthenticate" in stolen.get(reverse(name))["Location"], name
            assert stolen.post(reverse(name)).status_code in (302, 405), name
        assert list(Authenticator.objects.order_by("pk").values_list("pk", "data")) == before


class TestInstitution:
    def test_a_letter_that_only_looks_the_same_is_another_address(self, institution):
        """The Kelvin sign in lower case is a k."""
        mike = factories.make_user(email="mike@example.org")
        client = Client()
        assert go(client, email="mi\N{KELVIN SIGN}e@example.org").status_code == 403
        assert not signed_in(client)
        assert not SocialAccount.objects.filter(user=mike).exists()

    def test_participants_and_people_who_are_switched_off_are_not_found(self, institution):
        off = factories.make_user(email="off@example.org", is_active=False)
        for person in (create_participant(), off):
            client = Client()
            assert go(client, email=person.email).status_code == 403
            assert not signed_in(client)
        assert not SocialAccount.objects.exists()

    def test_nobody_adds_their_own_institution_account_to_a_session_of_someone_else(
        self, institution, stan, rosa
    ):
        client = Client()
        client.force_login(stan)
        Institution.claims = {"sub": "u-9", "email": rosa.email, "email_verified": True}
        for process in ("connect", "redirect"):
            sent = client.post(
                f"{reverse('openid_connect_login', args=['institution'])}?process={process}"
            )
            state = dict(part.split("=") for part in sent["Location"].partition("?")[2].split("&"))
            client.get(
                reverse("openid_connect_callback", args=["institution"]),
                {"code": "once", "state": state["state"]},
            )
            assert not SocialAccount.objects.filter(user=stan).exists()
