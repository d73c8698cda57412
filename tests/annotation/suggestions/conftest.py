"""A question with two suggestions of one system, and somebody who writes answers to it."""

import pytest

from annotation.models import StagePolicy, SuggestionUse
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from annotation.work import tasks
from tests import factories
from tests.stages.window import Window

SYSTEM = "Reader 8B"
TRAINS = SuggestedContent(
    "pair",
    "When did the Thames Tunnel open to trains?",
    ("7 December 1869",),
    "It opened again on 7 December 1869.",
    "Thames Tunnel",
    "Thames_Tunnel",
)
LATER = SuggestedContent("pair", "When did the Thames Tunnel open after its repairs?", ("1998",))
OWN = {
    "kind": ["multiple"],
    "pair-0-question": ["When did the Thames Tunnel open to pedestrians?"],
    "pair-0-answer": ["25 March 1843"],
    "pair-0-quote": [""],
}
PAGE = "<p>It opened on 25 March 1843. It opened again on 7 December 1869.</p>"


@pytest.fixture
def store(now):
    def store(question, *suggested, system=SYSTEM, version="1"):
        return suggestions_services.store_suggestions(
            question=question, system=system, version=version, suggestions=suggested, now=now
        )

    return store


@pytest.fixture
def policy(project):
    StagePolicy.objects.filter(project=project).update(people=1, minimum_seconds=0)
    policy = StagePolicy.objects.get(project=project, stage="generation", split="train")
    policy.suggestions = SYSTEM
    policy.save()
    return policy


@pytest.fixture
def question(project, policy, store, now):
    question = factories.make_question(project, split="train")
    store(question, TRAINS, LATER)
    tasks.open_tasks(question_ids=[question.pk], now=now)
    return question


@pytest.fixture
def window(project, question, ann):
    """Ann with the question in hand; it is also the way in without scripts."""
    return Window(ann, project, "generation").take()


@pytest.fixture
def first(question):
    return question.suggestions.get(position=0)


@pytest.fixture
def second(question):
    return question.suggestions.get(position=1)


@pytest.fixture
def opened_page(window, project):
    """The page of the passage, as Ann opened it."""
    page = factories.make_shown(project.snapshot, html=PAGE)
    factories.make_visit(window.assignment, shown_page=page)
    return page


@pytest.fixture
def own(window, opened_page):
    """Ann has written a pair of her own."""
    return press(window, "save", OWN)


def press(window, action, changes=None):
    """Press a button with changed fields, as without scripts, and look at the page again."""
    fields = {**window.fields, **(changes or {}), "action": [action]}
    answer = window.post("draft", fields)
    assert answer.status_code == 302, answer.text
    return window.open()


def uses(window):
    """The fate and reason of each suggestion that was shown, by its position."""
    rows = SuggestionUse.objects.filter(assignment=window.assignment)
    return {
        position: (fate, reason)
        for position, fate, reason in rows.values_list("suggestion__position", "fate", "reason")
    }
