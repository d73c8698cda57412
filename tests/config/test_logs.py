"""Secrets stay out of the log; ids of requests and jobs are in it."""

import io
import json
import logging

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from annotation import tasks
from annotation.people import invitation_services
from config import celery as wired
from config.logs import HideTokens, Json, Text, get_ids, set_ids, with_ids


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
    invitation = invitation_services.invite_member(
        project=project, email="nora@example.org", roles=["admin"], by=ada, now=now
    )
    link = invitation_services.invitation_link(invitation)
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


@pytest.fixture
def lines():
    """What the handler writes in JSON, as objects."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(HideTokens())
    handler.setFormatter(Json())
    root = logging.getLogger()
    level = root.level
    root.setLevel(logging.INFO)
    root.addHandler(handler)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)
    root.setLevel(level)
    set_ids()


def test_a_line_in_json(lines):
    try:
        raise ValueError("two\nlines of Ünicode")
    except ValueError:
        logging.getLogger("some.where").exception("It %s: %s", "broke", "/invitation/abc/")
    (line,) = lines()
    assert line.pop("exception").startswith("Traceback (most recent call last)")
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "It broke: /invitation/…/", "level": "error", "logger": "some.where"}


@pytest.mark.django_db
def test_a_request_has_one_id_in_its_reply_and_all_its_lines(client, lines):
    reply = client.get("/projects/secret-search/?q=who", headers={"X-Request-ID": "chosen-by-me"})
    own = [line for line in lines() if line["logger"] == "operations.requests"]
    assert len(own) == 1
    assert own[0]["request_id"] == reply["X-Request-ID"] != "chosen-by-me"
    assert own[0]["path"] == "/projects/secret-search/"  # and not what was searched for
    assert (own[0]["method"], own[0]["status"]) == ("GET", 302)
    assert own[0]["view"] == "project-overview"
    assert own[0]["seconds"] > 0
    assert "who" not in json.dumps(lines())
    assert client.get("/livez")["X-Request-ID"] != reply["X-Request-ID"]
    assert get_ids() == {}


@pytest.mark.django_db
def test_no_field_of_a_line_has_a_link_that_works(client, lines):
    client.get("/invitation/abcdef/")
    try:
        raise ValueError("/invitation/abcdef/ broke")
    except ValueError:
        logging.getLogger("some.where").exception("It broke")
    assert len(lines()) >= 2
    assert "/invitation/…/" in json.dumps(lines(), ensure_ascii=False)
    assert "abcdef" not in json.dumps(lines())


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("given", "believed"),
    [("abcdef0123456789", True), ("short", False), ("a b c d e f g h", False), ("a" * 65, False)],
)
def test_a_proxy_may_name_a_request(client, settings, given, believed):
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    reply = client.get("/livez", headers={"X-Request-ID": given})
    assert (reply["X-Request-ID"] == given) is believed


@pytest.mark.django_db
def test_a_job_has_the_ids_of_its_request(lines):
    headers = {}
    with with_ids(request_id="asked-for-it"):
        wired.name_request(headers=headers)
    assert headers == {"request_id": "asked-for-it"}
    tasks.run_job.apply(kwargs={"job_id": 123456}, task_id="task-1", headers=headers)
    (line,) = (line for line in lines() if line["logger"] == "annotation.jobs.services")
    assert line["event"] == "job 123456 is not waiting; nothing to do"
    assert (line["job_id"], line["task_id"]) == (123456, "task-1")
    assert line["request_id"] == "asked-for-it"
    assert get_ids() == {}


def test_a_line_for_people_ends_with_the_ids():
    record = logging.LogRecord("x.y", logging.INFO, "x.py", 1, "Done", (), None)
    with with_ids(request_id="r1", job_id=7):
        line = Text("%(levelname)s %(name)s %(message)s").format(record)
    assert line == "INFO x.y Done request_id=r1 job_id=7"
