"""The gate between Wikipedia's HTML and our pages: a strict allow-list.

`prune_tree` strips every attribute we do not know from the tree, and `clean` (nh3) has the last
word on the serialised result: whatever the steps before it do, no script, style, form, frame, event
handler, foreign id or unknown class gets through.
"""

from __future__ import annotations

import re
from typing import Final

import nh3
from lxml.html import HtmlElement

from wikipedia.html import links, markup
from wikipedia.text.words import word_set

TEXT_TAGS: Final = word_set(
    "a abbr b bdi bdo blockquote br caption cite code dd del dfn div dl dt em figcaption figure"
    " h2 h3 h4 h5 h6 hr i img ins kbd li ol p pre q rp rt ruby s samp small span strong sub sup"
    " table tbody td tfoot th thead time tr ul var wbr"
)
CLASSES: Final = word_set(
    "internal external reference references reflist infobox wikitable wikitable-scroll thumb"
    " thumbinner thumbcaption tright tleft tnone floatright floatleft gallery gallerybox"
    " gallerytext hatnote plainlist hlist quotebox templatequote templatequotecite poem indent"
    " term inline-heading nowrap mw-halign-right mw-halign-left mw-halign-center columns"
)
EXTERNAL_REL: Final = "noopener noreferrer nofollow"
MAX_PICTURE_PIXELS: Final = 4_000
_EVERYWHERE: Final = frozenset(["id", "class", "lang", "dir"])
_ATTRIBUTES: Final[dict[str, frozenset[str]]] = {
    "a": frozenset(["href", "rel", "target"]),
    "abbr": frozenset(["title"]),
    "div": frozenset(["role", "tabindex", "aria-label"]),
    "img": frozenset(["src", "alt", "width", "height", "loading"]),
    "ol": frozenset(["start", "type", "reversed"]),
    "li": frozenset(["value"]),
    "td": frozenset(["colspan", "rowspan"]),
    "th": frozenset(["colspan", "rowspan", "scope"]),
    "time": frozenset(["datetime"]),
}
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_SCOPES: Final = frozenset(["row", "col", "rowgroup", "colgroup"])
# Attributes whose value is one of a few words are checked by nh3 itself.
_FIXED: Final[dict[str, dict[str, set[str]]]] = {
    "div": {"role": {"region"}, "tabindex": {"0"}},
    "img": {"loading": {"lazy"}},
    "a": {"rel": {EXTERNAL_REL}, "target": {"_blank"}},
    "th": {"scope": set(_SCOPES)},
}


def prune_tree(root: HtmlElement) -> None:
    """Drop unknown elements (keeping their text) and unknown or unusable attributes."""
    markup.unwrap_all([each for each in root.iter() if each.tag not in TEXT_TAGS], root)
    for element in root.iter():
        allowed = _ATTRIBUTES.get(element.tag, frozenset()) | _EVERYWHERE
        kept = {
            name: value
            for name, said in element.attrib.items()
            if name in allowed and (value := _value(element.tag, name, said)) is not None
        }
        if kept != dict(element.attrib):
            element.attrib.clear()
            element.attrib.update(kept)


def clean_html(html: str) -> str:
    """Return `html` reduced to the allow-list, as HTML that all browsers read alike."""
    return _CLEANER.clean(html)


def _value(tag: str, name: str, value: str) -> str | None:
    """Return the attribute's value made safe, or None to drop the attribute."""
    if name == "class":
        return " ".join(c for c in value.split() if c in CLASSES) or None
    if name == "lang":
        return value if _LANGUAGE.fullmatch(value) else None
    if name == "dir":
        return value.lower() if value.lower() in ("ltr", "rtl", "auto") else None
    if name in ("colspan", "rowspan"):
        return _whole(value, 1, 1_000)
    if name in ("width", "height"):
        return _whole(value, 1, MAX_PICTURE_PIXELS)
    if name in ("start", "value"):
        return _whole(value, -100_000, 1_000_000)
    if name == "scope":
        return value.lower() if value.lower() in _SCOPES else None
    if name == "type":
        return value if value in ("1", "a", "A", "i", "I") else None
    return value


def _whole(text: str, low: int, high: int) -> str | None:
    match = re.fullmatch(r"\s*(-?\d{1,7})(\.\d+)?(px)?\s*", text)
    if not match or not low <= int(match[1]) <= high:
        return None
    return str(int(match[1]))


def _filter(tag: str, name: str, value: str) -> str | None:
    """Return an attribute's safe value, or None; nh3 asks for every attribute it would keep."""
    if name == "src":
        return value if value.startswith("/") and not value.startswith("//") else None
    if name == "id":
        return value if value.startswith(links.ID_PREFIX) else None
    if name == "class":
        return value if CLASSES.issuperset(value.split()) else None
    return value


def _nh3_attributes() -> dict[str, set[str]]:
    """Return the attributes nh3 keeps, without those `_FIXED` restricts to certain values."""
    table = {tag: set(names) - set(_FIXED.get(tag, ())) for tag, names in _ATTRIBUTES.items()}
    return table | {"*": set(_EVERYWHERE)}


_CLEANER: Final = nh3.Cleaner(
    tags=set(TEXT_TAGS),
    clean_content_tags={"script", "style", "noscript", "template", "title", "textarea"},
    attributes=_nh3_attributes(),
    tag_attribute_values=_FIXED,
    attribute_filter=_filter,
    url_schemes={"http", "https"},
    strip_comments=True,
    link_rel=None,
)
