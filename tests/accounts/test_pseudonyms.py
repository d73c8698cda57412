"""Pseudonyms: stable, different per project, and nothing without the key."""

import hashlib

import pytest

from accounts.pseudonyms import derive_pseudonym
from tests import factories

pytestmark = pytest.mark.django_db


def test_the_same_person_keeps_the_same_name_in_a_project(stan):
    before = derive_pseudonym(stan, scope="crossings")
    stan.name, stan.email = "Somebody Else", "else@example.org"
    stan.save()
    stan.refresh_from_db()
    assert derive_pseudonym(stan, scope="crossings") == before
    assert before.startswith("person-")


def test_it_differs_between_projects_and_people(stan):
    other = factories.make_user(name="Stan Stone")
    names = {derive_pseudonym(user, scope=scope) for user in (stan, other) for scope in ("a", "b")}
    assert len(names) == 4


def test_without_the_key_nobody_gets_from_person_to_pseudonym(stan, settings):
    settings.PSEUDONYM_KEY = "the key of this installation"
    ours = derive_pseudonym(stan, scope="crossings")
    settings.PSEUDONYM_KEY = "a guess"
    assert derive_pseudonym(stan, scope="crossings") != ours
    for guess in (str(stan.pk), stan.email, str(stan.key), f"crossings\0{stan.key}"):
        assert hashlib.sha256(guess.encode()).hexdigest()[:12] not in ours


def test_rotating_the_secret_key_changes_nothing(stan, settings):
    settings.PSEUDONYM_KEY = "kept"
    before = derive_pseudonym(stan, scope="crossings")
    settings.SECRET_KEY = "rotated"
    assert derive_pseudonym(stan, scope="crossings") == before


def test_it_shows_nothing_of_the_person(stan):
    name = derive_pseudonym(stan, scope="crossings").removeprefix("person-")
    assert len(name) == 12
    assert str(stan.pk) != name
    assert name not in str(stan.key).replace("-", "")
