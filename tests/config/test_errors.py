"""What a person reads when something Ambit stands on is away."""

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

from tests import factories


@pytest.fixture
def no_redis(settings):
    """Port 1 answers nobody."""
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }


@pytest.mark.parametrize(
    ("headers", "content_type"),
    [
        ({}, "text/html"),
        ({"HX-Request": "true"}, "text/html"),
        ({"Accept": "application/json"}, "application/json"),
    ],
)
def test_signing_in_without_redis_is_explained(client, no_redis, ann, headers, content_type):
    form = {"login": ann.email, "password": factories.PASSWORD}
    response = client.post("/account/login/", form, headers=headers)
    assert response.status_code == 503
    assert response["Content-Type"].startswith(content_type)
    assert "cannot reach Redis at the moment" in response.content.decode()


def test_work_goes_on_without_redis(client_as, no_redis, ann, project):
    work = factories.make_assignment(factories.make_task(project), ann)
    form = {"kind": "single", "single-answer": "1843", "version": "0"}
    assert client_as(ann).post(f"/work/{work.pk}/draft/", form).status_code == 302
    work.refresh_from_db()
    assert work.draft["single"] == [{"text": "1843", "quote": None}]


@pytest.mark.parametrize(
    "address", ["/submissions/?project=%00", "/?page=2&x=a%00b", "/work/1/search/?q=%00"]
)
def test_a_nul_in_an_address_is_explained(client_as, ann, address):
    response = client_as(ann).get(address)
    assert response.status_code == 400
    assert "That request cannot be read" in response.text


@pytest.mark.django_db
@pytest.mark.parametrize("charset", ["utf-16", "rot13", "idna"])
@pytest.mark.parametrize("address", ["/account/login/", "/", "/nowhere/"])
def test_a_form_that_is_not_in_utf_8_is_explained(address, charset):
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "a" * 32  # or nobody reads the form
    kind = f"application/x-www-form-urlencoded; charset={charset}"
    response = client.generic("POST", address, b"a=b", content_type=kind)
    assert response.status_code == 415
    assert "That request cannot be read" in response.text


@pytest.mark.django_db
def test_scripts_are_told_so_in_json(client):
    response = client.get("/api/v1/projects/?page_size=%00")
    assert (response.status_code, response["Content-Type"]) == (400, "application/json")
    assert "NUL" in response.json()["detail"]


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_a_database_that_is_away_is_explained(client_as, ann, monkeypatch, error):
    """Nobody can be known without it, so no page can say it in its own words."""
    client = client_as(ann)
    client.raise_request_exception = False

    def away(*args):
        raise error("server closed the connection unexpectedly, host 10.0.0.5")

    monkeypatch.setattr("accounts.sessions.prepared_statements.fetch_rows", away)
    page = client.get("/")
    assert page.status_code == 503
    assert "cannot reach its database at the moment" in page.text
    assert "10.0.0.5" not in page.text
    for answer in (
        client.get("/api/v1/projects/"),
        client.post("/work/1/draft/", headers={"Accept": "application/json"}),
    ):
        assert answer.status_code == 503
        assert "cannot reach its database" in answer.json()["detail"]


def test_another_error_is_still_one(client_as, ann, monkeypatch):
    client = client_as(ann)
    client.raise_request_exception = False
    monkeypatch.setattr("accounts.sessions.prepared_statements.fetch_rows", lambda *args: 1 / 0)
    page = client.get("/")
    assert page.status_code == 500
    assert "Something broke on the server" in page.text
