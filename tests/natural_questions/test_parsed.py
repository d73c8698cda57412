"""Each process keeps the pages used last, and shows no page that was replaced."""

import pytest

from natural_questions import parsed_pages, prepared_pages
from natural_questions.boxes import boxes_of
from natural_questions.page_html import chosen_in, page_html
from natural_questions.pages import keep_page
from natural_questions.tokens import Token, tokens_of
from tests.natural_questions import page
from tests.stages.examples import nq_project


@pytest.fixture
def question(db):
    parsed_pages.LAST.clear()
    return page.make_question(nq_project())


def test_a_page_is_read_once(question, django_assert_num_queries, monkeypatch):
    first = parsed_pages.parsed_of(question.pk)
    monkeypatch.setattr(prepared_pages, "tokens_of", None)
    with django_assert_num_queries(1):
        assert parsed_pages.parsed_of(question.pk) is first
    assert first.title == page.RECORD["document_title"]


def test_a_page_that_is_imported_again_is_read_again(question):
    assert parsed_pages.parsed_of(question.pk).boxes
    keep_page(question, "original", {"document_html": "<p>Another page.</p>"})
    assert "Another page." in parsed_pages.parsed_of(question.pk).html


def test_a_question_without_a_page_has_none(db):
    assert parsed_pages.parsed_of(0) is None


def of_size(tokens):
    return prepared_pages.ParsedPage("", "", [Token("word")] * tokens, [])


def test_the_pages_used_least_recently_are_dropped():
    last = parsed_pages.RecentPages(most_tokens=10)
    for question, tokens in ((1, 4), (2, 4)):
        last.keep_page(question, f"{question}", of_size(tokens))
    assert last.get(1)[0] == "1"
    last.keep_page(3, "3", of_size(4))
    assert [last.get(question)[0] for question in (1, 2, 3)] == ["1", "", "3"]
    last.keep_page(4, "4", of_size(99))
    assert [last.get(question)[0] for question in (1, 3, 4)] == ["", "", "4"]


def test_only_the_chosen_box_is_checked():
    tokens = tokens_of(page.RECORD)
    boxes = boxes_of(page.RECORD, tokens)
    shown = page_html(tokens, boxes)
    assert "checked" not in shown
    chosen = chosen_in(shown, page.PARAGRAPH)
    assert chosen.count(f'value="{page.PARAGRAPH}" checked>') == 1
    assert chosen.replace(" checked", "") == shown
    for other in ("", "none", "1-2"):
        assert chosen_in(shown, other) == shown
