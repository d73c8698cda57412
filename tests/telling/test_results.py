"""The result of a gold item comes when other work of its time gets one, and so does its pay."""

import random

import pytest
from django.utils import timezone

from annotation.golds import services as golds_services
from annotation.models import PayEntry
from tests.telling.sessions import Session
from tests.telling.test_telling import Clock
from tests.telling.worlds import generation
from validation.outcomes import status
from validation.outcomes.values import Status

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    """Open questions for two people each, with finished ones among them."""
    world = generation(random.Random(3), 24)
    golds_services.save_plan(
        **{"project": world.project, "stage": world.stage, "by": None, "now": timezone.now()},
        **{"rate": 40, "seed": 18, "source": "finished", "pauses": False},
    )
    return world


def test_a_finished_question_waits_like_the_question_beside_it(world):
    draw = random.Random(5)
    first = Session(world, Clock(), draw, by_api=True).run(99)
    assert sum(item.gold for item in first.items) >= 2
    assert results(first) == {Status.WAITING}
    assert kinds(first) == {"submitted"}
    Session(world, Clock(), draw, by_api=True).run(99)
    assert results(first) == {Status.WRITTEN}
    assert kinds(first) == {"submitted", "accepted"}
    for item in first.items:
        assert len(paid(item)) == 2, item.gold


def test_the_pairs_of_a_gold_item_are_paid_like_those_of_the_question_beside_it(world):
    """A60: nothing tells a gold item by what it is paid, or by when."""
    world.project.policies.update(pay_pair="0.15", pay_pairs_max=2)
    draw = random.Random(5)
    first = Session(world, Clock(), draw, by_api=True).run(99)
    assert kinds(first) == {"submitted"}
    Session(world, Clock(), draw, by_api=True).run(99)
    assert kinds(first) == {"submitted", "accepted", "pairs"}
    for gold in (True, False):
        amounts = {
            str(amount)
            for item in first.items
            if item.gold == gold
            for amount in PayEntry.objects.filter(assignment=item.work, kind="pairs").values_list(
                "amount", flat=True
            )
        }
        assert amounts == {"0.15"}, gold
    for item in first.items:
        assert sorted(paid(item)) == ["accepted", "pairs", "submitted"], item.gold


def results(session):
    outcomes = [status.outcome_of(item.work) for item in session.items]
    return {outcome.status for outcome in outcomes if outcome}


def kinds(session):
    return {kind for item in session.items for kind in paid(item)}


def paid(item):
    return list(PayEntry.objects.filter(assignment=item.work).values_list("kind", flat=True))
