"""Where files of people are kept: the storage that STORAGE_URL names.

Read at start-up, so a value that cannot be meant is refused there. The sentences never show the
value, which may hold a secret.
"""

import importlib.util
import re
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
OPTIONS = ("endpoint", "region")
NOT_INSTALLED = (
    "STORAGE_URL names a bucket, and django-storages is not installed: install the extra s3 "
    "(docs/packages.md)."
)


def parse_storage_url(value: str, *, default: Path) -> tuple[dict[str, Any], Path]:
    """Return Django's description of the storage, and the folder that it is in if it is one.

    Without a value that folder is `default`.
    """
    folders = {"BACKEND": "config.folder.Folder"}
    if not value:
        return folders, default
    try:
        url = urlsplit(value)
        _ = url.port
    except ValueError:
        raise ImproperlyConfigured(
            "STORAGE_URL cannot be read as an address: percent-encode characters such as "
            "@ : / # in its keys."
        ) from None
    if url.scheme == "file":
        return folders, _folder(url)
    if url.scheme == "s3":
        return {"BACKEND": "config.bucket.Bucket", "OPTIONS": _bucket(url)}, default
    raise ImproperlyConfigured("STORAGE_URL must start with s3:// or file://.")


def _folder(url: SplitResult) -> Path:
    path = Path(unquote(url.path))
    if url.netloc or url.query or url.fragment or not path.is_absolute() or len(path.parts) < 2:
        raise ImproperlyConfigured(
            "STORAGE_URL with file:// names a folder from the root on, with three slashes: "
            "file:///srv/ambit-files."
        )
    return path


def _bucket(url: SplitResult) -> dict[str, Any]:
    """Return the options of the bucket."""
    if url.port is not None or not BUCKET.fullmatch(url.hostname or ""):
        raise ImproperlyConfigured(
            "STORAGE_URL with s3:// names a bucket after the keys: s3://KEY:SECRET@bucket/folder. "
            "The server's address goes into ?endpoint=https://HOST:PORT."
        )
    key, secret = unquote(url.username or ""), unquote(url.password or "")
    if bool(key) != bool(secret):
        raise ImproperlyConfigured(
            "STORAGE_URL has one of two keys: write both, as in s3://KEY:SECRET@bucket, or "
            "neither, where the host itself may use the bucket."
        )
    folder = unquote(url.path).strip("/")
    if ".." in folder.split("/") or url.fragment:
        raise ImproperlyConfigured(
            "STORAGE_URL has a folder that no bucket can have: leave out “..” and “#”."
        )
    if importlib.util.find_spec("storages") is None:
        raise ImproperlyConfigured(NOT_INSTALLED)
    options = _options(url.query)
    return {
        "bucket_name": url.hostname,
        "location": folder,
        "access_key": key or None,
        "secret_key": secret or None,
        "endpoint_url": options.get("endpoint"),
        "region_name": options.get("region"),
    }


def _options(query: str) -> dict[str, str]:
    options = {}
    for name, values in parse_qs(query, keep_blank_values=True).items():
        if name not in OPTIONS or len(values) != 1 or not values[0]:
            raise ImproperlyConfigured(
                f"STORAGE_URL can have {' and '.join(OPTIONS)} after the question mark, once each."
            )
        options[name] = values[0]
    if "endpoint" in options and not _is_server(options["endpoint"]):
        raise ImproperlyConfigured(
            "STORAGE_URL has an endpoint that is not a server's address, such as "
            "https://s3.example or http://10.0.0.5:9000."
        )
    return options


def _is_server(address: str) -> bool:
    try:
        url = urlsplit(address)
        _ = url.port
    except ValueError:
        return False
    return url.scheme in ("http", "https") and bool(url.hostname) and not url.query
