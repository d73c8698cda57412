"""Sessions: one statement for session and person, and an end that every process sees at once."""

import datetime as dt
from importlib import import_module

import pytest
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import path, reverse
from django.utils import timezone

from accounts import sessions, tasks
from accounts.models import Session, User
from config.celery import app

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]


def almost_empty(request):
    return HttpResponse(f"Signed in: {request.user}")


urlpatterns = [
    path("almost-empty/", almost_empty),
    *import_module("config.urls").urlpatterns,
]


@pytest.fixture
def browser(client_as, stan):
    return client_as(stan)


def is_signed_in(browser):
    return browser.get("/almost-empty/").content == b"Signed in: Stan Stone"


def test_a_page_costs_one_statement_and_writes_nothing(browser, django_assert_num_queries):
    with django_assert_num_queries(1) as captured:
        assert is_signed_in(browser)
    assert "EXECUTE" in captured.captured_queries[0]["sql"]


def test_the_person_is_as_django_reads_them(browser, stan):
    stan.keys = {"submit": "x"}
    stan.save()
    person = browser.get("/almost-empty/").wsgi_request.user
    fresh = User.objects.get(pk=stan.pk)
    for field in User._meta.concrete_fields:
        assert getattr(person, field.attname) == getattr(fresh, field.attname)
    assert person.single_keys
    person.single_keys = False
    person.save(update_fields=["single_keys"])
    assert not User.objects.get(pk=stan.pk).single_keys


def test_signing_out_in_one_window_ends_the_session_in_the_other(browser):
    other = Client()
    other.cookies = browser.cookies.copy()
    assert is_signed_in(other)
    browser.post(reverse("account_logout"))
    assert not is_signed_in(other)


def end(session):
    session.delete()


def expire(session):
    Session.objects.update(expire_date=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))


def change_password(session):
    session.user.set_password("a new password")
    session.user.save()


def switch_off(session):
    session.user.is_active = False
    session.user.save()


def remove(session):
    session.user.delete()


def damage(session):
    session.session_data = session.session_data[:-1]
    session.save()


def forget_the_backend(session):
    store = import_module("accounts.sessions").SessionStore(session.pk)
    store["_auth_user_backend"] = "somewhere.else"
    store.save()


@pytest.mark.parametrize(
    "change", [end, expire, change_password, switch_off, remove, damage, forget_the_backend]
)
def test_what_ends_a_session_ends_it_at_once(browser, change):
    assert is_signed_in(browser)
    change(Session.objects.get())
    assert not is_signed_in(browser)


def test_the_column_alone_makes_nobody_somebody_else(browser, rosa):
    Session.objects.update(user=rosa)
    assert is_signed_in(browser)  # the signed part says who


def test_a_session_signed_with_a_former_key_goes_on(browser, settings):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key, long enough to be one of them"
    assert is_signed_in(browser)
    settings.SECRET_KEY_FALLBACKS = []
    assert is_signed_in(browser)


def test_strangers_have_no_session_and_cost_no_statement(client, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert client.get("/almost-empty/").status_code == 302
    assert not Session.objects.exists()


@pytest.mark.parametrize("clear", [tasks.clear_sessions, lambda: call_command("clearsessions")])
def test_sessions_that_have_ended_are_deleted_in_small_steps(
    browser, clear, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(sessions, "AT_ONCE", 3)
    long_ago = timezone.now() - dt.timedelta(days=1)
    Session.objects.bulk_create(Session(session_key=f"{n}", expire_date=long_ago) for n in range(7))
    with django_assert_num_queries(3 * 2 + 1):
        clear()
    assert Session.objects.count() == 1
    assert is_signed_in(browser)


def test_the_clock_deletes_sessions_that_have_ended():
    names = {entry["task"] for entry in app.conf.beat_schedule.values()}
    app.loader.import_default_modules()
    assert {tasks.clear_sessions.name} <= names <= set(app.tasks)
