"""A page as its source has it: raw HTML, and where it is from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class SourcePage:
    """One article as the source has it.

    `path` is its key in this provider after redirects, `redirect_from` the path asked for when
    that was a redirect. `url` is the address on the real Wikipedia, with `oldid` when the
    revision is known. `rev_timestamp` is when the text was last changed, None where the source
    does not say: the day of an archive is not the day of a revision. `hosts` are the host names
    that count as this wiki: absolute links to them stay in the reader and their pictures come
    through `asset` (an archive has none: it holds everything it links to). `stored_because` says
    why this is a page as it was shown earlier; its HTML is already safe then. `has_article` says
    whether an archive has an article at a path that looks like a file's, such as “Node.js”.
    """

    path: str
    title: str
    html: str
    redirect_from: str | None
    page_id: int | None
    rev_id: int | None
    rev_timestamp: datetime | None
    retrieved_at: datetime
    url: str
    hosts: tuple[str, ...] = ()
    stored_because: str = ""
    has_article: Callable[[str], bool] = field(default=lambda path: False, compare=False)


class PageMissing(Exception):
    """The source has no such page or file. The message is a sentence for the user."""
