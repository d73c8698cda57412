"""MediaWiki's HTML: put links into one form, recognise redirects, make snippets plain text.

Nothing here makes HTML safe; that is for `wikipedia.articles.reader.render_article`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, cast
from urllib.parse import parse_qs, quote, unquote, urljoin, urlsplit

from lxml import html as lxml_html

from wikipedia.html import markup
from wikipedia.search.results import Snippet

_SAFE: Final = "/:@!$'()*,;~-._"
_START, _END = "\ue000", "\ue001"  # private use: mark a match inside the text while it is cleaned
# A snippet has some hundred characters. The patterns below may read what they do not match again.
_SNIPPET_CHARACTERS: Final = 4_000
_SEARCHMATCH: Final = re.compile(
    r"<span\s[^<>]*class=[\"']?searchmatch[\"']?[^<>]*>(.*?)</span>", re.DOTALL
)
_TAG: Final = re.compile(r"</?[a-zA-Z!][^<>]{0,500}>")
_REFERENCE: Final = re.compile(r"<ref\b[^<>]*?(/>|>.*?</ref>)", re.DOTALL | re.IGNORECASE)
_COMMENT: Final = re.compile(r"<!--.*?(-->|$)", re.DOTALL)
_TEMPLATE: Final = re.compile(r"\{\{[^{}]*\}\}")
_HOUSEKEEPING: Final = re.compile(
    r"\[\[\s*:?(?:Category|File|Image)\s*:[^\[\]]*\]\]", re.IGNORECASE
)
_LINK: Final = re.compile(r"\[\[(?:[^\[\]|]*\|)*([^\[\]|]*)\]\]")
_OUTSIDE_LINK: Final = re.compile(r"\[https?://\S+ ?([^\[\]]*)\]")
_QUOTES: Final = re.compile(r"'{2,5}")
_SOURCE_TAG: Final = re.compile(
    r"</?(?:b|big|blockquote|br|center|code|div|em|gallery|i|li|math|nowiki|ol|p|ref|references|s"
    r"|small|span|strong|sub|sup|table|td|th|tr|u|ul)\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_MARKS: Final = re.compile(
    r"^#REDIRECT\b:?|\[\[|\]\]|\{\{+|\}\}+|\{\||\|\}|^\|-.*$|^[|!]|\|\||!!|={2,6}|^[*#:;]+ ?"
    r"|__[A-Z]{3,20}__",
    re.MULTILINE | re.IGNORECASE,
)


@dataclass(frozen=True)
class Site:
    """What a wiki says about itself.

    `articles` is the address of an article with `$1` for its title, `script` that of index.php.
    `hosts` maps the hosts (with port) that pages and pictures come from to their scheme.
    """

    name: str
    language: str
    licence: str
    articles: str
    script: str
    hosts: Mapping[str, str]
    namespaces: frozenset[str] = field(default_factory=frozenset)

    def address_of(self, path: str, revision: int | None = None) -> str:
        """Return the article's address (in this revision) on the wiki itself."""
        address = self.articles.replace("$1", quote(path, safe=_SAFE))
        if revision is None:
            return address
        return f"{address}{'&' if '?' in address else '?'}oldid={revision}"

    def path_of(self, address: str) -> tuple[str, str] | None:
        """Return path and fragment if an absolute address is of an article here, or None."""
        try:
            parts = urlsplit(address)
        except ValueError:
            return None
        bare = parts._replace(fragment="", query="").geturl()
        before, _, after = self.articles.partition("$1")
        if "?" not in self.articles and not parts.query and _starts(bare, before):
            if after and not bare.endswith(after):
                return None
            title = _without_scheme(bare)[len(_without_scheme(before)) :].removesuffix(after)
            return self._article(unquote(title), parts.fragment)
        query = parse_qs(parts.query)
        if _starts(bare, self.script) and set(query) <= {"title", "redirect"} and "title" in query:
            return self._article(query["title"][0], parts.fragment)
        return None

    def _article(self, title: str, fragment: str) -> tuple[str, str] | None:
        path = path_from(title)
        space = path.partition(":")[0].casefold() if ":" in path else ""
        if not path or (space and space in self.namespaces):
            return None
        return path, fragment


def path_from(title: str) -> str:
    """Return a title as written in an address, before quoting: underscores for spaces."""
    return "_".join(title.replace("_", " ").split())


def bring_home(source: str, site: Site, path: str) -> str:
    """Return the HTML with links to articles as `/wiki/Path` and all others absolute.

    Links to what is not an article (files, talk, pages still to be written) lose their target.
    """
    root = markup.parse_document(f"<div>{source}</div>")
    base = site.address_of(path)
    for picture in root.iter("img"):
        picture.set("src", _absolute(base, picture.get("src") or ""))
    for link in root.iter("a"):
        href = (link.get("href") or "").strip()
        if not href or href.startswith("#"):
            continue
        address = _absolute(base, href)
        known = site.path_of(address)
        if known is not None:
            fragment = f"#{known[1]}" if known[1] else ""
            link.set("href", f"/wiki/{quote(known[0], safe=_SAFE)}{fragment}")
        elif _host(address) in site.hosts:
            del link.attrib["href"]
        else:
            link.set("href", address)
    return str(lxml_html.tostring(root, encoding="unicode"))


def redirect_target(source: str, site: Site) -> str | None:
    """Return the path that this revision redirects to, if it is a redirect."""
    if "redirectMsg" not in source:
        return None
    found = cast(
        "list[str]",
        markup.parse_document(f"<div>{source}</div>").xpath(
            "//div[contains(@class,'redirectMsg')]//*[contains(@class,'redirectText')]//a/@href"
        ),
    )
    known = site.path_of(_absolute(site.articles.replace("$1", ""), found[0])) if found else None
    return known[0] if known else None


def snippet_of(source: str) -> Snippet:
    """Return a search result's HTML as plain text segments, without left-over wikitext.

    Most engines give plain text; MediaWiki's own gives the page's source. Of a longer snippet
    only the first 4,000 characters count.
    """
    marked = source[:_SNIPPET_CHARACTERS].replace(_START, "").replace(_END, "")
    marked = _SEARCHMATCH.sub(rf"{_START}\1{_END}", marked)
    text = html.unescape(_TAG.sub("", marked))
    for pattern in (_COMMENT, _REFERENCE, _TEMPLATE, _TEMPLATE, _HOUSEKEEPING):
        text = pattern.sub(_keep_marks, text)
    text = _OUTSIDE_LINK.sub(r"\1", text)
    text = _LINK.sub(lambda found: _marks_before(found) + found[1], text)
    text = _QUOTES.sub("", _SOURCE_TAG.sub("", text))
    text = _MARKS.sub(" ", text)
    return _segments(re.sub(r"\s+", " ", text).strip())


def _segments(text: str) -> Snippet:
    """Split the text at the marks; a mark without its partner lost it in the cleaning."""
    segments: list[tuple[str, bool]] = []
    matched = False
    for piece in re.split(f"([{_START}{_END}])", text):
        if piece in (_START, _END):
            matched = piece == _START
        elif piece:
            if segments and segments[-1][1] == matched:
                segments[-1] = (segments[-1][0] + piece, matched)
            else:
                segments.append((piece, matched))
    return tuple(segments)


def _keep_marks(found: re.Match[str]) -> str:
    """Return only those marks that have no partner within the removed text."""
    marks = "".join(c for c in found[0] if c in (_START, _END))
    return marks.replace(_START + _END, "")


def _marks_before(found: re.Match[str]) -> str:
    start = found.start(1) - found.start(0)
    marks = "".join(c for c in found[0][:start] if c in (_START, _END))
    return marks.replace(_START + _END, "")


def _absolute(base: str, address: str) -> str:
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return ""


def _host(address: str) -> str:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""


def _without_scheme(address: str) -> str:
    return address.partition("//")[2]


def _starts(address: str, prefix: str) -> bool:
    return _without_scheme(address).startswith(_without_scheme(prefix))
