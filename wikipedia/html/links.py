"""Where a link or picture in an article leads: a page, a file, a place on this page, outside."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from wikipedia.html.page import SourcePage
from wikipedia.text.words import word_set

ID_PREFIX: Final = "w-"
_NOT_ARTICLES: Final = word_set(
    "file image media special category template user talk user_talk wikipedia help module"
    " mediawiki draft timedtext"
)
_FILE: Final = re.compile(
    r"(^|/)(I|-|_assets_)/|\.(jpe?g|png|gif|svg|webp|ogg|oga|ogv|webm|mp3|mp4|pdf|tiff?|css|js)$",
    re.IGNORECASE,
)
_NOT_PICTURES: Final = re.compile(
    r"\.(og[gav]|opus|flac|wav|mid|web[am]|mp[34g]|pdf|djvu|css|js|html?)$", re.IGNORECASE
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_ARTICLE_PATH: Final = "/wiki/"


@dataclass(frozen=True)
class Target:
    """`value` is a path in the source (page, file), a URL (outside) or empty (here, nowhere)."""

    kind: Literal["page", "file", "here", "outside", "nowhere"]
    value: str = ""
    fragment: str = ""


NOWHERE: Final = Target("nowhere")


def anchor_id(fragment: str) -> str:
    """Return the reader's id for a fragment of the source: prefixed, without white space."""
    return ID_PREFIX + "_".join(fragment.split())[:200]


def fragment_link(fragment: str) -> str:
    """Return `#…` for a fragment of the source, ready for an href."""
    return "#" + quote(anchor_id(fragment), safe="-_.~()',:;!*@$&+=/")


def link_target(page: SourcePage, href: str) -> Target:
    """Return a link's target; a link that is neither http(s) nor in the source leads nowhere."""
    target = _resolve(page, href)
    if target.kind != "page":
        return target
    if _climbs(target.value):
        return NOWHERE
    namespace = posixpath.basename(target.value).partition(":")
    if namespace[1] and namespace[0].lower().replace(" ", "_") in _NOT_ARTICLES:
        return NOWHERE
    # A wiki's pages may end in “.js”, and so may articles of an archive.
    if not page.hosts and _FILE.search(target.value) and not page.has_article(target.value):
        return NOWHERE
    if target.value == page.path and target.fragment:
        return Target("here", fragment=target.fragment)
    return target


def file_target(page: SourcePage, src: str) -> Target:
    """Return where a picture is: in the source, or nowhere that we may fetch from."""
    cleaned = _CONTROL.sub("", src).strip()
    try:
        parts = urlsplit(cleaned)
    except ValueError:
        return NOWHERE
    if _NOT_PICTURES.search(parts.path) or (parts.netloc and _climbs(unquote(parts.path))):
        return NOWHERE
    if parts.netloc:
        known = parts.scheme in ("", "http", "https") and parts.hostname in page.hosts
        return Target("file", "https:" + cleaned.partition(":")[2] if parts.scheme else
                      "https:" + cleaned) if known else NOWHERE  # fmt: skip
    if parts.scheme or not parts.path or parts.path.startswith("/"):
        return NOWHERE
    return Target("file", _join(page.path, parts.path))


def _climbs(path: str) -> bool:
    """Whether browsers would read the path as another one. No MediaWiki title is like this."""
    return not {".", ".."}.isdisjoint(path.replace("\\", "/").split("/"))


def _resolve(page: SourcePage, href: str) -> Target:
    cleaned = _CONTROL.sub("", href).strip()
    if cleaned.startswith("#"):
        fragment = unquote(cleaned[1:])
        return Target("here", fragment=fragment) if fragment else NOWHERE
    try:
        parts = urlsplit(cleaned)
        host = parts.hostname or ""
    except ValueError:
        return NOWHERE
    fragment = unquote(parts.fragment)
    if parts.netloc and parts.scheme in ("", "http", "https"):
        if host in page.hosts and parts.path.startswith(_ARTICLE_PATH) and not parts.query:
            return Target("page", unquote(parts.path[len(_ARTICLE_PATH) :]), fragment)
        return Target("outside", urlunsplit(parts._replace(scheme=parts.scheme or "https")))
    if parts.scheme or parts.netloc or not parts.path:
        return NOWHERE
    if parts.path.startswith("/"):
        if parts.path.startswith(_ARTICLE_PATH) and not parts.query:
            return Target("page", unquote(parts.path[len(_ARTICLE_PATH) :]), fragment)
        return NOWHERE
    if "action=edit" in parts.query or "redlink" in parts.query:
        return NOWHERE
    return Target("page", _join(page.path, parts.path), fragment)


def _join(page_path: str, relative: str) -> str:
    """Turn a path relative to the page into one of the source, never above its root."""
    joined = posixpath.normpath(
        posixpath.join("/", posixpath.dirname(page_path), unquote(relative))
    )
    return joined.lstrip("/")
