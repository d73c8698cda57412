"""A gold item of each stage that has them, from the draw to the verdict on it."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.golds import services as golds_services
from annotation.models import Assignment, GoldFlag, GoldItem, GoldVerdict, Task
from annotation.stages import registry as stages
from annotation.work import seats
from tests import factories
from tests.stages.gold_examples import GOLDS
from tests.stages.scene import at_hand, example_of
from tests.stages.window import HX, Window

STAGES = list(GOLDS)
TOKEN = re.compile("[a-zA-Z0-9]{64}")  # against forged requests, new in each answer


@pytest.fixture(autouse=True)
def example(db, stage):
    with at_hand(stage):
        yield example_of(stage)


@pytest.fixture
def plan(stage, example, now):
    """A plan that has drawn items: next to each ordinary task, where there are enough."""
    project, about = example.project(), GOLDS[stage]
    project.policies.filter(stage=stage).update(people=2)
    about.ready(project, now)
    # What is open now, and the items, have a seat for everyone who comes.
    project.policies.filter(stage=stage).update(people=9)
    Task.objects.filter(policy__stage=stage).update(people=9)
    seats.recount_open_seats(Task.objects.values_list("pk", flat=True))
    return golds_services.save_plan(
        **{"project": project, "stage": stage, "by": None, "now": now},
        **{"rate": 50, "seed": 18, "source": about.source, "enough": 1, "missed": 1},
    )


def test_who_misses_it_is_found_and_who_does_not_is_not(plan, stage, example):
    for fills, missed in ((GOLDS[stage].right, False), (GOLDS[stage].wrong, True)):
        window = in_hand(plan, example, gold=True)
        for fill in fills[:-1]:
            assert window.post("step", fill(window.open().fields)).status_code == 302
        assert window.post("submit", fills[-1](window.open().fields)).status_code == 302
        verdict = GoldVerdict.objects.get(assignment=window.assignment)
        assert (verdict.missed, verdict.user) == (missed, window.user)
        assert GoldFlag.objects.filter(user=window.user, paused=True).exists() is missed
        assert not Assignment.objects.get(pk=window.assignment.pk).used


def test_nothing_asked_of_it_takes_more_statements_than_of_other_work(plan, example):
    """Else an answer would take longer, by which people could tell it apart."""
    type(plan).objects.update(pauses=False)  # a page says so to people who are paused
    for _ in range(2):  # the process is warm the second time
        plain = statements(in_hand(plan, example, gold=False), example)
        gold = statements(in_hand(plan, example, gold=True), example)
    assert gold == plain


def test_whatever_is_known_it_is_shown_the_same(plan, example, monkeypatch):
    """The same bytes as where another answer is known, and as where it is no gold item."""
    window, moment = in_hand(plan, example, gold=True), timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: moment)
    looks(window, example)  # whoever has looked before sees what they wrote
    as_gold = looks(window, example)
    item = GoldItem.objects.get(task=window.assignment.task_id)
    GoldItem.objects.filter(pk=item.pk).update(expected={"verdict": "unheard of"})
    assert looks(window, example) == as_gold
    if item.content:
        return  # other work has no content of its own in place of its unit's
    item.delete()
    task = Task.objects.filter(pk=window.assignment.task_id)
    Task.objects.filter(question__in=task.values("question"), unit=item.unit).update(unit="other")
    task.update(gold=False, unit=item.unit)
    Assignment.objects.filter(pk=window.assignment.pk).update(gold=False, used=True)
    assert looks(window, example) == as_gold


def looks(window, example):
    """Return what the person gets to see of the work, without what is new in each answer."""
    fields = example.write(window.open().fields, "costermongers")
    answers = {
        "page": window.client.get(window.url("page")),
        "api": window.client.get(f"/api/v1/work/{window.assignment.pk}/"),
        "home": window.client.get(reverse("home")),
        "reply": window.post("draft", fields | {"version": ["0"]}, headers=HX),
    }
    return {
        name: (answer.status_code, sorted(answer.headers), TOKEN.sub("", answer.text))
        for name, answer in answers.items()
    }


def in_hand(plan, example, *, gold):
    """Have somebody take work until it is gold, or is not; what came before is released."""
    person = factories.make_member(plan.project, stages.get_stage(plan.stage).role)
    window = Window(person, plan.project, plan.stage)
    while window.take().assignment.gold is not gold:
        assert window.post("return", {}).status_code == 302
    example.read(window.assignment)
    return window.open()


def statements(window, example):
    """Return how many statements each look at the work takes, before and after it is submitted."""
    fields = example.write(window.fields, "costermongers")
    asked = {
        "page": lambda: window.client.get(window.url("page")),
        "draft": lambda: window.post("draft", fields, headers=HX),
        "api": lambda: window.client.get(f"/api/v1/work/{window.assignment.pk}/"),
    }
    counts = {name: counted(request) for name, request in asked.items()}
    assert window.post("submit", window.open().fields).status_code == 302
    asked["list"] = lambda: window.client.get(reverse("submission-list"))
    del asked["draft"]
    return counts | {f"{name}, submitted": counted(request) for name, request in asked.items()}


def counted(request):
    with CaptureQueriesContext(connection) as queries:
        assert request().status_code == 200
    return len(queries)
