"""Secrets stay out of the log."""

import io
import logging

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from annotation.services import people
from config.logs import HideTokens


@pytest.fixture
def console():
    """What the console handler of the settings writes about requests."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    for name in settings.LOGGING["handlers"]["console"]["filters"]:
        handler.addFilter(import_string(settings.LOGGING["filters"][name]["()"])())
    logger = logging.getLogger("django.request")
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)


@pytest.mark.django_db
def test_an_invitation_that_still_works_is_not_in_the_log(client, console, project, ada, now):
    invitation = people.invite(
        project=project, email="nora@example.org", role="admin", by=ada, now=now
    )
    link = people.invitation_link(invitation)
    assert client.post(link, {"name": "", "password": ""}).status_code == 422
    assert "Unprocessable Entity: /invitation/…/" in console.getvalue()
    assert link.split("/")[2] not in console.getvalue()


@pytest.mark.django_db
def test_nor_is_the_link_to_a_new_password(client, console):
    client.post("/account/password/reset/key/1-abc123def/", HTTP_ORIGIN="https://else.example")
    logging.getLogger("django.request").warning("Gone: %s", "/account/password/reset/key/1-abc/")
    assert "1-abc" not in console.getvalue()
    assert "Gone: /account/password/reset/key/…/" in console.getvalue()


def test_other_lines_are_as_they_were(console):
    logging.getLogger("django.request").warning("Not Found: %s, %d", "/invitations", 3)
    assert console.getvalue() == "Not Found: /invitations, 3\n"


def test_a_line_whose_arguments_do_not_fit_is_let_through():
    """Logging reports such a line; a filter that raised would end what wrote it."""
    record = logging.LogRecord("x", logging.WARNING, "x.py", 1, "%d items", ("x",), None)
    assert HideTokens().filter(record)
