"""Highlighted words in long answers: stored, typed without scripts, and counted."""

import json

import pytest

from annotation.models import Question
from evaluation.labelling.spans import Span
from evaluation.models import Labelling
from tests import factories
from tests.annotation.long_answers import helpers
from tests.evaluation import factories as made
from tests.evaluation.labelling.steps import label, page_of
from tests.evaluation.reports.test_papers_read import LONG, bring, panels

pytestmark = pytest.mark.django_db
TEXT = "It opened in 1843. It opened in 1843."


@pytest.fixture
def long_item(now):
    long = helpers.make_project()
    bring(long, {"dev": LONG}, "asqa", None, now)
    system = made.make_system(long, "T5")
    made.make_output(system, Question.objects.get(project=long), TEXT)
    sample = made.make_label_sample(long, "long-errors", 2, system=system)
    return made.make_label_item(sample, Question.objects.get(project=long))


def test_highlights_are_stored_with_their_words_and_choose_their_category(
    long_item, client_as, now
):
    rosa = factories.make_member(long_item.sample.project, "researcher")
    client = client_as(rosa)
    spans = [
        {"start": 19, "end": 37, "category": "repetition"},
        {"start": 0, "end": 25, "category": "hallucination"},
    ]
    posted = {"spans": json.dumps(spans), "types": [], "seen": ""}
    assert client.post(page_of(long_item), posted).status_code == 302
    [row] = Labelling.objects.all()
    assert row.categories == ["hallucination", "repetition"]
    assert [(span["quote"], span["start"]) for span in row.spans] == [
        ("It opened in 1843. It ope", 0),
        ("It opened in 1843.", 19),
    ]
    page = client.get(page_of(long_item)).text
    assert '<mark data-numbers="1 3" title="Hallucination, Repetition">It ope</mark>' in page


def test_without_scripts_words_are_typed_and_taken_back(long_item, client_as):
    client = client_as(factories.make_member(long_item.sample.project, "researcher"))
    posted = {"passage": "It opened", "passage_category": "repetition", "add": "1", "spans": ""}
    page = client.post(page_of(long_item), posted)
    assert (page.status_code, page.text.count("<mark")) == (200, 1)
    kept = json.dumps([{"start": 0, "end": 9, "category": "repetition"}])
    page = client.post(page_of(long_item), {"remove": "0", "spans": kept})
    assert (page.status_code, "<mark" in page.text, "There is a problem" in page.text) == (
        *(200, False),
        False,
    )
    page = client.post(page_of(long_item), posted | {"passage": "It closed"})
    assert (page.status_code, "Copy them" in page.text) == (422, True)
    page = client.post(page_of(long_item), {"spans": "[{}]", "types": ["repetition"]})
    assert (page.status_code, "not within the text" in page.text) == (422, True)
    both = {"types": ["none"], "spans": kept}
    assert client.post(page_of(long_item), both).status_code == 422
    assert not Labelling.objects.exists()


def test_the_table_of_long_answers_counts_highlights(long_item, now):
    project = long_item.sample.project
    for name in ("Rosa", "Rob"):
        label(
            long_item,
            factories.make_member(project, "researcher", name=name),
            now,
            spans=[Span(0, 9, "repetition", "It opened")],
        )
    rows = {row[0]: row[1:] for row in panels(project, now)["asqa-table-6"].rows}
    items, share, highlights = rows["Repetition"]
    assert (items, share.value, highlights) == (1, 1, 2)
    assert rows["Hallucination"][0] == 0
    agreed = {row[1]: row[3].value for row in panels(project, now)["labels-agreement"].rows}
    assert agreed["All categories"] == agreed["Repetition"] == 100
