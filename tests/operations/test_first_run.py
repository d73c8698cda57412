"""The page of an installation in which nobody can sign in: what it says, to whom, how long."""

import re

import pytest
from django.core.management import call_command
from django.db import ProgrammingError
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from operations import first_run, health
from operations.health import HealthPart
from operations.heartbeats import write_heartbeat
from tests import factories

pytestmark = pytest.mark.django_db
HOME, LOGIN = reverse("home"), reverse("account_login")
TITLE = "Almost ready: create the first account"


def show_life():
    write_heartbeat(name="worker@one", kind="worker", queues="default", now=timezone.now())
    write_heartbeat(name="clock@one", kind="clock", now=timezone.now())


@pytest.mark.parametrize("address", [HOME, LOGIN])
def test_it_says_the_next_command(client, address):
    page = client.get(address)
    assert page.status_code == 200
    assert TITLE in page.text
    assert "python manage.py create_admin you@example.org --link" in page.text
    assert "for 3 days" in page.text
    assert "no-store" in page["Cache-Control"]


def test_the_command_ends_it(client, capsys):
    call_command("create_admin", "first@example.org", "--link")
    page = client.get(HOME).text
    assert TITLE not in page
    assert "How to get in" in page


@pytest.mark.parametrize(("fields", "ends"), [({}, True), ({"is_active": False}, False)])
def test_it_is_there_only_while_nobody_can_sign_in(client, fields, ends):
    factories.make_user("Sam", **fields)
    assert (TITLE in client.get(HOME).text) is not ends


def test_participants_cannot_sign_in(client):
    User.objects.create(email="p@nowhere.invalid", name="P", password="!", is_participant=True)
    assert TITLE in client.get(HOME).text


def test_a_page_that_polls_is_led_on_once_there_is_an_account(client):
    asked = {"HX-Request": "true"}
    assert TITLE in client.get(HOME, headers=asked).text
    factories.make_user("Sam")
    assert client.get(HOME, headers=asked)["HX-Redirect"].startswith(LOGIN)


def test_it_checks_again_with_and_without_scripts(client):
    page = client.get(HOME).text
    assert '<noscript><meta http-equiv="refresh" content="10"></noscript>' in page
    assert f'hx-get="{HOME}" hx-trigger="every 10s"' in page


def test_without_tables_it_says_how_to_make_them(client, monkeypatch):
    def raise_undefined():
        raise ProgrammingError('relation "accounts_user" does not exist')

    monkeypatch.setattr(first_run, "has_people", raise_undefined)
    page = client.get(HOME)
    assert page.status_code == 503
    assert "python manage.py migrate" in page.text
    assert "create_admin" not in page.text
    assert "accounts_user" not in page.text


def test_what_is_in_order_and_what_is_not(client, settings):
    settings.EMAIL_URL = ""
    show_life()
    page = client.get(HOME).text
    assert "Database, Version, Broker, Files, Workers, Clock, Jobs" in page
    assert re.search(r"2 of \d parts need a look", page)
    assert "There is no Wikipedia yet" in page
    assert "E-mail is not set up" in page


def test_all_is_in_order(client, settings, monkeypatch):
    factories.make_snapshot()
    settings.EMAIL_URL = "smtp://mail.example"
    monkeypatch.setattr(health, "run_check", lambda check: HealthPart(check.name))
    assert f"All {len(health.CHECKS)} parts are in order" in client.get(HOME).text


def be_down(check):
    return HealthPart(check.name, "down", "broken: /srv/secret at 10.0.0.7")


def test_every_part_is_named_once_and_has_advice(monkeypatch):
    monkeypatch.setattr(health, "run_check", be_down)
    parts = first_run.look_at_parts()
    titles = [concern.title for concern in parts.concerns]
    assert len(set(titles)) == len(titles)
    silent = [concern.title for concern in parts.concerns if not concern.advice]
    assert silent == ["Database: needs a look"]  # without it there is no page


def test_strangers_learn_no_reasons_names_or_addresses(client, settings, monkeypatch):
    snapshot = factories.make_snapshot()
    settings.EMAIL_URL = "smtp://user:hunter2@mail.example"
    monkeypatch.setattr(health, "run_check", be_down)
    page = client.get(HOME).text
    assert page.count("needs a look") == len(health.CHECKS)
    for hidden in ("hunter2", "mail.example", "/srv/secret", "10.0.0.7", "broken", snapshot.name):
        assert hidden not in page


def test_other_pages_do_not_pay_for_it(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        client.get(reverse("account_reset_password"))
    assert client.post(LOGIN, {"login": "x@example.org", "password": "x"}).status_code == 422
