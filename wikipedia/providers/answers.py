"""A MediaWiki API's answers, read into values of ours.

The server may be any program. Functions here raise one of `WRONG_SHAPE` for answers of another
shape than MediaWiki's; the caller turns it into a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from wikipedia.providers import wikihtml
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.wikihtml import Site
from wikipedia.search.results import Snippet

WRONG_SHAPE: Final = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
_MOST: Final = 2**63 - 1  # what the database keeps
_LONGEST_TITLE: Final = 500
_LONGEST_QUERY: Final = 300


@dataclass(frozen=True)
class Revision:
    """A page's revision on a day; `number` is None if there was none yet."""

    title: str
    page_id: int | None
    number: int | None
    moment: datetime | None
    exists: bool


@dataclass(frozen=True)
class Row:
    """A search result: `redirect` is the title of the redirect that was found, or empty."""

    title: str
    redirect: str
    snippet: Snippet


@dataclass(frozen=True)
class Results:
    """Some results; the total if the wiki says it, the offset to continue from, and the query as
    it was probably meant."""

    rows: tuple[Row, ...]
    total: int | None
    following: int | None
    suggestion: str


def strip_unstorable(value: Any) -> Any:
    """Return JSON without characters that the database or UTF-8 cannot hold."""
    if isinstance(value, str):
        value = value.replace("\x00", "")
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {strip_unstorable(key): strip_unstorable(each) for key, each in value.items()}
    return [strip_unstorable(each) for each in value] if isinstance(value, list) else value


def site_of(answer: Mapping[str, Any], address: str) -> Site:
    """Return what the wiki at `address` says about itself."""
    query = answer["query"]
    general = query["general"]
    server = urljoin(address, _text(general["server"]))
    articles = urljoin(server + "/", _text(general["articlepath"]))
    script = urljoin(server + "/", _text(general["script"]))
    for own in (server, articles, script):
        if urlsplit(own).scheme not in ("http", "https"):
            raise ProviderUnavailable(f"{address} names {own[:200]} as its own address.")
    hosts: dict[str, str] = {}
    bases = [address, server]
    for repository in query.get("repos") or []:
        bases += [str(repository.get(name) or "") for name in ("url", "thumbUrl", "rootUrl")]
    for base in bases:
        parts = urlsplit(urljoin(address, base))
        if base and parts.netloc and "@" not in parts.netloc:
            hosts.setdefault(parts.netloc.lower(), parts.scheme)
    names = [
        str(space.get(key) or "")
        for space in (query.get("namespaces") or {}).values()
        for key in ("name", "canonical")
        if space.get("id")
    ]
    names += [str(alias.get("alias") or "") for alias in query.get("namespacealiases") or []]
    rights = query.get("rightsinfo") or {}
    return Site(
        name=str(general.get("sitename") or urlsplit(address).hostname),
        language=str(general.get("lang") or "en"),
        licence=_licence(str(rights.get("url") or ""), str(rights.get("text") or "")),
        articles=articles,
        script=script,
        hosts=hosts,
        namespaces=frozenset(wikihtml.path_from(name).casefold() for name in names if name),
    )


def results_of(answer: Mapping[str, Any]) -> Results:
    """Return the results in an answer to `list=search`."""
    query = answer.get("query") or {}
    info = query.get("searchinfo") or {}
    rows = tuple(
        Row(
            title=_text(row["title"])[:_LONGEST_TITLE],
            redirect=str(row.get("redirecttitle") or "")[:_LONGEST_TITLE],
            snippet=wikihtml.snippet_of(str(row.get("snippet") or "")),
        )
        for row in query.get("search") or []
        if row.get("title")
    )
    total = info.get("totalhits")
    following = (answer.get("continue") or {}).get("sroffset")
    suggestion = info.get("suggestion")
    return Results(
        rows=rows,
        total=None if total is None else _whole(total),
        following=None if following is None else _whole(following),
        suggestion=" ".join(suggestion.split())[:_LONGEST_QUERY]
        if isinstance(suggestion, str)
        else "",
    )


def titles_of(answer: Mapping[str, Any]) -> tuple[list[str], str | None]:
    """Return the titles in an answer to `list=allpages`, and from where to continue, if anywhere.

    An answer without a title is the last one, whatever it says of more.
    """
    query = answer.get("query") or {}
    titles = [_text(row["title"])[:_LONGEST_TITLE] for row in query.get("allpages") or []]
    following = (answer.get("continue") or {}).get("apcontinue")
    return titles, None if following is None or not titles else _text(following)


def revision_of(answer: Mapping[str, Any]) -> Revision:
    """Return the page in an answer to `prop=revisions`, with its first revision if it has one."""
    pages = (answer.get("query") or {}).get("pages") or [{}]
    page = pages[0]
    title, page_id = str(page.get("title") or "")[:_LONGEST_TITLE], page.get("pageid")
    page_id = _whole(page_id) if page_id else None
    exists = bool(page_id) and not page.get("missing") and not page.get("invalid")
    for revision in page.get("revisions") or []:
        moment = datetime.fromisoformat(_text(revision["timestamp"]))
        if moment.tzinfo is None or not page_id:
            raise ValueError("a revision without a page or a moment")
        return Revision(_text(title), page_id, _whole(revision["revid"]), moment, exists)
    return Revision(title, page_id, None, None, exists)


def _licence(url: str, text: str) -> str:
    if "creativecommons.org/licenses/by-sa/" in url:
        return "CC BY-SA"
    return text or url or "licence not stated by the wiki"


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("text was expected")
    return value


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST:
        raise ValueError("a whole number was expected")
    return value
