"""The address of an account: changed, it opens the account, and the former one opens nothing."""

import pytest
from django.core import mail
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from accounts.models import User
from accounts.services import password_link
from tests import factories

pytestmark = pytest.mark.django_db
LOGIN = reverse("account_login")
OLD, NEW = "stan@example.org", "Stan@New.example"


@pytest.fixture
def stan():
    """Someone who has had a link to choose a password at the former address."""
    user = factories.make_user("Stan Stone", OLD)
    user.link = password_link(user)
    return user


def correct(user, address):
    """Change the address as an administrator does."""
    chief = Client()
    chief.force_login(factories.make_user("Chief", is_staff=True, is_superuser=True))
    fields = {"email": address, "name": user.name, "keys": "{}", "is_active": "on"}
    return chief.post(reverse("admin:accounts_user_change", args=[user.pk]), fields)


def sign_in(address):
    return Client().post(LOGIN, {"login": address, "password": factories.PASSWORD})


def letters_of(address):
    mail.outbox.clear()
    Client().post(reverse("account_reset_password"), {"email": address})
    return mail.outbox


def test_a_former_address_opens_nothing(stan):
    assert correct(stan, NEW).status_code == 302
    assert sign_in(OLD).status_code == 422
    [letter] = letters_of(OLD)
    assert letter.subject == "There is no Ambit account with this address"
    assert "/key/" not in letter.body
    assert Client().get(stan.link).status_code == 410


def test_whoever_has_it_next_gets_a_link_to_their_own_account_only(stan):
    correct(stan, NEW)
    other = factories.make_user("Sten Stone", OLD)
    [letter] = letters_of(OLD)
    assert letter.body.startswith(f"Hello {other.name},")


def test_the_new_address_opens_it_however_it_is_written(stan):
    correct(stan, NEW)
    stan.refresh_from_db()
    assert stan.email == NEW.lower()
    for address in (NEW, NEW.upper(), NEW.lower()):
        assert sign_in(address).status_code == 302
        assert "/key/" in letters_of(address)[0].body


def test_an_address_that_differs_from_another_only_in_case_is_refused(stan):
    rosa = factories.make_user("Rosa Reed")
    answer = correct(stan, rosa.email.upper())
    assert answer.status_code == 200
    assert "already exists" in answer.text


def test_the_database_takes_addresses_in_lower_case_only(stan):
    with pytest.raises(IntegrityError, match="user_email_lower_case"):
        User.objects.filter(pk=stan.pk).update(email=NEW)
