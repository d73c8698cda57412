"""One's own account: name, shortcuts, API tokens."""

import datetime as dt

import pytest
from django.urls import reverse
from knox.models import AuthToken

from accounts.services import create_token, revoke_token

pytestmark = pytest.mark.django_db
PAGE = reverse("account-settings")


def test_name_and_shortcuts_are_stored(client_as, stan):
    response = client_as(stan).post(PAGE, {"name": " Stanley Stone "}, follow=True)
    stan.refresh_from_db()
    assert stan.name == "Stanley Stone"
    assert not stan.single_keys
    assert 'data-keys="off"' in response.content.decode()


def test_an_empty_name_is_refused_and_nothing_changes(client_as, stan):
    response = client_as(stan).post(PAGE, {"name": " "})
    stan.refresh_from_db()
    assert response.status_code == 422
    assert "Write the name colleagues know you by." in response.content.decode()
    assert stan.name == "Stan Stone"


def test_html_in_a_name_is_text(client_as, stan):
    response = client_as(stan).post(PAGE, {"name": "<b>Stan</b>"}, follow=True)
    assert "<b>Stan</b>" not in response.content.decode()
    assert "&lt;b&gt;Stan&lt;/b&gt;" in response.content.decode()


def test_a_token_is_shown_once_and_stored_hashed(client_as, stan):
    client = client_as(stan)
    made = client.post(reverse("token-create"))
    assert made.status_code == 201
    assert made["Cache-Control"].count("no-store") == 1
    text = made.context["token"]
    row = AuthToken.objects.get(user=stan)
    assert text in made.content.decode()
    assert text not in client.get(PAGE).content.decode()
    assert row.token_key in client.get(PAGE).content.decode()
    assert text not in (row.digest, row.token_key)


def test_it_ends_after_its_time(stan, now, settings):
    _, row = create_token(user=stan, now=now)
    assert row.expiry == now + settings.REST_KNOX["TOKEN_TTL"]


def test_ended_tokens_are_not_listed(client_as, stan, now):
    _, row = create_token(user=stan, now=now - dt.timedelta(days=91))
    assert row.token_key not in client_as(stan).get(PAGE).content.decode()


def test_a_token_without_an_end_is_listed_and_can_be_revoked(client_as, stan):
    """The administration of an older release made them."""
    row, _ = AuthToken.objects.create(user=stan, expiry=None)
    client = client_as(stan)
    page = client.get(PAGE).text
    assert row.token_key in page
    assert "Never" in page
    client.post(reverse("token-revoke", args=[row.token_key]))
    assert not AuthToken.objects.exists()


def test_revoking_deletes_it(client_as, stan, now):
    _, row = create_token(user=stan, now=now)
    client = client_as(stan)
    again = reverse("token-revoke", args=[row.token_key])
    assert "… revoked." in client.post(again, follow=True).content.decode()
    assert not AuthToken.objects.exists()
    assert "revoked before" in client.post(again, follow=True).content.decode()


def test_nobody_revokes_somebody_elses(client_as, stan, rosa, now):
    _, row = create_token(user=stan, now=now)
    client_as(rosa).post(reverse("token-revoke", args=[row.token_key]))
    assert not revoke_token(user=rosa, key=row.token_key)
    assert AuthToken.objects.filter(pk=row.pk).exists()
