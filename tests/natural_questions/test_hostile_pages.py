"""Pages of Natural Questions made to keep a process busy: work in proportion to the page."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from natural_questions.boxes import boxes_of
from natural_questions.page_html import page_html
from natural_questions.tokens import Token, find_parts, tokenise_html, tokens_of
from tests.growth import growth

PAGES = {
    "lists never closed, and ends of no paragraph": lambda n: "<dl>" * n + "x</p>" * n,
    "lists never closed, and their items": lambda n: "<ul>" * n + "</li>" * n,
    "quotes never closed": lambda n: '<p a="' * n,
    "quotes of both kinds": lambda n: "<p a=\"'" * n,
    "tags never closed": lambda n: "<p " * n,
    "declarations never closed": lambda n: "<!" * n,
    "comments never closed": lambda n: "<!--" * n,
    "scripts never closed": lambda n: "<script" * n,
    "a long text": lambda n: "word " * n,
    "a long name of a tag": lambda n: "<" + "a" * n,
    "ends of nothing": lambda n: "</p>" * n,
    "spans without a number": lambda n: "<td " + "colspan " * n + ">",
}


def build_page(record):
    tokens = tokens_of(record)
    return page_html(tokens, boxes_of(record, tokens))


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_a_page_of_html_takes_time_in_proportion(make):
    assert growth(build_page, lambda size: {"document_html": make(size)}, 1_000) < 8


@pytest.mark.parametrize("make", PAGES.values(), ids=PAGES)
def test_a_page_of_words_takes_time_in_proportion(make):
    assert growth(build_page, lambda size: {"document_text": make(size)}, 1_000) < 8


# What the tokens of a page were before the scanner was made linear, in one pattern.
_PART = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|noscript|template)\b.*?(?:</\1\s*>|\Z)"
    r"|</?[A-Za-z](?:\"[^\"]*\"|'[^']*'|[^'\">])*>|<[!?][^>]*>|[^<]+|<",
    re.I | re.S,
)
PIECES = ["<", ">", '"', "'", "p", "/", "!", "?", "--", " ", "é", "<p>", "</p>", "<!--", "-->"]
PIECES += ["<script>", "</script>", "<td colspan=2>"]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_parts_are_those_of_one_pattern(page):
    assert list(find_parts(page)) == [
        (part[0], part[1] is not None or part[0].startswith("<!--"))
        for part in _PART.finditer(page)
    ]


def test_bytes_of_words_are_those_of_the_page():
    page = "<p>é 😀 a&amp;b</p> ü"
    data = page.encode()
    words = [token for token in tokenise_html(page) if not token.tag]
    assert [data[word.start_byte : word.end_byte].decode() for word in words] == [
        *("é", "😀", "a", "&amp;", "b", "ü")
    ]
    assert words[3] == Token("&", False, words[3].start_byte, words[3].end_byte)
