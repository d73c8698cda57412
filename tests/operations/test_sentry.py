"""What goes to Sentry: kinds of errors and places, and nothing that anyone wrote."""

import json
import logging

import pytest
import sentry_sdk
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import IntegrityError, connection
from sentry_sdk.transport import Transport

from config.logs import with_ids
from operations import sentry

EMAIL = "ann.archer@example.org"
SECRET = "who wrote the odyssey"


class Sent(Transport):
    """Keeps what would be sent."""

    envelopes = []

    def capture_envelope(self, envelope):
        self.envelopes.append(envelope.serialize().decode())


@pytest.fixture
def sent():
    """Everything that is sent, as text."""
    Sent.envelopes = []
    sentry.start_reporting("https://key@sentry.example/1", transport=Sent)
    yield Sent.envelopes
    sentry_sdk.get_client().close()
    sentry_sdk.get_global_scope().set_client(None)


def event_of(envelope):
    return json.loads(envelope.splitlines()[2])


@pytest.mark.django_db(transaction=True)
def test_an_error_on_a_page_has_nothing_that_people_wrote(sent, client, ann, monkeypatch, rf):
    client.force_login(ann)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value

    def broken(check):
        wrote = f"{EMAIL} {SECRET}"
        with connection.cursor() as cursor:
            cursor.execute("SELECT %s", [wrote])
        logging.getLogger("other").info("Wrote %s", wrote)
        raise IntegrityError(f"Key (email)=({wrote}) already exists.")

    monkeypatch.setattr("operations.health.run_check", broken)
    cookies = f"{settings.SESSION_COOKIE_NAME}={session}; note={EMAIL}"
    asked = rf.get("/healthz", {"q": SECRET}, headers={"Cookie": cookies, "X-Note": SECRET})
    # Through the server's own way in, which the test's client leaves out.
    heads = []
    body = WSGIHandler()(asked.environ, lambda *head: heads.append(head))
    body.close()
    ((status, headers),) = heads
    assert status.startswith("500 ")
    (envelope,) = sent
    event = event_of(envelope)
    assert event["exception"]["values"][-1]["type"] == "IntegrityError"
    frames = event["exception"]["values"][-1]["stacktrace"]["frames"]
    assert frames[-1]["function"] == "broken"
    assert event["tags"]["request_id"] == dict(headers)["X-Request-ID"]
    assert event["request"]["url"].endswith("/healthz")
    for private in (EMAIL, SECRET, ann.email, ann.name, session, "odyssey"):
        assert private not in envelope
    assert not {"user", "extra", "contexts", "breadcrumbs", "modules"} & event.keys()


def test_a_logged_error_brings_its_words_without_their_values(sent):
    with with_ids(job_id=7):
        logging.getLogger("annotation").error("No letter to %s: /invitation/abc/", EMAIL)
    (envelope,) = sent
    event = event_of(envelope)
    assert event["logentry"] == {"message": "No letter to %s: /invitation/…/"}
    assert event["tags"] == {"job_id": "7"}
    assert EMAIL not in envelope


@pytest.mark.parametrize(
    ("words", "values", "told"),
    [
        ("No letter to %s", [EMAIL], "No letter to %s"),
        (f"No letter to {EMAIL}", [], sentry.LEFT_OUT),
        (f"No letter to {EMAIL}: /invitation/abc/", [], sentry.LEFT_OUT),
    ],
)
def test_a_line_put_together_before_it_was_logged_is_left_out(sent, words, values, told):
    logging.getLogger("annotation").error(words, *values)
    (envelope,) = sent
    assert event_of(envelope)["logentry"] == {"message": told}
    assert EMAIL not in envelope
