"""Feedback is a closed thread of the team's messages, which nobody can write in."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from annotation.models import Message, Thread
from annotation.threads import queries as threads_queries
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(db):
    return factories.make_project()


@pytest.fixture
def turn(project, now):
    person = factories.make_member(project, "annotator")
    ended = {"submitted_at": now, "ended_at": now, "lease_ends_at": None}
    return factories.make_assignment(
        factories.make_task(project), person, state="submitted", **ended
    )


@pytest.fixture
def staff(project):
    return factories.make_member(project, "researcher")


@pytest.fixture
def feedback(turn, staff):
    return factories.make_feedback(turn, staff, tag="good")


def test_talk_does_not_have_it(feedback, turn, project):
    assert list(turn.threads.all()) == list(Thread.objects.all()) == []
    assert threads_queries.list_threads(turn) == list(threads_queries.of_project(project.pk)) == []
    assert Thread.every.get() == feedback.thread


@pytest.mark.parametrize("name", ["thread-write", "thread-withdraw", "thread-read"])
def test_its_receiver_cannot_reply(client_as, feedback, turn, name):
    sent = client_as(turn.user).post(reverse(name, args=[feedback.thread_id]), {"text": "Why?"})
    assert sent.status_code == 404
    assert Message.objects.get() == feedback


@pytest.mark.parametrize("name", ["claim-answer", "claim-reopen", "claim-read", "claim-to-faq"])
def test_the_team_cannot_go_on_with_it_either(client_as, feedback, staff, project, name):
    address = reverse(name, args=[project.slug, feedback.thread_id])
    assert client_as(staff).post(address, {"text": "More."}).status_code == 404
    view = reverse("claim-view", args=[project.slug, feedback.thread_id])
    assert client_as(staff).get(view).status_code == 404


def test_a_claim_s_message_is_not_taken_back_as_feedback(client_as, staff, turn, project, now):
    claim = Thread.objects.create(assignment=turn, project=project, kind="claim", waiting_since=now)
    said = claim.messages.create(
        by_staff=True, author=staff, receiver=turn.user, text="We look.", created_at=now
    )
    address = reverse("feedback-take-back", args=[project.slug, said.pk])
    assert client_as(staff).post(address).status_code == 404
    assert Message.objects.get() == said


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "open", "closed_at": None},
        {"state": "answered"},
        {"kind": "question"},
        {"kind": "claim"},
    ],
)
def test_the_database_keeps_it_closed(feedback, fields):
    with pytest.raises(IntegrityError, match="thread_state_fits_kind"), transaction.atomic():
        Thread.every.filter(pk=feedback.thread_id).update(**fields)


def test_the_database_keeps_one_thread_and_each_quick_tag_once(feedback, turn, staff, now):
    closed = {"state": "closed", "waiting_since": now, "closed_at": now}
    again = {"by_staff": True, "author": staff, "receiver": turn.user, "created_at": now}
    with pytest.raises(IntegrityError, match="one_of_feedback"), transaction.atomic():
        Thread.every.create(assignment=turn, project=turn.project, kind="feedback", **closed)
    with pytest.raises(IntegrityError, match="message_quick_tag_once"), transaction.atomic():
        feedback.thread.messages.create(tag="good", **again)
    with pytest.raises(IntegrityError, match="message_not_empty"), transaction.atomic():
        feedback.thread.messages.create(**again)
    with pytest.raises(IntegrityError, match="message_receiver_iff"), transaction.atomic():
        feedback.thread.messages.create(text="More.", **(again | {"receiver": None}))
    feedback.thread.messages.create(tag="good", text="The first pair.", **again)
