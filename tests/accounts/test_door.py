"""The first page of a stranger, and what a refused sign-in says is left."""

import re
import time

import pytest
from django.core.cache import cache
from django.urls import reverse

from accounts import attempts
from tests import factories

pytestmark = pytest.mark.django_db
LOGIN = reverse("account_login")
HOME = reverse("home")


@pytest.fixture(autouse=True)
def no_attempts_yet():
    cache.clear()


def words_of(response):
    """Return the words of a page on one line."""
    words = re.sub(r"<[^>]+>", " ", response.text.partition("<main")[2])
    return re.sub(r"\s+([.,;])", r"\1", re.sub(r"\s+", " ", words))


@pytest.mark.parametrize("address", [HOME, LOGIN])
def test_it_says_what_this_is_who_runs_it_and_how_one_gets_in(client, stan, settings, address):
    settings.OPERATOR, settings.ETHICS_APPROVAL = "Reading Lab", "Lake University, 2026-114"
    settings.CONTACT_EMAIL, settings.CONTACT_HOURS = "help@lake.example", "answered on weekdays"
    settings.PUBLICATIONS_URL = "https://lake.example/data"
    response = client.get(address)
    assert response.status_code == 200
    words = words_of(response)
    for said in (
        "Every answer to a question, not just the first one",
        "Here people read Wikipedia to find all the answers",
        "Run by Reading Lab",
        "help@lake.example, answered on weekdays",
        "Ethics approval Lake University, 2026-114",
        "Ambit is invitation-only. To create an account, open the link in your invitation e-mail. "
        "Lost it? Write to help@lake.example.",
        "Finished data are published here",
    ):
        assert said in words
    assert 'href="https://lake.example/data"' in response.text
    assert f'action="{LOGIN}"' in response.text


def test_without_settings_it_says_less(client, stan):
    page = client.get(HOME)
    words = words_of(page)
    for said in (
        "Run by",
        "Contact",
        "Ethics",
        "Who runs",
        "Lost it?",
        "Write to",
        "published here",
    ):
        assert said not in words
    assert "About your data" in words
    assert "How to get in" in words
    assert "eyebrow" not in page.text


def test_somebody_signed_in_has_their_work_there(client_as, ann):
    page = client_as(ann).get(HOME).text
    assert "<title>My work" in page
    assert "How to get in" not in page


def test_programs_and_fragments_are_still_told_to_sign_in(client, stan):
    assert client.get(HOME, headers={"Accept": "application/json"}).status_code == 401
    fragment = client.get(HOME, headers={"HX-Request": "true"})
    assert fragment.status_code == 401
    assert fragment["HX-Redirect"].startswith(LOGIN)
    assert client.post(HOME).status_code == 302


def test_a_stranger_costs_one_statement(client, stan, django_assert_num_queries):
    with django_assert_num_queries(1):
        client.get(HOME)


def test_what_is_kept_can_be_read_without_an_account(client, db):
    words = words_of(client.get(reverse("about-data")))
    assert "What is kept about you" in words
    assert "Questions about your data" in words


def refuse(client, email):
    return client.post(LOGIN, {"login": email, "password": "not this one"})


@pytest.mark.parametrize("known", [True, False])
def test_a_refusal_counts_down(client, stan, known):
    email = stan.email if known else "nobody@example.org"
    for left in ("4 are", "3 are", "2 are", "1 is"):
        words = words_of(refuse(client, email))
        assert "This e-mail address and password do not match" in words
        assert f"After 5 attempts you must wait for up to 5 minutes; {left} left." in words
    words = words_of(refuse(client, email))
    assert "do not match" in words
    assert "Wait 5 minutes, then try again." in words
    words = words_of(refuse(client, email))
    assert "Too many attempts" in words
    assert "Wait 5 minutes, then try again." in words


def test_what_it_says_is_left_is_true(client, stan):
    """As many attempts as the page says fail by the password, and the next one by the limit."""
    said = int(re.search(r"; (\d) are left", words_of(refuse(client, stan.email)))[1])
    statuses = [refuse(client, stan.email).status_code for _ in range(said + 1)]
    assert statuses == [422] * said + [429]


def test_the_wait_shrinks_and_ends(client, stan, monkeypatch):
    for _ in range(5):
        refuse(client, stan.email)
    begin = time.time()
    monkeypatch.setattr(time, "time", lambda: begin + 130)
    assert "Wait 3 minutes, then" in words_of(refuse(client, stan.email))
    monkeypatch.setattr(time, "time", lambda: begin + 301)
    assert "4 are left" in words_of(refuse(client, stan.email))


def test_the_limit_of_the_network_counts_where_it_is_nearer(client, stan):
    for number in range(8):
        refuse(client, f"p{number}@example.org")
    words = words_of(refuse(client, stan.email))
    assert "After 10 attempts you must wait for up to a minute; 1 is left." in words


def test_attempts_count_by_address_in_any_case(client, stan):
    refuse(client, stan.email)
    assert "3 are left" in words_of(refuse(client, stan.email.upper()))


def test_a_password_that_fits_uses_none_up(client, stan):
    refuse(client, stan.email)
    client.post(LOGIN, {"login": stan.email, "password": factories.PASSWORD})
    client.logout()
    assert "3 are left" in words_of(refuse(client, stan.email))


def test_both_fields_are_marked_and_led_to(client, stan):
    page = refuse(client, stan.email).text
    assert page.count('aria-invalid="true" aria-describedby="summary"') == 2
    assert 'href="#id_login"' in page


def test_empty_fields_use_nothing_up(client, stan):
    client.post(LOGIN, {})
    assert "4 are left" in words_of(refuse(client, stan.email))


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "a minute"), (60, "a minute"), (61, "2 minutes")]
)
def test_waits_are_never_rounded_down(seconds, words):
    assert attempts.format_minutes(seconds) == words
