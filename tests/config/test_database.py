"""Connections outlive requests; one that the server has ended is replaced."""

import psycopg2
import pytest
from django.db import connection

from config.database import base

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def statements():
    """What Django's cursors send to the database from here on, health checks included."""
    connection.close()
    connection.ensure_connection()
    connection.connection.cursor_factory = Recorder
    Recorder.sent = []
    yield Recorder.sent
    connection.close()


class Recorder(psycopg2.extensions.cursor):
    sent: list[str]

    def execute(self, sql, params=None):
        self.sent.append(sql)
        super().execute(sql, params)


def between_requests():
    connection.close_if_unusable_or_obsolete()


def end_on_the_server():
    other = psycopg2.connect(**connection.get_connection_params())
    with other.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(%s, 5000)", [connection.connection.info.backend_pid]
        )
        assert cursor.fetchone() == (True,)
    other.close()


def test_a_connection_that_stands_is_not_asked(client, statements):
    client.get("/account/login/")
    between_requests()
    statements.clear()
    client.get("/healthz")
    assert statements.count("SELECT 1") == 1  # its own, which says that the database can be used


def test_a_connection_that_the_server_ended_is_replaced(client_as, stan):
    browser = client_as(stan)
    assert browser.get("/account/settings/").status_code == 200
    between_requests()
    end_on_the_server()
    assert browser.get("/account/settings/").status_code == 200


def test_a_connection_closed_on_our_side_is_replaced(client_as, stan):
    browser = client_as(stan)
    between_requests()
    connection.connection.close()
    assert browser.get("/account/settings/").status_code == 200


def test_a_connection_that_was_idle_is_asked(client, statements, monkeypatch):
    monkeypatch.setattr(base, "IDLE_SECONDS", -1.0)
    between_requests()
    client.get("/healthz")
    assert statements.count("SELECT 1") == 2
