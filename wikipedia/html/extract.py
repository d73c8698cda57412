"""Turn an article's HTML into what is searched: title, lead, text and passages of up to 100 words.

It also gives the paragraphs of an article as they are on the page. `wikipedia.text.passages` cuts
text into passages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lxml.html import Element, HtmlElement

from wikipedia.html import markup, tidy
from wikipedia.html.markup import TextBlock
from wikipedia.text.passages import cut_passages
from wikipedia.text.words import word_set

LEAD_CHARACTERS: Final = 2_000
LIST_WORDS: Final = 25
PARAGRAPH_WORDS: Final = 300  # the longest of ASQA's released context paragraphs has 285
_SKIPPED_CLASSES: Final = word_set(
    "reflist references mw-references-wrap refbegin hatnote error mw-ext-cite-error"
)
# Sections that list sources and links. Their words match many questions and answer none.
SKIPPED_SECTIONS: Final = frozenset(
    ["references", "external links", "further reading", "bibliography", "notes", "sources",
     "footnotes", "notes and references", "citations", "see also", "works cited"]
)  # fmt: skip
_SENTENCE_END: Final = re.compile(r"[.!?…。][\"'”’)\]]*$")


@dataclass(frozen=True)
class Section:
    """A heading with the text directly under it; the lead has an empty title and level 1."""

    level: int
    title: str
    text: str


@dataclass(frozen=True)
class Extract:
    """One article as plain text. `text` is everything, `lead` the text before the headings."""

    title: str
    lead: str
    text: str
    sections: tuple[Section, ...]
    passages: tuple[str, ...]


def extract_article(html: str, title: str) -> Extract:
    """Title, lead, sections and passages of an article's raw HTML."""
    root = _article_in(html, title)
    blocks = [b for b in markup.text_blocks(root, skip=_is_left_out) if not _in_skipped(b)]
    sections = tuple(_sections(blocks))
    lead = " ".join(b.text for b in blocks if not b.section and b.kind in ("paragraph", "list"))
    return Extract(
        title=title,
        lead=shorten_text(lead, LEAD_CHARACTERS),
        text="\n".join(block.text for block in blocks),
        sections=sections,
        passages=tuple(cut_passages(section.text for section in sections)),
    )


def list_paragraphs(html: str, title: str) -> list[str]:
    """Return the paragraphs of an article's HTML in order, each on one line and only once.

    Consecutive list items form one paragraph of up to 25 words: an item reads better with its
    neighbours, but is harder to find among many. A longer item is a paragraph of its own. Headings,
    captions, tables and infoboxes, whose cells say nothing on their own, and sections that list
    sources are left out. Paragraphs of more than 300 words are cut between sentences.
    """
    root = _article_in(html, title)
    blocks = markup.text_blocks(root, skip=_is_left_out)
    whole = _joined(block for block in blocks if not _in_skipped(block))
    found = [each for text in whole for each in cut_passages([text], PARAGRAPH_WORDS)]
    return list(dict.fromkeys(found))


def _article_in(html: str, title: str) -> HtmlElement:
    """Return the article's root; if too complicated, an empty one, so that the build continues."""
    try:
        root = markup.parse_article(html)
    except markup.TooComplicated:
        return Element("div")
    markup.drop_chrome(root)
    tidy.drop_title(root, title)
    return root


def _joined(blocks: Iterable[TextBlock]) -> Iterator[str]:
    """Yield paragraphs as they are, and list items joined as long as they fit."""
    items: list[TextBlock] = []
    count = 0
    for block in blocks:
        words_here = len(block.text.split())
        if items and (block.kind != "list" or count + words_here > LIST_WORDS):
            yield _running_text("", items).removesuffix(";")
            items, count = [], 0
        if block.kind == "list":
            items.append(block)
            count += words_here
        elif block.kind == "paragraph":
            yield block.text
    if items:
        yield _running_text("", items).removesuffix(";")


def _sections(blocks: Sequence[TextBlock]) -> Iterator[Section]:
    """Group lines under their headings. Cells and list items become clauses of one line."""
    level, title, lines = 1, "", list[TextBlock]()
    for block in blocks:
        if not block.level:
            lines.append(block)
            continue
        if lines or title:
            yield Section(level, title, _running_text(title, lines))
        level, title, lines = block.level, block.text, []
    if lines or title:
        yield Section(level, title, _running_text(title, lines))


def _running_text(title: str, lines: Sequence[TextBlock]) -> str:
    """One string for a section: prose as it is, cells and items set apart by punctuation.

    The infobox comes last: it repeats the lead in telegram style, and a first passage that
    begins with the lead sentence is what a reader (or a model) needs first.
    """
    prose = [line for line in lines if line.kind != "infobox"]
    box = [line for line in lines if line.kind == "infobox"]
    parts = [f"{title}."] if title else []
    for line in [*prose, *box]:
        text = line.text
        closed = _SENTENCE_END.search(text) or text.endswith((":", ";", ","))
        separator = ";" if line.kind in ("table_cell", "infobox", "list") else "."
        parts.append(text if closed else text + separator)
    return " ".join(parts)


def _in_skipped(block: TextBlock) -> bool:
    path = (*block.section, block.text) if block.level else block.section
    return any(name.strip().lower() in SKIPPED_SECTIONS for name in path)


def _is_left_out(element: HtmlElement) -> bool:
    return markup.is_reference_mark(element) or bool(markup.class_names(element) & _SKIPPED_CLASSES)


def shorten_text(text: str, characters: int) -> str:
    """Return the beginning of the text, at most `characters` long, ending between words."""
    if len(text) <= characters:
        return text
    return text[:characters].rsplit(" ", 1)[0]
