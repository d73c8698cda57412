"""The owner of an account is told by e-mail when a way into it is added, changed or removed."""

import re

import pytest
from allauth.core import context
from django.conf import settings
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts import letters
from accounts.adapter import AccountAdapter
from tests import factories
from tests.accounts.test_factors import add_app, again, sign_in, with_app
from tests.accounts.test_institution import go, institution

pytestmark = pytest.mark.django_db
LETTERS = [
    path
    for path in sorted(settings.BASE_DIR.glob("templates/**/*.txt"))
    if path.name.endswith(("_letter.txt", "_message.txt"))
]
NEW = {"password1": "a bridge over the water", "password2": "a bridge over the water"}
assert institution  # a fixture


@pytest.fixture
def letter(django_capture_on_commit_callbacks, stan):
    """Do something, and return the one letter that its owner gets."""

    def sent_for(act, *args):
        mail.outbox.clear()
        with django_capture_on_commit_callbacks(execute=True):
            act(*args)
        [letter] = mail.outbox
        assert letter.to == [stan.email]
        assert letter.subject == "Your Ambit account was changed"
        assert letter.body.startswith("Hello Stan Stone,")
        assert "http://testserver/account/password/reset/" in letter.body
        return letter.body

    return sent_for


def test_an_app_that_is_added_and_removed(stan, letter):
    assert "An app that shows codes was added" in letter(with_app, stan)
    client = Client()
    client.force_login(stan)
    remove = reverse("mfa_deactivate_totp")
    again(client, remove)
    assert "The app that shows codes was removed" in letter(client.post, remove)


def test_new_recovery_codes(stan, letter):
    with_app(stan)
    client = Client()
    client.force_login(stan)
    make = reverse("mfa_generate_recovery_codes")
    again(client, make)
    assert "New recovery codes were made" in letter(client.post, make)


def test_a_password_that_is_changed(client_as, stan, letter):
    fields = NEW | {"oldpassword": factories.PASSWORD}
    body = letter(client_as(stan).post, reverse("account_change_password"), fields)
    assert "The password was changed." in body


def test_a_password_that_is_chosen_by_a_link(stan, letter):
    client = Client()
    client.post(reverse("account_reset_password"), {"email": stan.email})
    link = re.search(r"http://testserver(\S+/key/\S+)", mail.outbox[0].body)[1]
    page = client.get(link, follow=True).redirect_chain[-1][0]
    assert "A new password was chosen" in letter(client.post, page, NEW)


def test_an_account_at_the_institution(institution, stan, letter):
    body = letter(lambda: go(Client(), email=stan.email))
    assert "signs in to it from now on: Lake University" in body


def test_a_token(client_as, stan, letter):
    assert "An API token was made" in letter(client_as(stan).post, reverse("token-create"))


def test_every_change_has_its_words(rf, stan, letter):
    for name, words in letters.CHANGES.items():
        with context.request_context(rf.get("/")):
            assert words in letter(AccountAdapter().send_notification_mail, name, stan)


def test_a_mail_server_that_is_down_undoes_nothing(
    stan, monkeypatch, django_capture_on_commit_callbacks
):
    def down(*_, **__):
        raise OSError("There is no mail server.")

    monkeypatch.setattr(letters, "send_mail", down)
    client, _ = sign_in(stan)
    with django_capture_on_commit_callbacks(execute=True):
        add_app(client)
    assert client.get(reverse("mfa_index")).text.count("Remove the app") == 1


@pytest.mark.parametrize("path", LETTERS, ids=lambda path: path.name)
def test_every_letter_ends_with_who_sent_it(path):
    assert len(LETTERS) >= 5
    assert '{% include "accounts/_letter_end.txt" %}{% endautoescape %}' in path.read_text()
