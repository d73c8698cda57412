"""The page of a long answer on the server: what it shows, saves, refuses and hands in."""

import re

import pytest
from django.urls import reverse

from annotation.models import Assignment, LongAnswer, StagePolicy
from tests.annotation.long_answers import helpers

HX = {"HX-Request": "true"}


@pytest.fixture
def work(project, question, ann, now):
    """Ann's question."""
    return helpers.take(project, ann, now)


@pytest.fixture
def client(client_as, ann):
    return client_as(ann)


def url(name, assignment):
    return reverse(f"work-{name}", args=[assignment.pk])


def form(assignment=None, **changes):
    """The fields of the form of a long answer that no rule asks about."""
    fields = {
        "version": assignment.draft_version if assignment else 0,
        "long_answer": helpers.TEXT,
        "piece-0-content": helpers.KNOWLEDGE[0].content,
        "piece-0-page": helpers.KNOWLEDGE[0].page,
        "piece-0-quote": "",
        "feedback": "",
    }
    return fields | {name.replace("__", "-"): value for name, value in changes.items()}


def reload(assignment):
    return Assignment.objects.get(pk=assignment.pk)


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_page(client, work):
    answer = client.get(url("page", work))
    assert answer.status_code == 200
