import datetime as dt
from collections import Counter

import pytest
from django.utils import timezone

from annotation.figures.filters import Filters
from annotation.figures.registry import Request
from demo.verdicts import EXPERTS, load_verdicts
from natural_questions import demo, panels, system_panels
from natural_questions.boxes import boxes_of
from natural_questions.models import Page
from natural_questions.pages import page_of
from natural_questions.tokens import tokens_of
from tests import factories

pytestmark = pytest.mark.django_db


def test_the_demo_has_questions_with_pages_and_boxes():
    project = factories.make_project(protocol="nq")
    owner = factories.make_user(is_staff=True, is_superuser=True)
    now: dt.datetime = timezone.now()
    demo.load_questions(project, {"admin": owner}, now)
    questions = list(project.questions.all())
    assert Counter(question.state for question in questions) == {"imported": 6, "accepted": 6}
    for question in questions:
        record = page_of(question).record
        tokens = tokens_of(record)
        boxes = boxes_of(record, tokens)
        html = record["document_html"].encode()
        assert [box.span.start_token for box in boxes]
        for box in boxes:
            assert html[box.span.start_byte : box.span.end_byte].startswith(b"<")
    assert set("".join(Page.objects.values_list("kinds", flat=True))) >= {"p", "t", "r", "l", "i"}


def test_experts_have_judged_what_most_people_answered():
    project = factories.make_project(protocol="nq")
    people = {"admin": factories.make_user(is_staff=True, is_superuser=True)}
    people |= {login: factories.make_user(name=login) for login in EXPERTS}
    demo.load_questions(project, people, timezone.now() - dt.timedelta(days=3))
    load_verdicts(project, people, timezone.now())
    asked = Request(project, Filters(), timezone.now())
    shares = {row[1]: row[2] for row in panels.shares(asked).rows if row[2]}
    assert set(shares) == {"Correct", "Debatable", "Wrong", "Not judged"}
    counts = Counter(
        row[1].text for row in system_panels.build_judged_panel(asked).rows for _ in range(row[2])
    )
    assert counts == {"Most people": 5}
    names = [
        row[0] if isinstance(row[0], str) else row[0].text
        for row in system_panels.build_systems_panel(asked).rows
    ]
    assert names == ["Most people", "Single annotator", "Super-annotator"]
