"""A validator's turn at a disagreement, and the form as the page sends it."""

import re

import pytest
from django.urls import reverse

from annotation.work import assignments
from tests.stages.window import fields_of
from tests.validation.conftest import several

HX = {"HX-Request": "true"}
FIRST = several(
    ("When did London Bridge open to carts?", "1831", "August 1831"),
    ("When did London Bridge open in its present form?", "1973"),
)
SECOND = several(
    ("When did the present London Bridge open?", "1973", "17 March 1973"),
    ("When was London Bridge dedicated in Arizona?", "1971"),
)


def url(name, turn):
    return reverse(f"work-{name}", args=[turn.pk])


def key_of(html, form):
    """Return the key of the row whose final set has this form."""
    return re.search(rf'name="row-(r\d+)-answer" value="{re.escape(form)}"', html)[1]


@pytest.fixture
def turn(project, question, ann, ben, val, answer, now):
    """Val's turn at what Ann and Ben said."""
    answer(project, ann, FIRST)
    answer(project, ben, SECOND)
    return assignments.take_next(project=project, stage="validation", by=val, now=now)


@pytest.fixture
def browser(client_as, turn, val):
    """Val's browser without scripts: `open()`, `press(action)`, `submit()`, with the form whole."""
    return Browser(client_as(val), turn)


class Browser:
    def __init__(self, client, turn):
        self.client, self.turn = client, turn
        self.html = ""
        self.fields = {}

    def open(self):
        self.html = self.client.get(url("page", self.turn)).text
        self.fields = fields_of(self.html)
        return self

    def press(self, action, **more):
        """Press a button of the form, then look at the page it leads to."""
        self.fields |= {name.replace("__", "-"): value for name, value in more.items()}
        self.answer = self.client.post(
            url("draft", self.turn), self.fields | {"action": action}, follow=True
        )
        self.html = self.answer.text
        self.fields = fields_of(self.html)
        return self

    def submit(self, headers=None):
        self.answer = self.client.post(url("submit", self.turn), self.fields, headers=headers)
        return self.answer

    def key(self, form):
        return key_of(self.html, form)
