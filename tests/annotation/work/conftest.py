"""A question in hand, and what a form sends."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assignment, Event
from tests import factories

TWO_PAIRS = {
    "kind": "multiple",
    "pair-0-question": "When did the Thames Tunnel open to pedestrians?",
    "pair-0-answer": ["25 March 1843"],
    "pair-0-quote": [""],
    "pair-1-question": "When did the Thames Tunnel open to trains?",
    "pair-1-answer": ["7 December 1869", "December 7, 1869"],
    "pair-1-quote": ["", ""],
}
HX = {"HX-Request": "true"}


@pytest.fixture
def task(project):
    return factories.make_task(project)


@pytest.fixture
def work(task, ann):
    """Ann's question, with a page she opened."""
    assignment = factories.make_assignment(task, ann)
    open_page(assignment)
    return assignment


def open_page(assignment, path="A/Thames_Tunnel"):
    return Event.objects.create(
        assignment=assignment,
        kind="page_open",
        at=timezone.now(),
        data={
            "title": "Thames Tunnel",
            "path": path,
            "via": "search",
            "search_event": None,
            "rank": None,
            "redirect_from": None,
            "text_sha256": "0" * 64,
        },
    )


def url(name, assignment):
    return reverse(f"work-{name}", args=[assignment.pk])


def form(assignment=None, **changes):
    """The fields of the form; "Keep, because…" for the pages that these tests do not have."""
    fields = dict(TWO_PAIRS)
    fields["version"] = assignment.draft_version if assignment else 0
    for number in (1, 2):
        fields.setdefault("keep-rule", []).append("not-on-page")
        fields.setdefault("keep-field", []).append(f"answer-{number}")
        fields.setdefault("keep-reason", []).append("It stands in the caption")
    return fields | {name.replace("__", "-"): value for name, value in changes.items()}


def reload(assignment):
    return Assignment.objects.get(pk=assignment.pk)
