import datetime as dt
from collections import Counter

import pytest
from django.utils import timezone

from natural_questions import demo
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
