"""Pages of a live MediaWiki, in the revision they had on the snapshot's day.

Only the article's own text is of that day: search is today's, and templates and pictures are
rendered in their latest version. That is why shown pages are stored
(`wikipedia.articles.stored_articles`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from django.utils import timezone

from wikipedia.html.page import PageMissing, SourcePage
from wikipedia.providers import limits, wikihtml
from wikipedia.providers.answers import (
    Results,
    Revision,
    results_of,
    revision_of,
    site_of,
    titles_of,
)
from wikipedia.providers.api import ActionApi, ApiError
from wikipedia.providers.base import Asset
from wikipedia.providers.wikihtml import Site
from wikipedia.search.analysis import STOP_WORDS, exact_key
from wikipedia.search.results import SearchHit, SearchPage

if TYPE_CHECKING:
    from wikipedia.models import Snapshot

_HOUR: Final = 3600
_DAY: Final = 24 * _HOUR
_WEEK: Final = 7 * _DAY
_MOST_RESULTS: Final = 10_000  # engines give no more, whatever the total
_MOST_TITLES: Final = 200_000
_TITLES_AT_ONCE: Final = 500  # the wiki's own limit
_LONGEST_QUERY: Final = 290  # characters; CirrusSearch takes 300
_LONGEST_TITLE: Final = 255  # bytes; MediaWiki's own limit
_REDIRECTS: Final = 4
_PICTURE_BYTES: Final = 10_000_000
_CACHED_PICTURE_BYTES: Final = 512_000
_PICTURES: Final = frozenset(
    ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"]
)
_PICTURE: Final = re.compile(r"https?:/{1,2}([^/?#\s]+)(/.*)", re.DOTALL)
_SITE: Final[dict[str, str | int]] = {
    "action": "query",
    "meta": "siteinfo|filerepoinfo",
    "siprop": "general|namespaces|namespacealiases|rightsinfo",
    "friprop": "name|url|thumbUrl|rootUrl",
}


@dataclass(frozen=True)
class _Parsed:
    """A revision as HTML, or the path that it redirects to."""

    html: str
    target: str | None
    retrieved_at: datetime


class MediaWikiProvider:
    """One wiki as of one day."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._name = snapshot.title or snapshot.name
        self._api = ActionApi(snapshot.address, self._name)
        self._day = snapshot.as_of

    def search(self, query: str, *, limit: int = 10, offset: int = 0) -> SearchPage:
        """Search today's wiki. A question without results is asked again without its stop words."""
        words = _shortened(query)
        if not words or offset + limit > _MOST_RESULTS:
            return SearchPage(query, (), min(offset, _MOST_RESULTS), offset, limit)
        suggestion = ""
        for wording, what in _wordings(words):
            try:
                found, total, meant = self._search(wording, what, limit, offset)
            except ApiError:
                if what == "text":
                    raise
                continue  # a search engine that does not distinguish titles from text
            suggestion = suggestion or _other(meant, words)
            if total:
                hits = _titles_first(found, words) if not offset else found
                return SearchPage(query, hits, total, offset, limit, suggestion)
        return SearchPage(query, (), 0, offset, limit, suggestion)

    def list_paths(self, start: str) -> list[str]:
        """Return the paths of today's articles whose title begins so, up to 200,000."""
        found: list[str] = []
        following: str | None = ""
        passed = set[str]()
        while following is not None and following not in passed and len(found) < _MOST_TITLES:
            passed.add(following)
            titles, following = self._api.query_cached(
                {
                    "action": "query",
                    "list": "allpages",
                    "apprefix": start,
                    "apnamespace": 0,
                    "apfilterredir": "nonredirects",
                    "aplimit": _TITLES_AT_ONCE,
                    **({"apcontinue": following} if following else {}),
                },
                titles_of,
                seconds=_DAY,
            )
            found += map(wikihtml.path_from, titles)
        return sorted(set(found))

    def load_page(self, path: str) -> SourcePage:
        """Return the article as it was on the snapshot's day, following redirects of that day."""
        asked = wikihtml.path_from(path)
        site, current, passed = self.load_site(), asked, set[str]()
        while len(passed) < _REDIRECTS and current not in passed:
            passed.add(current)
            revision = self._revision_of(current)
            assert revision.number is not None
            parsed = self._parse(revision.number, wikihtml.path_from(revision.title), site)
            if parsed.target is None:
                return self._page(site, asked, revision, parsed)
            current = parsed.target
        raise PageMissing(f"“{_cut(asked)}” leads in a circle of redirects on {self._name}.")

    def load_revision(self, number: int) -> SourcePage:
        """Return a revision by its number, of whatever day, even if the page is a redirect now."""
        found = self._api.query_cached(
            {
                "action": "query",
                "prop": "revisions",
                "revids": number,
                "rvprop": "ids|timestamp",
            },
            revision_of,
            seconds=_DAY,
        )
        if found.number != number:
            raise PageMissing(f"{self._name} has no revision {number}, or does not show it.")
        site, path = self.load_site(), wikihtml.path_from(found.title)
        parsed = self._parse(number, path, site)
        if parsed.target is not None:
            raise PageMissing(
                f"Revision {number} of “{found.title}” is a redirect to “{_cut(parsed.target)}”."
            )
        return self._page(site, path, found, parsed)

    def load_asset(self, path: str) -> Asset:
        """Return a picture, only from hosts that the wiki itself names."""
        found = _PICTURE.fullmatch(path)
        hosts = self.load_site().hosts
        if not found or found[1].lower() not in hosts:
            raise PageMissing(f"“{_cut(path)}” is not a file of {self._name}.")
        url = f"{hosts[found[1].lower()]}://{found[1].lower()}{found[2]}"
        key = self._api.cache_key("asset", url)
        return self._api.through_cache(
            key,
            _WEEK,
            lambda: self._fetch_picture(url, hosts),
            most=limits.PICTURES_AT_ONCE,
            worth_keeping=lambda asset: len(asset.content) <= _CACHED_PICTURE_BYTES,
        )

    def load_site(self) -> Site:
        """Return what the wiki says about itself."""
        return read_site(self._api)

    def _search(
        self, words: str, what: str, limit: int, offset: int
    ) -> tuple[tuple[SearchHit, ...], int, str]:
        """Return a page of results, put together from as many API answers as it takes, their total
        number, and the query as it was probably meant."""
        hits: list[SearchHit] = []
        total, start, meant, key = 0, offset, "", exact_key(words)
        while True:
            found = self._results(words, what, limit - len(hits), start)
            for row in found.rows[: limit - len(hits)]:
                names = {exact_key(name) for name in (row.title, row.redirect) if name}
                hits.append(
                    SearchHit(
                        title=row.title,
                        path=wikihtml.path_from(row.title),
                        snippet=row.snippet,
                        score=1 / (offset + len(hits) + 1),
                        redirect_from=row.redirect or None,
                        exact=bool(key) and key in names,
                    )
                )
            following, meant = found.following, meant or found.suggestion
            total = offset + len(hits) + bool(following) if found.total is None else found.total
            if following is None or len(hits) >= limit or following <= start:
                return tuple(hits), min(total, _MOST_RESULTS), meant
            start = following

    def _results(self, words: str, what: str, limit: int, offset: int) -> Results:
        return self._api.query_cached(
            {
                "action": "query",
                "list": "search",
                "srsearch": words,
                "srwhat": what,
                "srnamespace": 0,
                "srlimit": limit,
                "sroffset": offset,
                "srprop": "snippet|redirecttitle",
                "srinfo": "totalhits|suggestion",
            },
            results_of,
            seconds=_HOUR,
        )

    def _revision_of(self, path: str) -> Revision:
        """Return the revision of the day; for a page moved later, the one under its new name."""
        missing = f"{self._name} has no page “{_cut(path)}”."
        if not path or "|" in path or len(path.encode()) > _LONGEST_TITLE:
            raise PageMissing(missing)
        revision = self._as_of(path, follow=False)
        if revision.number is None and revision.exists:
            # A move leaves a redirect behind that is younger than the article's history.
            revision = self._as_of(path, follow=True)
        if revision.number is not None:
            return revision
        if not revision.exists:
            raise PageMissing(missing)
        raise PageMissing(
            f"“{_cut(revision.title)}” did not exist yet on {_written(self._day)}, the day this "
            "project reads. Choose another page."
        )

    def _as_of(self, path: str, *, follow: bool) -> Revision:
        params: dict[str, str | int] = {
            "action": "query",
            "prop": "revisions",
            "titles": path.replace("_", " "),
            "rvlimit": 1,
            "rvdir": "older",
            "rvprop": "ids|timestamp",
        }
        past = self._day < timezone.now().date()
        if past:
            params["rvstart"] = datetime.combine(self._day, time(23, 59, 59), UTC).strftime(
                "%Y-%m-%dT%H:%M:%SZ"
            )
        if follow:
            params["redirects"] = 1
        return self._api.query_cached(params, revision_of, seconds=_DAY if past else _HOUR // 6)

    def _parse(self, number: int, path: str, site: Site) -> _Parsed:
        def parsed(answer: Mapping[str, Any]) -> _Parsed:
            source = str(answer.get("parse", {}).get("text", ""))
            target = wikihtml.redirect_target(source, site)
            home = "" if target else wikihtml.bring_home(source, site, path)
            return _Parsed(home, target, timezone.now())

        return self._api.query_cached(
            {
                "action": "parse",
                "oldid": number,
                "prop": "text",
                "disableeditsection": 1,
                "disabletoc": 1,
                "disablelimitreport": 1,
            },
            parsed,
            seconds=_WEEK,
        )

    def _page(self, site: Site, asked: str, revision: Revision, parsed: _Parsed) -> SourcePage:
        path = wikihtml.path_from(revision.title)
        return SourcePage(
            path=path,
            title=revision.title,
            html=parsed.html,
            redirect_from=asked if _canonical(asked) != _canonical(path) else None,
            page_id=revision.page_id,
            rev_id=revision.number,
            rev_timestamp=revision.moment,
            retrieved_at=parsed.retrieved_at,
            url=site.address_of(path, revision.number),
            hosts=tuple(sorted({urlsplit(f"//{host}").hostname or "" for host in site.hosts})),
        )

    def _fetch_picture(self, url: str, hosts: Mapping[str, str]) -> Asset:
        missing = f"{self._name} has no picture at {_cut(url)}."
        for _ in range(3):
            answer = self._api.get(url, most_bytes=_PICTURE_BYTES)
            if answer.status == 200:
                if answer.content_type not in _PICTURES:
                    raise PageMissing(missing)
                return Asset(answer.body, answer.content_type)
            if answer.status not in (301, 302, 303, 307, 308):
                break
            try:
                url = urljoin(url, answer.headers.get("Location", ""))
                parts = urlsplit(url)
            except ValueError:
                break
            if hosts.get(parts.netloc.lower()) is None or parts.scheme not in ("http", "https"):
                break
        raise PageMissing(missing)


def read_site(api: ActionApi) -> Site:
    """Return what a wiki says about itself, asked once a day."""
    return api.query_cached(_SITE, lambda answer: site_of(answer, api.address), seconds=_DAY)


def _wordings(words: str) -> list[tuple[str, str]]:
    """Return the queries to try in turn: the words as typed, without stop words, as a title."""
    wordings = [(words, "text")]
    content = [w for w in words.split() if w.casefold() not in STOP_WORDS]
    if content and " ".join(content) != words:
        wordings.append((" ".join(content), "text"))
    return [*wordings, (words, "title")]


def _titles_first(hits: tuple[SearchHit, ...], words: str) -> tuple[SearchHit, ...]:
    """Sort whole titles before other results, and article titles before redirects."""
    key = exact_key(words)
    return tuple(sorted(hits, key=lambda hit: (not hit.exact, exact_key(hit.title) != key)))


def _other(meant: str, words: str) -> str:
    """Return the query that was probably meant, unless it is the one asked."""
    return "" if exact_key(meant) == exact_key(words) else meant


def _shortened(query: str) -> str:
    """Return the query on one line without its question mark, which engines read as an operator."""
    words = " ".join(query.split()).rstrip("?!. ")
    if len(words) > _LONGEST_QUERY:
        words = words[:_LONGEST_QUERY].rpartition(" ")[0] or words[:_LONGEST_QUERY]
    return words


def _canonical(path: str) -> str:
    """Return the title with a capital first letter, as MediaWiki writes it."""
    return path[:1].upper() + path[1:]


def _cut(text: str) -> str:
    return text.replace("_", " ")[:200]


def _written(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
