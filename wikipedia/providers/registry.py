"""Where a snapshot's pages come from: a lazy registry of dotted paths by `Snapshot.kind`.

A provider class takes the snapshot and nothing else. It may read `AMBIT_DATA`; it must be safe to
use from several threads, because one instance per process serves every request.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

from django.utils.module_loading import import_string

from wikipedia.providers.base import Provider, ProviderUnavailable

if TYPE_CHECKING:
    from wikipedia.models import Snapshot

PROVIDERS: Final[dict[str, str]] = {
    "zim": "wikipedia.providers.zim.ZimProvider",
    "live": "wikipedia.providers.mediawiki.MediaWikiProvider",
}

_cache: dict[tuple[object, ...], Provider] = {}
_lock = Lock()


def provider_for(snapshot: Snapshot) -> Provider:
    """Return the snapshot's provider, made once per process and configuration of the snapshot."""
    dotted = PROVIDERS.get(snapshot.kind)
    if dotted is None:
        raise ProviderUnavailable(
            f"Snapshot “{snapshot.name}” is of the kind “{snapshot.kind}”, which this version of "
            f"Ambit cannot read. It knows: {', '.join(sorted(PROVIDERS))}."
        )
    key = (snapshot.pk, *_fingerprint(snapshot))
    with _lock:
        provider = _cache.get(key)
        if provider is None:
            provider = import_string(dotted)(snapshot)
            _cache[key] = provider
        return provider


def forget_providers() -> None:
    """Drop cached providers after a snapshot has changed, and between tests."""
    with _lock:
        _cache.clear()


def _fingerprint(snapshot: Snapshot) -> tuple[object, ...]:
    """Return all values of the row, so that an edited snapshot gets a new provider."""
    return tuple(str(getattr(snapshot, field.attname)) for field in snapshot._meta.concrete_fields)
