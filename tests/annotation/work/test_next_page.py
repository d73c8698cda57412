"""The answer to a submission has the next page in it, for browsers that can be given one."""

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext
from django.urls import get_script_prefix, set_script_prefix

from annotation.models import Annotation, Assignment
from annotation.work.next_page import brings_next_page
from tests import factories
from tests.annotation.work.conftest import HX, form, url

ASKS = HX | {"Ambit-Next": "1"}


@pytest.fixture
def following(project):
    return factories.make_task(project)


def of(task, person):
    return Assignment.objects.get(task=task, user=person)


def test_the_next_page_comes_with_the_answer(client_as, work, ann, following):
    client = client_as(ann)
    answer = client.post(url("submit", work), form(work, feedback="Mine"), headers=ASKS)
    address = url("page", of(following, ann))
    assert (answer.status_code, answer["Ambit-Page"]) == (200, address)
    assert "HX-Redirect" not in answer
    assert answer["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    assert "Submitted. Here is the next question." in answer.text
    # Nothing of what was sent is on it, and it is the page that the address has.
    assert "Mine" not in answer.text
    page = client.get(address)
    assert "Submitted." not in page.text  # said once
    for text in (answer.text, page.text):
        assert f'action="{url("draft", of(following, ann))}"' in text
    assert answer.text.count("<input") == page.text.count("<input")


def test_session_and_person_are_read_once(client_as, work, ann, following):
    client = client_as(ann)
    with CaptureQueriesContext(connection) as alone:
        client.get(url("page", work))
    with CaptureQueriesContext(connection) as both:
        answer = client.post(url("submit", work), form(work), headers=ASKS)
    assert "Ambit-Page" in answer
    names = [each["sql"].partition(" (")[0] for each in (*alone, *both)]
    session = names[0]
    assert session.startswith("EXECUTE")
    assert names.count(session) == 2  # once for each


@pytest.mark.parametrize("headers", [{}, HX, {"Ambit-Next": "1"}])
def test_who_does_not_ask_is_led_there(client_as, work, ann, following, headers):
    answer = client_as(ann).post(url("submit", work), form(work), headers=headers)
    assert "Ambit-Page" not in answer
    led = answer.headers.get("Location") or answer["HX-Redirect"]
    assert led == url("page", of(following, ann))


@pytest.fixture
def prefix():
    """Ambit below a folder of its host."""
    before = get_script_prefix()
    set_script_prefix("/ambit/")
    yield "/ambit"
    set_script_prefix(before)


def test_below_a_folder_of_the_host_it_comes_as_well(client_as, work, ann, following, prefix):
    address = url("submit", work).removeprefix(prefix)
    answer = client_as(ann).post(address, form(work), headers=ASKS)
    assert (answer.status_code, answer["Ambit-Page"]) == (200, url("page", of(following, ann)))
    assert answer["Ambit-Page"].startswith("/ambit/work/")


def test_an_address_that_is_none_of_ambit_s_is_left_to_the_browser(rf, ann):
    """What was submitted is not answered with an error because of where it leads."""
    request = rf.post("/work/1/submit/", headers=ASKS)
    request.user = ann
    led = HttpResponse(headers={"HX-Redirect": "https://survey.example/done"})

    @brings_next_page(lambda request, number: HttpResponse("page"))
    def submit(request):
        return led

    assert submit(request) is led


def test_where_no_question_follows_one_is_led_home(client_as, work, ann):
    answer = client_as(ann).post(url("submit", work), form(work), headers=ASKS)
    assert (answer["HX-Redirect"], answer.content) == ("/", b"")
    assert "Ambit-Page" not in answer


def test_a_refused_submission_is_answered_as_ever(client_as, work, ann, following):
    fields = form(work, **{"pair-1-answer": [], "pair-1-quote": []})
    answer = client_as(ann).post(url("submit", work), fields, headers=ASKS)
    assert (answer.status_code, "Ambit-Page" in answer) == (422, False)
    assert not Annotation.objects.exists()


def test_a_page_that_is_refused_is_left_to_its_address(
    client_as, work, ann, following, monkeypatch
):
    """What was submitted is submitted, whatever becomes of the next page."""
    from annotation.core.refusals import Denied
    from annotation.work.assignment_page import AssignmentPage

    def refuse(page):
        raise Denied("No.")

    monkeypatch.setattr(AssignmentPage, "show_work", refuse)
    answer = client_as(ann).post(url("submit", work), form(work), headers=ASKS)
    assert answer["HX-Redirect"] == url("page", of(following, ann))
    assert Annotation.objects.count() == 1


def test_the_worker_is_sent_from_above_the_pages_of_work(client_as, ann):
    answer = client_as(ann).get("/work/next-page.js")
    assert answer["Content-Type"] == "text/javascript; charset=utf-8"
    assert answer["Cache-Control"] == "private, max-age=86400"
    assert 'addEventListener("fetch"' in answer.text
