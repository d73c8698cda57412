"""Whether a gold item has suggestions hangs on the task beside it alone, so that none is told."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.core.refusals import Conflict
from annotation.golds import services as golds_services
from annotation.models import GoldItem, Job, Suggestion
from annotation.projects.services import change_policy
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.queries import SUGGEST
from annotation.suggestions.values import SuggestedContent
from natural_questions import pages
from natural_questions.annotation import PageAnnotation, PageSpan, to_json
from tests import factories
from tests.annotation.golds.checks import number_tasks
from tests.natural_questions import page
from tests.stages.examples import good_question, nq_project, nq_question
from tests.stages.suggested import SYSTEM
from tests.stages.test_gold_items import TOKEN
from tests.stages.window import HX, Window

pytestmark = pytest.mark.django_db
TABLE = "30-50"


@pytest.fixture
def project(now):
    number_tasks()
    project = nq_project()
    project.policies.filter(split="train").update(people=2)
    return project


@pytest.fixture
def host(project, now):
    return nq_question(project, now, "train")


@pytest.fixture
def finished(project):
    """A finished question to which two people gave the same answer."""
    first, end = map(int, page.PARAGRAPH.split("-"))
    said = to_json(PageAnnotation(good=True, long=PageSpan(first, end), candidate=0))
    question = page.make_question(project, split="train", state="accepted")
    pages.keep_annotations({question.pk: [said, said]})
    return question


def suggest(question, now, system=SYSTEM):
    content = SuggestedContent("long_answer", text="Height 31 metres", box=TABLE)
    suggestions_services.store_suggestions(
        question=question, system=system, version="1", suggestions=[content], now=now
    )


def draw(project, now):
    """Mix gold items in, one beside each task."""
    golds_services.save_plan(
        project=project, stage="nq", by=None, now=now, rate=50, seed=18, source="finished"
    )


def switch_on(project):
    project.policies.filter(split="train").update(suggestions=SYSTEM)


def begin(project, *, gold):
    """Have somebody take work until it is gold, or is not, and choose a box of their own."""
    window = Window(factories.make_member(project, "annotator"), project, "nq")
    while window.take().assignment.gold is not gold:
        assert window.post("return", {}).status_code == 302
    assert window.post("step", good_question(window.fields)).status_code == 302
    window.post("draft", window.open().fields | {"box": [page.PARAGRAPH]})
    return window.open()


def seen(window):
    """Return what the page, a reply and the API show of suggestions, without their numbers."""
    told = window.client.get(reverse("api-work-suggestions", args=[window.assignment.pk])).json()
    for row in told["suggestions"]:
        del row["id"]
    reply = window.post("draft", window.fields, headers=HX)
    panels = [
        TOKEN.sub("", html.partition('<section class="suggestions')[2].partition("</section>")[0])
        for html in (window.open().html, reply.text)
    ]
    for pk in Suggestion.objects.values_list("pk", flat=True):
        panels = [
            re.sub(rf"(suggestion|title|passage)([- ]){pk}\b", r"\1\2", each) for each in panels
        ]
    return panels, told


def test_it_shows_what_the_work_beside_it_shows(project, host, finished, now):
    suggest(host, now)
    suggest(finished, now)
    switch_on(project)
    draw(project, now)
    gold, plain = (seen(begin(project, gold=gold)) for gold in (True, False))
    assert f"1 from {SYSTEM}" in gold[0][0]
    assert gold == plain


def test_it_takes_as_many_statements(project, host, finished, now):
    suggest(host, now)
    suggest(finished, now)
    switch_on(project)
    draw(project, now)
    counts = []
    for _ in range(2):  # the process is warm the second time
        counts = [counted(begin(project, gold=gold)) for gold in (True, False)]
    assert counts[0] == counts[1]


def counted(window):
    address = reverse("api-work-suggestions", args=[window.assignment.pk])
    counts = []
    for ask in (
        window.open,
        lambda: window.post("draft", window.fields, headers=HX),
        lambda: window.client.get(address),
    ):
        with CaptureQueriesContext(connection) as queries:
            ask()
        counts.append(len(queries))
    return counts


def test_beside_a_question_that_came_after_the_run_it_shows_none(project, finished, now):
    suggest(finished, now)
    switch_on(project)
    nq_question(project, now, "train")
    draw(project, now)
    gold, plain = (seen(begin(project, gold=gold)) for gold in (True, False))
    assert f"{SYSTEM} has no suggestions for this question." in gold[0][0]
    assert gold == plain


def test_beside_a_question_that_failed_it_says_that_it_failed(project, host, finished, now):
    suggest(finished, now)
    switch_on(project)
    draw(project, now)
    Job.objects.create(
        project=project,
        kind=SUGGEST,
        state="done",
        options={"system": SYSTEM, "split": ""},
        result={"errors": [{"name": host.external_id, "reason": "No."}]},
        created_by=factories.make_member(project, "admin"),
        created_at=now,
        ended_at=now,
    )
    gold, plain = (seen(begin(project, gold=gold)) for gold in (True, False))
    assert "not available just now" in gold[0][0]
    assert gold == plain


def test_only_questions_with_suggestions_become_items_where_they_are_shown(
    project, host, finished, now
):
    suggest(host, now)
    switch_on(project)
    draw(project, now)
    assert not GoldItem.objects.exists()
    suggest(finished, now)
    draw(project, now)
    assert GoldItem.objects.get().task.question == finished


def test_without_suggestions_every_finished_question_can_be_one(project, host, finished, now):
    draw(project, now)
    assert GoldItem.objects.count() == 1


def test_suggestions_are_not_switched_on_where_an_item_has_none(project, host, finished, now):
    draw(project, now)
    suggest(host, now)
    staff = factories.make_member(project, "admin")
    policy = project.policies.get(split="train")
    with pytest.raises(Conflict, match="1 gold item on train would have no suggestion of"):
        change_policy(policy=policy, changes={"suggestions": SYSTEM}, by=staff, now=now)
    suggest(finished, now)
    change_policy(policy=policy, changes={"suggestions": SYSTEM}, by=staff, now=now)
    policy.refresh_from_db()
    assert policy.suggestions == SYSTEM


def test_an_item_in_somebodys_hands_counts_too(project, host, finished, now):
    draw(project, now)
    begin(project, gold=True)
    GoldItem.objects.get().task.__class__.objects.filter(gold=True).update(seats=0)
    policy = project.policies.get(split="train")
    with pytest.raises(Conflict, match="1 gold item"):
        change_policy(
            policy=policy,
            changes={"suggestions": SYSTEM},
            by=factories.make_member(project, "admin"),
            now=now,
        )
