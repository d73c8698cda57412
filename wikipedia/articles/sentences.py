"""The sentences of an article, with their places in its text, and where its links lead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from wikipedia.articles.article import Article
from wikipedia.articles.stored_articles import PAGES
from wikipedia.text.passages import ends_sentence

# Running text. Cells, infoboxes, captions and headings have no sentences.
_KINDS: Final = frozenset({"paragraph", "list"})
_WORD: Final = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Code points `start` to `end` of an article's text; `block` is the number of its line."""

    start: int
    end: int
    block: int


def list_sentences(article: Article) -> Iterator[Sentence]:
    """Give the sentences of the paragraphs and lists of an article, in their order."""
    for number, block in enumerate(article.blocks):
        if block.kind not in _KINDS:
            continue
        words = list(_WORD.finditer(article.text, block.start, block.end))
        first = 0
        for place, word in enumerate(words):
            following = words[place + 1].group() if place + 1 < len(words) else ""
            if not following or ends_sentence(word.group(), following):
                yield Sentence(words[first].start(), word.end(), number)
                first = place + 1


def find_links(article: Article) -> dict[str, frozenset[str]]:
    """Return the words that link to each other article, by its path.

    A page links a name once as a rule, and then names it again without: so words that link
    somewhere mean it wherever they stand.
    """
    # It loads the parser of HTML, without which commands start.
    from wikipedia.articles.reader import tree_of
    from wikipedia.html.markup import normalise_text, words_of

    found: dict[str, set[str]] = {}
    for link in tree_of(article.html).iter("a"):
        address = link.get("href") or ""
        if address.startswith(PAGES):
            path = unquote(address.removeprefix(PAGES).partition("#")[0])
            if words := normalise_text(words_of(link)):
                found.setdefault(path, set()).add(words)
    return {path: frozenset(words) for path, words in found.items()}
