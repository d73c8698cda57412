"""Repairs that make an article's tree accessible: headings in order, lists of items, tables that
can be scrolled with the keyboard, links with a name. Each step takes the article's root element and
changes it in place.
"""

from __future__ import annotations

from typing import Final

from lxml import html
from lxml.html import HtmlElement

from wikipedia.html import links, markup
from wikipedia.html.markup import HEADINGS
from wikipedia.text.words import word_set

_RENAMED: Final = {
    "center": "div", "details": "div", "summary": "div", "header": "div", "footer": "div",
    "main": "div", "nav": "div", "aside": "div", "section": "div", "article": "div",
    "address": "div", "fieldset": "div", "legend": "div", "tt": "code", "strike": "s",
    "acronym": "abbr", "mark": "span", "font": "span", "big": "span", "u": "span", "dir": "ul",
    "menu": "ul",
}  # fmt: skip
_PARSOID_ID_LENGTH: Final = 8
_LEAD_PARAGRAPHS: Final = 2
_INLINE: Final = ("span", "b", "i", "sup", "small", "a", "strong", "em", "s", "code")
_BLOCKS: Final = word_set("p ul ol li dl dd dt div caption figcaption pre figure blockquote table")
_INSIDE: Final = frozenset(["table", "li", "dd", "dt", "figure", "blockquote", *HEADINGS])


def rename_elements(root: HtmlElement) -> None:
    """Replace obsolete elements, and landmarks that would compete with the page's own."""
    for element in root.iter(*_RENAMED):
        if element is not root:
            element.tag = _RENAMED[element.tag]
    for mark in root.iter("sup"):
        if markup.is_reference_mark(mark):
            mark.set("class", "reference")


def drop_title(root: HtmlElement, title: str) -> None:
    """Remove the title, which our page shows itself."""
    for heading in list(root.iter("h1"))[:3]:
        known = heading.get("id") in ("titleHeading", "firstHeading", "section_0")
        if known or markup.normalise_text(markup.words_of(heading)) == title:
            markup.drop_element(heading, root)


def order_headings(root: HtmlElement) -> None:
    """Move headings one level down, skip none, give ids; those in tables become plain text."""
    previous, used = 2, dict[str, int]()
    worded, empty = markup.elements_with_content(root), list[HtmlElement]()
    for heading in list(root.iter(*HEADINGS)):
        if heading not in worded:
            empty.append(heading)
        elif any(parent.tag in _INSIDE for parent in heading.iterancestors()):
            heading.tag = "div"
            heading.attrib.clear()
            heading.set("class", "inline-heading")
        else:
            level = max(2, min(int(heading.tag[1]) + 1, previous + 1, 6))
            heading.tag, previous = f"h{level}", level
            name = _heading_id(heading) or markup.normalise_text(markup.words_of(heading))
            heading.attrib.clear()
            heading.set("id", _unused(links.anchor_id(name), used))
    markup.unwrap_all(empty, root)


def keep_used_ids(root: HtmlElement, wanted: set[str]) -> set[str]:
    """Prefix the ids that links on the page lead to, drop the others; return those that exist."""
    seen: set[str] = set()
    for element in root.iter():
        key = element.get("id")
        if key is None:
            continue
        prefixed = key if element.tag in HEADINGS else links.anchor_id(key)
        if prefixed in seen or (element.tag not in HEADINGS and key not in wanted):
            del element.attrib["id"]
        else:
            element.set("id", prefixed)
            seen.add(prefixed)
    return seen


def lift_infobox(root: HtmlElement) -> None:
    """Put the first infobox before the lead; wide screens show the two side by side.

    Archives made of Wikipedia's mobile view have it after the first paragraph.
    """
    box = next((t for t in root.iter("table") if "infobox" in markup.class_names(t)), None)
    if box is None:
        return
    lead: list[HtmlElement] = []
    for before in box.itersiblings(preceding=True):
        if before.tag in HEADINGS or len(lead) > _LEAD_PARAGRAPHS:
            return
        if before.tag == "p":
            lead.append(before)
    if lead and len(lead) <= _LEAD_PARAGRAPHS:
        previous = box.getprevious()
        if box.tail and previous is not None:
            previous.tail = (previous.tail or "") + box.tail
        box.tail = None
        lead[-1].addprevious(box)


def order_lists(root: HtmlElement) -> None:
    """Make lists hold nothing but items, and put all items into lists."""
    for items in list(root.iter("ul", "ol")):
        _only_items(items, ("li",), "li")
    for item in list(root.iter("li")):
        parent = item.getparent()
        if parent is None or parent.tag not in ("ul", "ol"):
            item.tag = "div"
    for definitions in list(root.iter("dl")):
        tags = [child.tag for child in definitions]
        if "dt" in tags and "dd" in tags[tags.index("dt") :]:
            _only_items(definitions, ("dt", "dd"), "dd")
        else:  # Wikipedia indents with dl: no terms, so no definitions
            definitions.tag = "div"
            for child in definitions:
                if child.tag in ("dd", "dt"):
                    child.set("class", "indent" if child.tag == "dd" else "term")
                    child.tag = "div"
    for item in list(root.iter("dd", "dt")):
        parent = item.getparent()
        if parent is None or parent.tag != "dl":
            item.tag = "div"


def frame_tables(root: HtmlElement) -> None:
    """Frame outer tables so that the keyboard can scroll them; make empty headers plain cells."""
    filled = markup.elements_with_content(root, _is_media)
    for cell in root.iter("td", "th"):
        if cell.tag == "th" and cell not in filled:
            cell.tag = "td"
        if cell.tag == "td" and cell.get("scope") is not None:
            del cell.attrib["scope"]
    number = 0
    for table in list(root.iter("table")):
        inner = any(parent.tag == "table" for parent in table.iterancestors())
        parent = table.getparent()
        if parent is None or inner or "infobox" in markup.class_names(table):
            continue
        number += 1
        caption = table.find("caption")
        name = markup.normalise_text(markup.words_of(caption)) if caption is not None else ""
        frame = html.Element("div")
        frame.set("class", "wikitable-scroll")
        frame.set("role", "region")
        frame.set("tabindex", "0")
        frame.set("aria-label", f"Table {number}: {name[:120]}" if name else f"Table {number}")
        frame.tail, table.tail = table.tail, None
        parent.replace(table, frame)
        frame.append(table)


def drop_empty(root: HtmlElement) -> None:
    """Remove elements without visible content; white space between two words stays."""
    filled = markup.elements_with_content(root, _is_media)
    empty = [
        element
        for element in root.iter(*_INLINE, *_BLOCKS)
        if element.get("id") is None and element not in filled
    ]
    markup.drop_all([element for element in empty if element.tag in _BLOCKS], root)
    markup.unwrap_all([element for element in empty if element.tag in _INLINE], root)


def _only_items(items: HtmlElement, allowed: tuple[str, ...], wrapper: str) -> None:
    """Put loose content between the items of a list into items."""
    if items.text and items.text.strip():
        first = html.Element(wrapper)
        first.text, items.text = items.text, None
        items.insert(0, first)
    for child in list(items):
        tail = child.tail if child.tail and child.tail.strip() else None
        child.tail = None
        if child.tag not in allowed:
            item = html.Element(wrapper)
            items.replace(child, item)
            item.append(child)
            child = item
        if tail:
            loose = html.Element(wrapper)
            loose.text = tail
            child.addnext(loose)


def _heading_id(heading: HtmlElement) -> str:
    """Return the id that links use, on the heading or, in older articles, on a span inside it."""
    headline = heading.find('.//span[@class="mw-headline"]')
    for element in (headline, heading):
        key = str(element.get("id") or "") if element is not None else ""
        if key and not (key.startswith("mw") and len(key) <= _PARSOID_ID_LENGTH):
            return key
    return ""


def _is_media(element: HtmlElement) -> bool:
    return element.tag in ("img", "hr")


def _unused(name: str, used: dict[str, int]) -> str:
    """Return the name, numbered if it is taken; `used` has the last number of each name."""
    candidate = name
    while candidate in used:
        used[name] += 1
        candidate = f"{name}_{used[name]}"
    used[candidate] = 1
    return candidate
