"""The tags a protocol offers, and the last note to somebody."""

import datetime as dt

import pytest

from annotation.core.refusals import Conflict
from annotation.feedback import services as feedback_services
from annotation.feedback.queries import last_for
from annotation.models import Message
from annotation.protocols import registry as protocols
from tests import factories

pytestmark = pytest.mark.django_db


def test_a_protocol_offers_its_own_tags(turn, staff, now):
    assert protocols.get_protocol("asqa").feedback_tags["name_every"] == "Name every answer"
    assert "name_every" not in protocols.get_protocol("ambigqa").feedback_tags
    given = feedback_services.give_feedback(assignment=turn, tag="name_every", by=staff, now=now)
    assert str(given) == "Name every answer"


def test_a_tag_of_another_protocol_is_refused(turn, staff, now):
    with pytest.raises(Conflict, match="Choose one of the tags"):
        feedback_services.give_feedback(assignment=turn, tag="forms", by=staff, now=now)
    for tag in protocols.get_protocol("asqa").feedback_tags:
        feedback_services.give_feedback(assignment=turn, tag=tag, by=staff, now=now)
    assert Message.objects.count() == 5


def test_the_last_note_is_the_newest_of_the_project(
    writing, writer, turn, staff, now, django_assert_num_queries
):
    with django_assert_num_queries(1):
        assert last_for(writer, writing) is None
    feedback_services.give_feedback(assignment=turn, tag="a_list", by=staff, now=now)
    later = now + dt.timedelta(hours=1)
    feedback_services.give_feedback(
        assignment=turn, text="Say why it opened twice.", by=staff, now=later
    )
    with django_assert_num_queries(2):
        note = last_for(writer, writing)
        assert note.thread.assignment.task.question.prompt == "When did the thames tunnel open?"
    assert note.text == "Say why it opened twice."
    assert last_for(staff, writing) is None
    assert last_for(writer, factories.make_project(slug="elsewhere")) is None
