"""A gold item is changed as long as the question beside it, and no longer."""

import random

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.golds import services as golds_services
from annotation.models import Assignment, GoldItem, GoldVerdict, Question
from annotation.work import changing
from tests import factories
from tests.stages.window import words_of
from tests.telling.sessions import AFTERS, Session
from tests.telling.test_telling import Clock
from tests.telling.worlds import generation

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    """Open questions for two people each and a validator, with finished ones among them."""
    world = generation(random.Random(3), 24)
    world.project.policies.create(stage="validation", split="dev", people=1, minimum_seconds=0)
    golds_services.save_plan(
        **{"project": world.project, "stage": world.stage, "by": None, "now": timezone.now()},
        **{"rate": 40, "seed": 18, "source": "finished", "pauses": False},
    )
    return world


def beside(session):
    """Return a gold item of somebody and their work on the question beside it."""
    works = {item.work.task_id: item.work for item in session.items}
    for work in works.values():
        item = GoldItem.objects.filter(task=work.task_id, host__in=works).first()
        if item is not None:
            return work, works[item.host_id]
    raise AssertionError("nobody had a gold item and the task beside it")


def fresh(work):
    return Assignment.objects.select_related("policy", "project", "task__question").get(pk=work.pk)


def refusal(work, by):
    """Return why it cannot be changed, None if it can; nothing is changed."""
    try:
        changing.begin_change(assignment=fresh(work), by=by, now=timezone.now())
    except Conflict as conflict:
        return str(conflict)
    changing.leave_change(assignment=fresh(work), by=by, now=timezone.now())
    return None


def page(session, work):
    words = words_of(session.get("submission-view", work.pk).text)
    return words.replace(work.task.question.prompt, "THE QUESTION")


def test_both_close_when_a_validator_opens_the_question_beside(world):
    session = Session(world, Clock(), random.Random(5), by_api=True).run(99)
    gold, host = beside(session)
    person = session.person
    assert (refusal(gold, person), refusal(host, person)) == (None, None)
    for name in ("Change it", "You can change this"):
        assert name in page(session, gold)
        assert name in page(session, host)
    Question.objects.filter(pk=host.task.question_id).update(state="validating")
    task = factories.make_task(world.project, question=host.task.question, stage="validation")
    factories.make_assignment(task, factories.make_member(world.project, "validator"))
    told = refusal(gold, person)
    assert "the validator opened it" in told
    assert refusal(host, person) == told
    assert told in page(session, gold)
    assert told in page(session, host)


def test_no_validator_is_given_the_question_beside_while_it_is_changed(world):
    session = Session(world, Clock(), random.Random(5), by_api=True).run(99)
    gold, host = beside(session)
    Question.objects.filter(pk=host.task.question_id).update(state="validating")
    task = factories.make_task(world.project, question=host.task.question, stage="validation")
    for work in (gold, host):
        changing.begin_change(assignment=fresh(work), by=session.person, now=timezone.now())
        task.refresh_from_db()
        assert task.held_until is not None
        changing.leave_change(assignment=fresh(work), by=session.person, now=timezone.now())
        task.refresh_from_db()
        assert task.held_until is None


def test_beginning_and_leaving_a_change_by_the_api_are_both_read(world):
    session = Session(world, Clock(), random.Random(5), by_api=True).run(2)
    item = session.items[0]
    for name, answer in AFTERS["api-work-change"](session, item.work):
        item.note(name, answer)
    begun, left = (
        item.features[f"{method} api-work-change changing_until"] for method in ("POST", "DELETE")
    )
    assert begun > 0
    assert left is None


def test_a_changed_one_is_judged_again_and_is_no_data(world):
    session = Session(world, Clock(), random.Random(5), by_api=True).run(99)
    gold, _ = beside(session)
    missed = GoldVerdict.objects.get(assignment=gold).missed
    row = fresh(gold)
    begun = session.post("api-work-change", row.pk).json()
    answer = "25 March 1843" if missed else "7 December 1869"
    sent = begun["response"] | {"single": [{"text": answer, "quote": None}]}
    done = session.post(
        "api-work-submit",
        row.pk,
        data={"version": begun["version"], "response": sent, "step": ""},
        content_type="application/json",
    )
    assert done.status_code == 200, done.text
    assert GoldVerdict.objects.get(assignment=gold).missed is not missed
    assert not fresh(gold).used
