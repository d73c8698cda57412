"""Stored articles as text and HTML that stand alone, for files that leave Ambit."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from html import escape
from typing import Final

from wikipedia.articles.article import Article
from wikipedia.articles.stored_articles import DamagedPage, html_of, remove_wiki_links
from wikipedia.models import ShownPage

# The reader's page has a title of its own, two levels above the first sections.
_HEADING: Final = re.compile(r"(?<=<h)[3-6](?=[\s>])|(?<=</h)[3-6](?=>)")
# As the sanitiser writes pictures: values in double quotation marks, which are escaped in them.
_PICTURE: Final = re.compile(r'<img(?:\s+[\w-]+(?:="[^"]*")?)*\s*/?>')


@dataclass(frozen=True)
class PortablePage:
    """An article as it was shown. `url` is its address on the real Wikipedia, "" if unknown.

    `text` has one block a line, headings and list items marked as in Markdown. `html` has no
    pictures, which have terms of their own, and links to other articles lead nowhere.
    """

    title: str
    path: str
    rev_id: int | None
    url: str
    text: str
    html: str


def portable_pages(ids: Collection[int]) -> dict[int, PortablePage]:
    """Return stored pages by their ids, without those that are damaged. One query."""
    pages = {}
    for kept in ShownPage.objects.filter(pk__in=ids, html__isnull=False):
        try:
            html = html_of(kept)
        except DamagedPage:
            continue
        pages[kept.pk] = _portable(kept, html)
    return pages


def _portable(kept: ShownPage, html: str) -> PortablePage:
    # The parser is loaded where an article is read; commands that read none start without it.
    from wikipedia.articles.reader import read_again

    bare = _PICTURE.sub("", remove_wiki_links(html, files=""))
    bare = _HEADING.sub(lambda level: str(int(level[0]) - 1), bare)
    return PortablePage(
        title=kept.title,
        path=kept.path,
        rev_id=kept.rev_id,
        url=kept.url,
        text=_text(read_again(kept.title, html)),
        html=f"<h1>{escape(kept.title)}</h1>\n{bare}",
    )


def _text(article: Article) -> str:
    lines = [f"# {article.title}"]
    levels = iter([max(2, heading.level - 1) for heading in article.outline])
    for block in article.blocks:
        words = article.text[block.start : block.end]
        if block.kind == "heading":
            lines += ["", f"{'#' * next(levels, 2)} {words}", ""]
        elif block.kind == "list":
            lines.append(f"* {words}")
        else:
            lines.append(words)
    return "\n".join(lines)
