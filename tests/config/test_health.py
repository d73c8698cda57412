"""GET /healthz names what is not usable."""

import pytest

from tests import factories


@pytest.mark.django_db
def test_it_works_without_signing_in(client):
    response = client.get("/healthz")
    assert response.status_code == 200
    assert response.json() == {"database": "ok", "broker": "ok", "index": "ok"}


@pytest.mark.django_db
def test_it_names_the_part_that_is_down(client, monkeypatch):
    def broken():
        raise OSError("no route")

    monkeypatch.setitem(__import__("config.health", fromlist=["CHECKS"]).CHECKS, "broker", broken)
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["broker"] == "not usable: OSError"
    assert response.json()["database"] == "ok"


@pytest.mark.django_db
def test_it_names_snapshots_but_no_folders_of_the_machine(client):
    factories.make_snapshot(name="lost", archive="/srv/private/lost.zim")
    response = client.get("/healthz")
    assert response.status_code == 503
    assert response.json()["index"] == "not usable: lost"


@pytest.mark.django_db
def test_it_rejects_post(client):
    assert client.post("/healthz").status_code == 405
