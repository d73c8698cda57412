"""Exams in which people choose a verdict, in every protocol that has some (Q6)."""

import json

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict, Denied
from annotation.models import Qualified
from annotation.protocols import registry as protocols
from annotation.qualifications import attempts
from annotation.qualifications import services as qualifications_services
from annotation.qualifications.items import Item, item_json, items_from_file
from annotation.text.cleaning import ResponseError
from annotation.work.taking import take_next
from tests import factories
from tests.annotation.qualifications.helpers import answer_to, make

KINDS = [
    (protocol, kind)
    for protocol in ("qampari", "nq")
    for kind in protocols.get_protocol(protocol).exams
]
EVERY_KIND = pytest.mark.parametrize(("protocol", "kind"), KINDS)
SHOWN = "“Kelso”: <b>Kelso</b> Bridge crosses the Tweed."
pytestmark = pytest.mark.django_db


@pytest.fixture
def now():
    return timezone.now()


@pytest.fixture
def exam(protocol, kind, now):
    project = factories.make_project(protocol=protocol)
    rosa = factories.make_member(project, "researcher")
    items = [
        Item(prompt=f"Which bridges are there? {n}", expected={"shown": SHOWN, "verdict": verdict})
        for n, verdict in enumerate([*protocols.exam_of(kind).options][:2])
    ]
    return make(project, rosa, now, items=items, kind=kind, review_from=2, pass_at=2)


@pytest.fixture
def ann(exam):
    return factories.make_member(exam.project, "annotator")


def choose(client, attempt, number, verdict):
    answer = answer_to(attempt, number)
    fields = {"verdict": verdict, "version": answer.draft_version, "action": "save"}
    assert (
        client.post(reverse("attempt-draft", args=[attempt.pk, number]), fields).status_code < 400
    )
    assert answer_to(attempt, number).draft["verdict"] == verdict


@EVERY_KIND
def test_who_chooses_right_can_be_qualified(exam, kind, ann, now, client_as):
    client = client_as(ann)
    attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
    first, second, *_ = protocols.exam_of(kind).options
    page = client.get(reverse("attempt-item", args=[attempt.pk, 1])).text
    assert "&lt;b&gt;Kelso&lt;/b&gt;" in page
    assert "<b>Kelso" not in page
    assert page.count('name="verdict" value="') == len(protocols.exam_of(kind).options) + 1
    assert " checked" not in page[page.index('id="verdict-choice"') :]
    assert "Check my response" not in page
    choose(client, attempt, 1, first)
    choose(client, attempt, 2, second)
    with pytest.raises(Conflict):
        attempts.check_answer(answer=answer_to(attempt, 1), by=ann, now=now)
    attempts.submit_attempt(attempt=attempt, by=ann, now=now)
    attempt.refresh_from_db()
    assert [answer.passed for answer in attempt.answers.order_by("number")] == [True, True]
    assert attempt.score == 2


@EVERY_KIND
def test_who_chooses_wrong_is_not_told_what_is_right(exam, kind, ann, now, client_as):
    client = client_as(ann)
    attempt = attempts.start_attempt(qualification=exam, by=ann, now=now)
    first, second, *_ = protocols.exam_of(kind).options.items()
    choose(client, attempt, 1, second[0])
    attempts.submit_attempt(attempt=attempt, by=ann, now=now)
    assert answer_to(attempt, 1).passed is False
    shown = client.get(reverse("attempt-view", args=[attempt.pk])).text
    assert f"Right is <strong>{first[1]}" not in shown
    assert not Qualified.objects.exists()


@EVERY_KIND
def test_the_teams_pages_say_what_is_right(exam, kind, now, client_as):
    staff = client_as(factories.make_member(exam.project, "admin"))
    label = next(iter(protocols.exam_of(kind).options.values()))
    page = staff.get(reverse("qualification-view", args=[exam.project.slug, exam.pk])).text
    assert f"right is “{label}”" in page.replace("&#39;", "'")
    assert "pass score" not in page
    item = exam.items.first()
    place = [exam.project.slug, exam.pk, item.pk]
    assert label in staff.get(reverse("qualification-preview", args=place)).text


@EVERY_KIND
def test_items_come_from_a_form_and_from_a_file(exam, kind, now, client_as):
    options = protocols.exam_of(kind).options
    qualifications_services.set_state(
        qualification=exam, state="draft", by=exam.created_by, now=now
    )
    staff = client_as(exam.created_by)
    address = reverse("qualification-item-add", args=[exam.project.slug, exam.pk])
    fields = {"part": "exam", "prompt": "Is it?", "hint_seconds": 0, "shown": "A text."}
    refused = staff.post(address, fields | {"verdict": "else"})
    assert refused.status_code == 422
    assert staff.post(address, fields | {"verdict": [*options][-1]}).status_code == 302
    item = exam.items.last()
    assert item.expected == {"shown": "A text.", "verdict": [*options][-1]}
    row = item_json(Item(prompt="Is it?", expected=item.expected))
    [read] = items_from_file(json.dumps([row]).encode(), kind=kind, options=options)
    assert read.expected == item.expected
    for wrong in ("", "else", None):
        rows = json.dumps([row | {"verdict": wrong}]).encode()
        with pytest.raises(ResponseError):
            items_from_file(rows, kind=kind, options=options)


@pytest.mark.parametrize(("protocol", "kind"), [("qampari", "answer_check")])
def test_a_policy_asks_for_it(exam, ann, now):
    exam.project.policies.create(
        stage="qampari-check", split="dev", people=1, minimum_seconds=0, qualification=exam
    )
    factories.make_task(exam.project, stage="qampari-check", split="dev")
    with pytest.raises(Denied, match="Pass the qualification first"):
        take_next(project=exam.project, stage="qampari-check", by=ann, now=now)
