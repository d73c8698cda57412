"""Whatever is known of an item: until it is submitted, its person's pages are the same bytes."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.generation.responses import to_json
from annotation.long_answers.response import to_json as long_to_json
from annotation.models import Part, QualificationItem
from annotation.qualifications import attempts
from annotation.qualifications.item_queries import Asked
from tests import factories
from tests.annotation.long_answers import helpers as long_answers
from tests.annotation.qualifications.helpers import (
    CROSSED,
    JUDGED,
    LONG_ANSWER,
    TUNNEL,
    WALKED,
    WRONG,
    answer_to,
    make,
    samples_of,
)

pytestmark = pytest.mark.django_db
HX = {"HX-Request": "true"}
TOKEN = re.compile("[a-zA-Z0-9]{64}")  # against forged requests, new in each answer
# What a person who answers may see is given, and stays as it is; what is known becomes another.
SEEDED = JUDGED.expected["seeded"]
KINDS = {
    "generation": (
        TUNNEL,
        {"accepted": [{"none": True}, {"answers": ["1850"]}]},
        to_json(WRONG),
    ),
    "validation": (
        JUDGED,
        {"seeded": [{**row, "correct": not row["correct"]} for row in SEEDED]},
        {"verdicts": ["correct", "incorrect"]},
    ),
    "long_answer": (
        WALKED,
        WALKED.expected | {"model_answer": CROSSED.expected["model_answer"]},
        long_to_json(LONG_ANSWER),
    ),
}


@pytest.fixture(params=[Part.EXAM, Part.STUDY])
def part(request):
    return request.param


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def attempt(kind, part, now):
    item, _, draft = KINDS[kind]
    project = long_answers.make_project() if kind == "long_answer" else factories.make_project()
    team = factories.make_member(project, "researcher")
    items = [item, item] if part == Part.EXAM else [*samples_of([item, item]), item]
    marks = {"submit_at": 1, "review_from": 1, "pass_at": 1}
    exam = make(project, team, now, kind=kind, items=items, **marks)
    person = factories.make_member(project, "annotator")
    attempt = attempts.start_attempt(qualification=exam, by=person, now=now, part=part)
    answer = answer_to(attempt)
    attempts.save_draft(answer=answer, draft=draft, version=0, by=person, now=now)
    return attempt


def look(client, attempt):
    """Return what the person gets to see, by address, without what is new in each answer."""
    exam, draft = attempt.qualification, reverse("attempt-draft", args=[attempt.pk, 2])
    answers = {
        name: client.get(reverse(name, args=args))
        for name, args in {
            "attempt-view": [attempt.pk],
            "attempt-item": [attempt.pk, 1],
            "qualification-start": [exam.project.slug, exam.pk],
            "qualification-list": [exam.project.slug],
            "home": [],
        }.items()
    }
    answers["attempt-draft"] = client.post(draft, {"version": "0"}, headers=HX)
    assert {answer.status_code for answer in answers.values()} == {200}
    return {
        name: (sorted(answer.headers), TOKEN.sub("", answer.text))
        for name, answer in answers.items()
    }


def test_the_pages_of_an_item_do_not_depend_on_what_is_known(
    kind, attempt, now, client_as, monkeypatch
):
    monkeypatch.setattr(timezone, "now", lambda: now)
    client = client_as(attempt.user)
    look(client, attempt)  # whoever has looked before sees what they wrote
    before = look(client, attempt)
    QualificationItem.objects.update(
        expected=KINDS[kind][1], threshold=0.5, explanation="It is a trap."
    )
    assert look(client, attempt) == before


def test_what_a_sheet_is_given_to_judge_does_not_say_what_is_right(project, rosa, now):
    exam = make(project, rosa, now, kind="validation", items=[JUDGED] * 3)
    given = Asked(exam, exam.items.first()).given
    assert [answer.correct for answer in given.annotations] == [None, None]
