"""Suggestions of a model in the extended set: which are shown, and how what they gave is told."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.figures.filters import Filters
from annotation.figures.registry import Request
from annotation.models import SuggestionUse
from annotation.suggestions.values import SuggestedContent
from modeling.base import ArticlePassage, Prediction, ShortAnswer
from modeling.services.suggesting import list_suggestions
from qampari import for_models, panels, rows
from tests import factories
from tests.qampari.extending import make_project, ready
from tests.stages.suggested import SYSTEM, show, uses
from tests.stages.window import HX, Window

pytestmark = pytest.mark.django_db
CREE = SuggestedContent("answer", "", ("Cree Bridge", "Cree"), "He built Cree Bridge.", "Rennie")


@pytest.fixture
def project():
    return make_project()


@pytest.fixture
def work(project, now):
    """The page of somebody who extends the only question."""
    ready(project, now)
    person = factories.make_member(project, "annotator")
    window = Window(person, project, "qampari-extend")
    window.take()
    return window


def press(work, action, **fields):
    given = {name: [value] for name, value in fields.items()}
    answer = work.post("draft", work.open().fields | given | {"action": [action]})
    assert answer.status_code == 302, answer.text
    return work.open()


def exported(project, now, format="extended-set"):
    found = start_export(project=project, format=format, chosen=Selection(), by=None, now=now)
    [line] = b"".join(found.blocks()).splitlines()
    return json.loads(line)


def test_what_is_known_or_written_is_not_suggested(work, now):
    kelso = SuggestedContent("answer", answers=("The Bridge of Kelso", "kelso"))
    esk = SuggestedContent("answer", answers=("Esk",))
    show(work.assignment, kelso, esk, CREE, now=now)
    press(work, "add", new="the esk", source="John Rennie")
    assert f"1 from {SYSTEM}: 1 to look at" in work.words
    assert "Cree" in work.words
    assert "Bridge of Kelso" not in work.html
    assert uses(work.assignment) == [""]


def test_one_that_becomes_known_stays_where_it_was_seen(work, now):
    show(work.assignment, CREE, now=now)
    press(work, "add", new="Esk", source="John Rennie")
    press(work, "accept-suggestion " + str(pk_of()))
    row = work.assignment.task.question
    row.context = {"answers": [["Cree Bridge"]], "answer": ""}
    row.save()
    rows.replace_answer_rows([row])
    assert "as it was suggested" in work.open().words


def pk_of():
    return SuggestionUse.objects.get().suggestion_id


def test_one_with_the_words_of_an_answer_of_ones_own_is_not_taken_twice(work, now):
    show(work.assignment, CREE, now=now)
    press(work, "add", new="Esk", source="John Rennie")
    press(work, "add", new="the cree bridge", source="John Rennie")
    before = work.row().draft
    fields = work.fields | {"action": [f"accept-suggestion {pk_of()}"]}
    assert "is one of your answers already" in work.post("draft", fields, headers=HX).text
    assert work.row().draft == before


def test_a_set_with_suggestions_is_told_apart_in_files_and_figures(work, project, now):
    show(work.assignment, CREE, now=now)
    press(work, "add", new="Esk", source="John Rennie")
    press(work, f"accept-suggestion {pk_of()}")
    assert work.post("submit", work.fields).status_code == 302
    record = exported(project, now)
    assert record["added_answers"] == [
        {"answer_text": "Esk", "found_in": "John Rennie"},
        {"answer_text": "Cree Bridge", "found_in": "Rennie", "suggested": True},
    ]
    assert record["suggestions_shown"] == [1]
    raw = exported(project, now, "submissions")
    cree = {"text": "Cree Bridge", "page": "Rennie", "suggested": True}
    assert raw["response"]["added"] == [cree, {"text": "Esk", "page": "John Rennie"}]
    assert [each["fate"] for each in raw["suggestions"]] == ["accepted"]

    work.assignment.task.question.project.questions.update(state="accepted")
    panel = panels.added_panel(Request(project, Filters(), now))
    assert panel.rows == []
    assert "Left out: 1 question whose people were shown suggestions of a model; 2.00" in (
        panel.definition
    )
    table = panels.extended_panel(Request(project, Filters(), now))
    assert "On 1 question of it people were shown suggestions" in table.definition


def test_without_suggestions_nothing_speaks_of_any(work, project, now):
    press(work, "add", new="Esk", source="John Rennie")
    assert work.post("submit", work.fields).status_code == 302
    record = exported(project, now)
    assert "suggestions_shown" not in record
    assert "suggestion" not in json.dumps(exported(project, now, "submissions"))
    work.assignment.task.question.project.questions.update(state="accepted")
    for panel in (panels.added_panel, panels.extended_panel):
        assert "suggestions" not in panel(Request(project, Filters(), now)).definition


def test_work_that_saw_none_before_it_was_submitted_was_shown_none(work, now):
    show(work.assignment, CREE, now=now)
    fields = work.open().fields | {"added-0-text": ["Esk"], "added-0-page": ["John Rennie"]}
    assert work.post("submit", fields).status_code == 302
    assert uses(work.assignment) == []


def test_lists_of_a_model_are_suggested_with_their_passages():
    passage = ArticlePassage("1", "John Rennie", "He built Cree Bridge.")
    said = Prediction("1", (passage,), (ShortAnswer("Cree Bridge", passage=passage),))
    assert list(list_suggestions(said, for_models.FOR_MODELS.suggestions)) == [
        SuggestedContent("answer", "", ("Cree Bridge",), passage.text, passage.title)
    ]


def test_the_page_takes_as_many_queries_as_without(work, now, django_assert_max_num_queries):
    factories.make_visit(work.assignment)
    press(work, "add", new="Esk", source="John Rennie")
    with CaptureQueriesContext(connection) as queries:
        work.open()
    before = len(queries)
    show(work.assignment, *(CREE, SuggestedContent("answer", answers=("Dee",))) * 4, now=now)
    work.open()
    # What is offered, and what was seen of it; the rest as before.
    with django_assert_max_num_queries(before + 1):
        work.open()
