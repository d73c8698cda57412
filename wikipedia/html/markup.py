"""Wikipedia's HTML as a tree: parse it, drop everything but the article, walk its text.

Shared by the reader (which shows an article) and the extractor (which indexes it), so that both
mean the same by "the article's text".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from lxml import etree, html
from lxml.html import HtmlElement

from wikipedia.html.page import PageMissing
from wikipedia.text.words import word_set

# The longest articles have tens of thousands of elements, with a dozen attributes at most.
MAX_ELEMENTS: Final = 150_000
MAX_ATTRIBUTES: Final = 200
BLOCK_TAGS: Final = word_set(
    "address article aside blockquote body br caption center dd details dialog div dl dt fieldset"
    " figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol p pre"
    " section summary table tbody td tfoot th thead tr ul"
)
HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
# Elements that are never text of an article, whatever their content.
_DROPPED_TAGS: Final = word_set(
    "script style noscript template iframe frame frameset object embed applet form input button"
    " select textarea option link meta base head title svg audio video source track canvas map"
    " area dialog xmp plaintext noembed noframes portal marquee"
)
# Elements left out of Wikipedia's own mobile view, and the marks of the archive's maker.
_CHROME_CLASSES: Final = word_set(
    "mw-editsection navbox navbox-styles vertical-navbox navbar sistersitebox side-box metadata"
    " noprint mw-empty-elt mw-jump-link catlinks printfooter mw-indicators zim-footer toc"
    " authority-control mbox-small ambox portal portalbox shortdescription Z3988 mw-hidden-catlinks"
    " mw-references-columns-styles"
)
_REFERENCE_HREF: Final = re.compile(r"#cite[_-]?note", re.IGNORECASE)
_MARKED: Final = "marked"  # not an HTML element: everything renamed to it is removed
_HIDDEN_STYLE: Final = re.compile(r"(display:none|visibility:hidden)", re.IGNORECASE)
_ISSUED: Final = "This article is issued from"
_ROOTS: Final = ('//*[@id="mw-content-text"]', '//*[contains(@class,"mw-parser-output")]', "//body")


@dataclass(frozen=True)
class TextBlock:
    """One line of text: that of a paragraph, list item, table cell or heading.

    `section` is the path of headings above it; `level` is 1 to 6 for a heading and 0 otherwise;
    `cell` is the innermost table cell around it.
    """

    kind: str
    text: str
    section: tuple[str, ...]
    level: int = 0
    cell: HtmlElement | None = field(default=None, compare=False, repr=False)


class TooComplicated(PageMissing):
    """A page that would take minutes to parse; none is like that by accident."""

    def __init__(self) -> None:
        super().__init__(
            "This page is too complicated to be shown. Choose another page, or read it on "
            "Wikipedia itself."
        )


class _Limits:
    """Checks a page while it is parsed, before a tree is built: many attributes are costly then."""

    def __init__(self) -> None:
        self.elements = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self.elements += 1
        if self.elements > MAX_ELEMENTS or len(attributes) > MAX_ATTRIBUTES:
            raise TooComplicated

    def close(self) -> None:
        return None


def parse_document(source: str) -> HtmlElement:
    """Return HTML as a tree. Any text can be parsed; without content it is an empty div.

    Raises `TooComplicated`.
    """
    data = source.replace("\x00", "").encode("utf-8", "replace")
    try:
        # The stubs require methods that lxml does not call if a target lacks them.
        limits = cast("etree.ParserTarget", _Limits())
        etree.fromstring(data, etree.HTMLParser(target=limits, encoding="utf-8"))
        parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
        return html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, AssertionError):
        return html.Element("div")


def parse_article(source: str) -> HtmlElement:
    """Return the element that holds the article. Raises `TooComplicated`."""
    whole = parse_document(source)
    for query in _ROOTS:
        found = cast("list[HtmlElement]", whole.xpath(query))
        if found:
            return found[0]
    return whole


def drop_chrome(root: HtmlElement) -> None:
    """Remove scripts, forms, hidden parts, navigation boxes, edit links and archive footers."""
    _replace_formulas(root)
    etree.strip_elements(root, *_DROPPED_TAGS, with_tail=False)
    drop_all([e for e in root.iter() if not isinstance(e.tag, str) or _is_chrome(e)], root)
    for element in list(root.iter("div", "p", "footer"))[-6:]:
        if words_of(element).lstrip().startswith(_ISSUED):
            drop_element(element, root)


def drop_element(element: HtmlElement, root: HtmlElement) -> None:
    """Remove an element with its content, keeping the text after it."""
    if element is not root and element.getparent() is not None:
        element.drop_tree()


def drop_all(elements: Iterable[HtmlElement], root: HtmlElement) -> None:
    """Remove many elements; one by one the time would grow with the square of their number."""
    for element in elements:
        if element is not root:
            element.tag = _MARKED
    etree.strip_elements(root, _MARKED, with_tail=False)


def unwrap_all(elements: Iterable[HtmlElement], root: HtmlElement) -> None:
    """Remove elements and keep their content."""
    for element in elements:
        if element is not root:
            element.tag = _MARKED
    etree.strip_tags(root, _MARKED)


def elements_with_content(
    root: HtmlElement, also: Callable[[HtmlElement], bool] = lambda element: False
) -> set[HtmlElement]:
    """Return the elements holding words or `also` elements, in one pass from the inside out."""
    found: set[HtmlElement] = set()
    for element in reversed(list(root.iter())):
        parent = element.getparent()
        if element in found or also(element) or (element.text and element.text.strip()):
            found.add(element)
            if parent is not None:
                found.add(parent)
        elif parent is not None and element.tail and element.tail.strip():
            found.add(parent)
    return found


def class_names(element: HtmlElement) -> set[str]:
    return set((element.get("class") or "").split())


def is_reference_mark(element: HtmlElement) -> bool:
    """Whether this is a footnote mark such as [3], which is shown but is not text to quote."""
    if element.tag != "sup":
        return False
    if "reference" in class_names(element) or (element.get("id") or "").startswith("cite_ref"):
        return True
    link = element.find(".//a")
    return link is not None and bool(_REFERENCE_HREF.search(link.get("href") or ""))


def words_of(element: HtmlElement) -> str:
    """Return all text inside an element, as in the source."""
    return "".join(str(piece) for piece in element.itertext())


def normalise_text(text: str) -> str:
    """Return text with single spaces, trimmed, in Unicode normal form C."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def text_blocks(
    root: HtmlElement, skip: Callable[[HtmlElement], bool] = is_reference_mark
) -> Iterator[TextBlock]:
    """Yield the text in reading order, one block per visible line; `skip` prunes elements."""
    walker = _Walker()
    skipping: HtmlElement | None = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            if skipping is None and (not isinstance(element.tag, str) or skip(element)):
                skipping = element
            if skipping is None:
                yield from walker.enter(element)
            continue
        if skipping is None:
            yield from walker.leave(element)
        elif skipping is element:
            skipping = None
        if skipping is None and element is not root and element.tail:
            walker.buffer.append(element.tail)
    yield from walker.flush()


class _Walker:
    """Collects text between the edges of blocks, and tracks its place in the article."""

    def __init__(self) -> None:
        self.buffer: list[str] = []
        self._kinds: list[tuple[HtmlElement, str]] = []
        self._sections: list[tuple[int, str]] = []

    def enter(self, element: HtmlElement) -> Iterator[TextBlock]:
        if element.tag in BLOCK_TAGS:
            yield from self.flush()
        kind = _kind(element)
        if kind:
            self._kinds.append((element, kind))
        if element.text:
            self.buffer.append(element.text)

    def leave(self, element: HtmlElement) -> Iterator[TextBlock]:
        if element.tag in BLOCK_TAGS:
            yield from self.flush()
        if self._kinds and self._kinds[-1][0] is element:
            self._kinds.pop()

    def flush(self) -> Iterator[TextBlock]:
        text = normalise_text("".join(self.buffer))
        self.buffer.clear()
        if not text:
            return
        kind = self._current_kind()
        level = 0
        if kind == "heading":
            level = next(int(e.tag[1]) for e, k in reversed(self._kinds) if k == "heading")
            self._sections = [(lv, name) for lv, name in self._sections if lv < level]
        section = tuple(name for _, name in self._sections)
        if kind == "heading":
            self._sections.append((level, text))
        cell = next((e for e, _ in reversed(self._kinds) if e.tag in ("td", "th")), None)
        yield TextBlock(kind, text, section, level, cell)

    def _current_kind(self) -> str:
        kinds = [kind for _, kind in self._kinds]
        for kind in ("infobox", "caption", "heading", "table_cell", "list"):
            if kind in kinds:
                return kind
        return "paragraph"


def _kind(element: HtmlElement) -> str:
    tag = element.tag
    if tag == "table":
        return "infobox" if "infobox" in class_names(element) else ""
    if tag in ("td", "th"):
        return "table_cell"
    if tag in ("li", "dd", "dt"):
        return "list"
    if tag in HEADINGS:
        return "heading"
    if tag in ("caption", "figcaption"):
        return "caption"
    if tag == "div" and class_names(element) & {"thumbcaption", "gallerytext"}:
        return "caption"
    return ""


def _is_chrome(element: HtmlElement) -> bool:
    return _is_hidden(element) or bool(class_names(element) & _CHROME_CLASSES)


def _is_hidden(element: HtmlElement) -> bool:
    style = element.get("style")
    return element.get("hidden") is not None or bool(
        style and _HIDDEN_STYLE.search("".join(style.split()))
    )


def _replace_formulas(root: HtmlElement) -> None:
    """Replace MathML by the picture next to it, or by its source text if there is none."""
    pictured: dict[HtmlElement, bool] = {}
    replaced: list[HtmlElement] = []
    for formula in list(root.iter("math")):
        wrapper = formula
        while wrapper.getparent() is not None and wrapper.getparent().tag == "span":
            wrapper = wrapper.getparent()
        if wrapper is not formula and wrapper not in pictured:
            pictured[wrapper] = wrapper.find(".//img") is not None
        if pictured.get(wrapper):
            replaced.append(formula)
            continue
        text = formula.get("alttext") or normalise_text(words_of(formula))
        formula.clear(keep_tail=True)
        formula.tag, formula.text = "span", text
    drop_all(replaced, root)
