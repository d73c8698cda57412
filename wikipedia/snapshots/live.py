"""Register a live MediaWiki, read as of a day, as a snapshot."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.db import transaction

from wikipedia.models import Snapshot
from wikipedia.providers.api import ActionApi
from wikipedia.providers.mediawiki import read_site
from wikipedia.providers.wikihtml import Site
from wikipedia.snapshots.services import SnapshotRefused, check_name


@dataclass(frozen=True)
class Wiki:
    """A wiki that answered: its api.php and what it says about itself."""

    address: str
    site: Site


def look_at(address: str) -> Wiki:
    """Ask the wiki at `address` for its own description.

    Raises `SnapshotRefused` for an address that cannot be an API, and `ProviderUnavailable` if
    the wiki does not answer or may not be asked.
    """
    try:
        parts = urlsplit(address.strip())
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known or len(address) > 200:
        raise SnapshotRefused(
            f"“{address[:200]}” is not a web address. Give the wiki's api.php, "
            "such as https://en.wikipedia.org/w/api.php."
        )
    if not re.fullmatch(r".*/api\.php", parts.path) or parts.query or parts.username:
        raise SnapshotRefused(
            f"“{address}” is not the address of an api.php. Wikipedia's is /w/api.php; "
            "a wiki's Special:Version page names its own."
        )
    clean = f"{parts.scheme}://{parts.netloc.lower()}{parts.path}"
    return Wiki(clean, read_site(ActionApi(clean, parts.netloc)))


@transaction.atomic
def add_live_snapshot(
    *, name: str, wiki: Wiki, as_of: dt.date, now: dt.datetime, title: str = ""
) -> Snapshot:
    """Store the wiki under a name; storing the same again changes nothing.

    Raises `SnapshotRefused` for an unusable name or day, or a name that means something else.
    """
    check_name(name)
    if as_of > now.date():
        raise SnapshotRefused(
            f"{as_of.isoformat()} is in the future. Choose today or a day in the past."
        )
    snapshot = Snapshot.objects.select_for_update().filter(name=name).first()
    if snapshot is None:
        return Snapshot.objects.create(
            name=name,
            title=(title or f"{wiki.site.name}, {as_of.day} {as_of:%B %Y}")[:200],
            kind=Snapshot.Kind.LIVE,
            state=Snapshot.State.READY,
            address=wiki.address,
            language=wiki.site.language[:12],
            as_of=as_of,
            licence=wiki.site.licence[:60],
            created_at=now,
        )
    same = (Snapshot.Kind.LIVE, wiki.address, as_of)
    if (snapshot.kind, snapshot.address, snapshot.as_of) != same:
        raise SnapshotRefused(
            f"“{name}” already names {snapshot.title}. Choose a new name: "
            "what a project reads must not change under it."
        )
    return snapshot
