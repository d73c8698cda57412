"""Handing in, and the other ways a turn ends."""

import datetime as dt

import pytest
from django.utils import timezone

from annotation.generation.responses import GenerationResponse, WrittenPair, to_json
from annotation.models import Annotation, Assignment
from tests import factories
from tests.annotation.work.conftest import HX, TWO_PAIRS, form, open_page, reload, url

# --- submitting ----------------------------------------------------------------------------------


def test_submit_writes_what_was_typed_and_goes_on(client_as, work, ann, project):
    following = factories.make_task(project)
    answer = client_as(ann).post(url("submit", work), form(work, feedback="Fine"))
    annotation = Annotation.objects.get(assignment=work)
    assert [pair.question for pair in annotation.pairs.all()] == [
        TWO_PAIRS["pair-0-question"],
        TWO_PAIRS["pair-1-question"],
    ]
    assert reload(work).feedback == "Fine"
    assert answer["Location"] == url("page", Assignment.objects.get(task=following, user=ann))


def test_submit_by_script_gets_the_address(client_as, work, ann):
    answer = client_as(ann).post(url("submit", work), form(work), headers=HX)
    assert answer.status_code == 200
    assert answer["HX-Redirect"] == "/"


@pytest.mark.parametrize("headers", [{}, HX])
def test_refused_says_everything_at_once(client_as, work, ann, headers):
    fields = form(
        work,
        **{
            "pair-0-question": "When did the Thames Tunnel open?",
            "pair-1-question": "When did the Thames Tunnel open to trains",
            "pair-1-answer": [],
            "pair-1-quote": [],
        },
    )
    answer = client_as(ann).post(url("submit", work), fields, headers=headers)
    assert answer.status_code == 422
    for sentence in (
        "Pair 1: add the words that leave one answer",
        "Pair 2: end the question with a question mark",
        "Pair 2: write an answer, or delete the pair",
    ):
        assert sentence in answer.text
    assert answer.text.count("<strong>Error:</strong>") == 3
    assert 'href="#question-1"' in answer.text
    assert ("<title>Error: When did" in answer.text) == (not headers)
    assert not Annotation.objects.exists()
    assert reload(work).state == "active"
    assert reload(work).draft["pairs"][1]["question"].endswith("to trains")  # nothing typed is lost


def test_unread_pages_stop(client_as, task, ann):
    assignment = factories.make_assignment(task, ann)
    answer = client_as(ann).post(url("submit", assignment), form(assignment), headers=HX)
    assert answer.status_code == 422
    assert 'href="#query"' in answer.text
    open_page(assignment)
    assignment.refresh_from_db()
    answer = client_as(ann).post(url("submit", assignment), form(assignment), headers=HX)
    assert answer.status_code == 200


# --- the other turns -----------------------------------------------------------------------------


def test_park_and_resume(client_as, work, ann):
    client = client_as(ann)
    client.post(url("park", work), {"reason": "Which <b>tunnel</b>?"})
    assert reload(work).state == "parked"
    page = client.get(url("page", work)).text
    assert "Which &lt;b&gt;tunnel&lt;/b&gt;?" in page
    answer = client.post(url("resume", work))
    assert answer["Location"] == url("page", work)
    assert reload(work).state == "active"
    assert client.post(url("resume", work)).status_code == 302  # once more changes nothing


def test_skip_with_reason_and_the_way_back(client_as, work, ann):
    client = client_as(ann)
    assert client.post(url("skip", work), {"reason": "dull"}).status_code == 409
    client.post(url("skip", work), {"reason": "subjective", "feedback": "Whose opinion?"})
    skipped = reload(work)
    assert (skipped.state, skipped.skip_reason) == ("skipped", "subjective")
    assert skipped.feedback == "Whose opinion?"
    assert "Take it up again" in client.get(url("page", work)).text
    client.post(url("resume", work))
    assert reload(work).state == "active"


def test_give_back(client_as, work, ann):
    client = client_as(ann)
    client.post(url("return", work))
    assert reload(work).state == "returned"
    assert "You released this question." in client.get(url("page", work)).text


@pytest.mark.parametrize("name", ["extend", "touch"])
def test_more_time(client_as, work, ann, name):
    soon = timezone.now() + dt.timedelta(minutes=1)
    Assignment.objects.filter(pk=work.pk).update(lease_ends_at=soon)
    answer = client_as(ann).post(url(name, work), headers=HX)
    assert 'id="lease"' in answer.text
    assert reload(work).lease_ends_at > soon


def test_touch_of_ended_work_says_so(client_as, task, ann):
    ended = factories.make_assignment(task, ann, state="expired")
    answer = client_as(ann).post(url("touch", ended), headers=HX)
    assert answer.status_code == 409
    assert "Your time for this question has ended." in answer.text


@pytest.mark.parametrize("state", ["submitted", "parked", "expired", "returned", "skipped"])
def test_ended_work_is_shown_for_reading(client_as, task, ann, state):
    draft = to_json(GenerationResponse(pairs=(WrittenPair("When did it open, <i>sir</i>?"),)))
    assignment = factories.make_assignment(task, ann, state=state, draft=draft)
    text = client_as(ann).get(url("page", assignment)).text
    assert "When did it open, &lt;i&gt;sir&lt;/i&gt;?" in text
    assert "<textarea" not in text
