"""An article as the reader shows it: safe HTML, an outline, and canonical text for quotes.

`render_article` is the only way from a provider's raw HTML to a page of ours. Positions of quotes
count Unicode code points of `Article.text`: the text of the HTML shown, in normal form C, one
block a line, white space runs as one space, footnote marks left out.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final

from lxml import html as lxml_html
from lxml.html import HtmlElement

from wikipedia.articles.article import Article, Block, Heading
from wikipedia.html import links, markup, sanitise, tidy
from wikipedia.html.page import SourcePage

MAX_HTML_CHARACTERS: Final = 8_000_000


def render_article(
    page: SourcePage,
    *,
    page_url: Callable[[str], str],
    asset_url: Callable[[str], str],
) -> Article:
    """Make a source page safe and familiar.

    `page_url(path)` and `asset_url(path)` give the addresses, on our own origin, of other
    articles and of pictures; external links are marked, and links that lead nowhere become text.
    Raises `PageMissing` for a page that is too complicated.
    """
    root = markup.parse_article(page.html[:MAX_HTML_CHARACTERS])
    markup.drop_chrome(root)
    tidy.drop_title(root, page.title)
    tidy.rename_elements(root)
    tidy.order_headings(root)
    _show_pictures(root, page, asset_url)
    _lead_links(root, page, page_url)
    tidy.drop_empty(root)
    tidy.lift_infobox(root)
    tidy.order_lists(root)
    sanitise.prune_tree(root)
    tidy.frame_tables(root)
    inner = lxml_html.tostring(root, encoding="unicode", with_tail=False)
    shown = sanitise.clean_html(inner)
    return _article(page.title, shown)


def read_again(title: str, shown: str) -> Article:
    """Return the article for HTML that `render_article` made earlier; safe HTML stays as it is."""
    return _article(title, shown)


def _article(title: str, shown: str) -> Article:
    """Return outline and text of the HTML as sent, so that they match what people see."""
    root = tree_of(shown)
    outline = tuple(
        Heading(int(h.tag[1]), markup.normalise_text(markup.words_of(h)), h.get("id") or "")
        for h in root.iter("h2", "h3", "h4", "h5", "h6")
    )
    anchors = iter([heading.anchor for heading in outline])
    blocks: list[Block] = []
    lines: list[str] = []
    position, current = 0, ""
    for block in markup.text_blocks(root, skip=is_mark):
        if block.level:
            current = next(anchors, "")
        end = position + len(block.text)
        blocks.append(Block(position, end, block.kind, block.section, current))
        lines.append(block.text)
        position = end + 1
    text = "\n".join(lines)
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    return Article(title, shown, outline, text, digest, tuple(blocks))


def tree_of(shown: str) -> HtmlElement:
    """Return the HTML of an article, as it is sent, as a tree."""
    parser = lxml_html.HTMLParser(encoding="utf-8")
    return lxml_html.document_fromstring(f"<body><div>{shown}</div></body>".encode(), parser=parser)


def is_mark(element: HtmlElement) -> bool:
    """Whether this is a footnote mark, which is shown and is not part of the text."""
    return element.tag == "sup" and "reference" in markup.class_names(element)


def _show_pictures(root: HtmlElement, page: SourcePage, asset_url: Callable[[str], str]) -> None:
    """Load the source's pictures when scrolled to; show the text for pictures it lacks."""
    for picture in list(root.iter("img")):
        source = picture.get("src") or ""
        if not source or source.startswith("data:"):
            source = picture.get("data-src") or ""
        target = links.file_target(page, source)
        alternative = markup.normalise_text(picture.get("alt") or "")
        size = {name: picture.get(name) for name in ("width", "height")}
        picture.attrib.clear()
        if target.kind != "file":
            picture.tag = "span"
            picture.text = alternative
            continue
        picture.set("src", asset_url(target.value))
        picture.set("alt", alternative)
        picture.set("loading", "lazy")
        for name, value in size.items():
            if value:
                picture.set(name, value)


def _lead_links(root: HtmlElement, page: SourcePage, page_url: Callable[[str], str]) -> None:
    """Point links at the reader, mark those that leave, unwrap those that lead nowhere."""
    targets = [(a, links.link_target(page, a.get("href") or "")) for a in list(root.iter("a"))]
    wanted = {target.fragment for _, target in targets if target.kind == "here"}
    for element, _ in targets:  # a name is an id of old
        if element.get("name") and element.get("id") is None:
            element.set("id", element.get("name") or "")
    existing = tidy.keep_used_ids(root, wanted)
    # Elements that a screen reader announces.
    named = markup.elements_with_content(
        root, lambda element: element.tag == "img" and bool(element.get("alt"))
    )
    plain: list[HtmlElement] = []
    for element, target in targets:
        key = element.get("id")
        element.attrib.clear()
        if key is not None:
            element.set("id", key)
        if target.kind == "page":
            fragment = links.fragment_link(target.fragment) if target.fragment else ""
            element.set("href", page_url(target.value) + fragment)
            element.set("class", "internal")
        elif target.kind == "outside":
            element.set("href", target.value)
            element.set("class", "external")
            element.set("rel", sanitise.EXTERNAL_REL)
            element.set("target", "_blank")
        elif target.kind == "here" and links.anchor_id(target.fragment) in existing:
            element.set("href", links.fragment_link(target.fragment))
        if element.get("href") is None or element not in named:
            element.attrib.clear()
            if key is None:
                plain.append(element)
            else:  # others lead to it
                element.tag = "span"
                element.set("id", key)
    markup.unwrap_all(plain, root)
