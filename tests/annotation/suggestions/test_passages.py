"""Passages as evidence candidates: what of them becomes a quote, and why it may not."""

import pytest

from annotation.suggestions.values import SuggestedContent
from tests.annotation.suggestions.conftest import OWN, press, uses
from tests.stages.window import HX, buttons_of
from wikipedia.models import Quote

pytestmark = pytest.mark.django_db

TEXT = "It opened on 25 March 1843. It opened again on 7 December 1869."
OTHER = "It has two arches."


@pytest.fixture
def passage(question, store):
    """A passage of a newer version, so that it is the only suggestion."""
    passages = [SuggestedContent("passage", text=text, title="Tunnel", path="Thames_Tunnel")
                for text in (TEXT, OTHER)]  # fmt: skip
    store(question, *passages, version="2")
    return question.suggestions.get(content__text=TEXT)


@pytest.fixture
def other(passage, question):
    return question.suggestions.get(content__text=OTHER)


def test_the_words_of_an_answer_become_its_quote(window, opened_page, passage):
    press(window, "save", OWN | {"pair-1-question": ["?"], "pair-1-answer": ["7 December 1869"]})
    press(window, f"accept-suggestion {passage.pk}")
    quotes = {quote.exact: quote.pk for quote in Quote.objects.filter(made_by="suggestion")}
    first, second = window.row().draft["pairs"]
    assert first["answers"] == [{"text": "25 March 1843", "quote": quotes["25 March 1843"]}]
    assert second["answers"] == [{"text": "7 December 1869", "quote": quotes["7 December 1869"]}]
    assert "Used as evidence" in window.words
    assert uses(window)[0] == ("accepted", "")
    press(window, "save")
    assert uses(window)[0] == ("accepted", "")


def test_it_is_put_back(window, opened_page, passage):
    press(window, "save", OWN)
    press(window, f"accept-suggestion {passage.pk}")
    press(window, f"put-back-suggestion {passage.pk}")
    assert uses(window)[0] == ("", "")
    assert f"accept-suggestion {passage.pk}" in buttons_of(window.html)


def refused(window, passage):
    fields = window.open().fields | {"action": [f"accept-suggestion {passage.pk}"]}
    before = window.row().draft
    answer = window.post("draft", fields, headers=HX)
    assert answer.status_code == 422
    assert window.row().draft == before
    assert uses(window)[0] == ("", "")
    return answer.text


def test_a_page_that_was_not_opened_is_no_evidence(window, passage):
    press(window, "save", OWN)
    assert "Open the page of this passage first" in refused(window, passage)


def test_a_passage_without_any_answer_is_no_evidence(window, opened_page, passage, other):
    press(window, "save", OWN)
    assert "This passage has none of your answers" in refused(window, other)


def test_five_passages_at_most_are_shown(window, opened_page, question, store):
    store(
        question, *(SuggestedContent("passage", text=f"Fact {n}.") for n in range(9)), version="2"
    )
    press(window, "save", OWN)
    assert "5 from" in window.words
    press(window, f"dismiss-suggestion {question.suggestions.filter(version='2').first().pk}")
    assert len(uses(window)) == 5
