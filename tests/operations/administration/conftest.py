"""An administrator, and a browser in which they have just written their password again."""

import time

import pytest
from allauth.account.internal.flows import login
from django.test import Client

from tests import factories


@pytest.fixture
def root(db):
    return factories.make_user(name="Rudi Root", is_staff=True, is_superuser=True)


@pytest.fixture
def second(db):
    return factories.make_user(name="Sina Second", is_staff=True, is_superuser=True)


@pytest.fixture
def browser_of():
    """Return a client of somebody; unless `asked`, they have written their password just now."""

    def sign_in(user, *, asked=False):
        client = Client()
        client.force_login(user)
        if not asked:
            session = client.session
            session[login._AUTHENTICATION_METHODS_USER_SESSION_KEY] = str(user.pk)
            session[login.AUTHENTICATION_METHODS_SESSION_KEY] = [
                {"method": "password", "at": time.time(), "reauthenticated": True}
            ]
            session.save()
        return client

    return sign_in


@pytest.fixture
def client(browser_of, root):
    return browser_of(root)
