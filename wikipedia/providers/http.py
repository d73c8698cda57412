"""GET requests to a wiki: identified, bounded in time and size, never to a private address.

Redirects are not followed here; the caller decides whether the target is a host of the wiki.
"""

from __future__ import annotations

import email.utils
import ipaddress
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http.cookiejar import DefaultCookiePolicy
from typing import Final
from urllib.parse import urlsplit

import requests
from django.conf import settings
from urllib3.exceptions import HTTPError, ReadTimeoutError

from wikipedia.providers.connections import Adapter, WrongAddress, enforce_deadline, is_public

_CONNECT_SECONDS: Final = 5.0
_SILENCE_SECONDS: Final = 15.0
_CHUNK: Final = 64 * 1024
_LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
_CONTACT: Final = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|https?://[^\s/]+")
_HEADER: Final = re.compile(r"[\x20-\x7e]{1,300}")


class NoAnswer(Exception):
    """The other side did not answer. The message continues "the wiki cannot be reached: "."""


class RequestRefused(Exception):
    """Ambit will not make or read this request. The message is a sentence."""


@dataclass(frozen=True)
class WikiResponse:
    """A complete response. Header names are case-insensitive."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def content_type(self) -> str:
        return self.headers.get("Content-Type", "").split(";")[0].strip().lower()

    @property
    def retry_after(self) -> float | None:
        """How many seconds the server wants to be left alone, if it says so."""
        return seconds_of(self.headers.get("Retry-After", ""))


class Client:
    """A session for one wiki.

    `loopback` is the wiki's address if it runs on this machine, as in tests: its port is then
    the only private address that may be reached.
    """

    def __init__(self, *, loopback: str = "") -> None:
        self._session = requests.Session()
        self._session.trust_env = False  # no passwords from a .netrc, no proxy that hides addresses
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.headers["User-Agent"] = user_agent()
        for scheme in ("http", "https"):
            self._session.mount(f"{scheme}://", Adapter(is_public))
            for host in _own_names(loopback):
                # The longest prefix wins; it ends in "/", so no other port or name begins with it.
                port = urlsplit(loopback).port or (443 if scheme == "https" else 80)
                self._session.mount(f"{scheme}://{host}:{port}/", Adapter())
                if port in (80, 443):
                    self._session.mount(f"{scheme}://{host}/", Adapter())

    def get(
        self,
        url: str,
        params: Mapping[str, str | int] | None = None,
        *,
        most_bytes: int,
        seconds: float,
    ) -> WikiResponse:
        """Request `url`; the unpacked body may have at most `most_bytes`."""
        deadline = time.monotonic() + seconds
        timeout = (min(_CONNECT_SECONDS, seconds), min(_SILENCE_SECONDS, seconds))
        try:
            with (
                enforce_deadline(deadline),
                self._session.get(
                    url, params=params, timeout=timeout, stream=True, allow_redirects=False
                ) as response,
            ):
                body = _body(response, most_bytes, deadline)
                return WikiResponse(response.status_code, response.headers, body)
        except WrongAddress as problem:
            raise RequestRefused(
                f"{urlsplit(url).hostname} is at a private address. Ambit reads wikis on the "
                "public network, or one on its own machine at a loopback address."
            ) from problem
        except (requests.Timeout, ReadTimeoutError, TimeoutError) as problem:
            raise NoAnswer("no answer in time") from problem
        except (requests.RequestException, HTTPError, OSError, ValueError) as problem:
            raise NoAnswer("the connection failed") from problem


def _own_names(loopback: str) -> tuple[str, ...]:
    """Return the names that a wiki on this machine may use for itself."""
    if not loopback:
        return ()
    host = urlsplit(loopback).hostname or ""
    return (f"[{host}]" if ":" in host else host, *_LOOPBACK)


def user_agent() -> str:
    """Return our User-Agent, with the installation's `WIKI_USER_AGENT` first."""
    own = f"Ambit/{getattr(settings, 'VERSION', '0')} requests/{requests.__version__}"
    return f"{_configured()} {own}".strip()


def contact_problem(address: str) -> str | None:
    """Say why this installation may not send requests to a wiki at `address`, or None.

    The owners of public wikis want to know whom to write to.
    """
    configured = _configured()
    if not _HEADER.fullmatch(configured or "-"):
        return "WIKI_USER_AGENT is not one line of up to 300 plain ASCII characters."
    if is_loopback(address) or _CONTACT.search(configured):
        return None
    return (
        f"Ambit needs a contact to ask {urlsplit(address).hostname}: set WIKI_USER_AGENT to your "
        "study's name with an e-mail or web address in it, such as "
        "“BridgeStudy/1.0 (bridges@example.org)”."
    )


def is_loopback(address: str) -> bool:
    """Whether the host name of a URL is that of this machine."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def seconds_of(retry_after: str) -> float | None:
    """Return the seconds of a Retry-After header, which holds a number or a date."""
    text = retry_after.strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", text):
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _configured() -> str:
    return str(getattr(settings, "WIKI_USER_AGENT", "") or "").strip()


def _body(response: requests.Response, most_bytes: int, deadline: float) -> bytes:
    """Return the whole body, read as it arrives, so that slow servers hit the deadline as well."""
    announced = response.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) > most_bytes:
        raise RequestRefused(_too_large(most_bytes))
    pieces: list[bytes] = []
    size = 0
    while piece := response.raw.read1(_CHUNK, decode_content=True):
        size += len(piece)
        if size > most_bytes:
            raise RequestRefused(_too_large(most_bytes))
        if time.monotonic() > deadline:
            raise TimeoutError
        pieces.append(piece)
    return b"".join(pieces)


def _too_large(most_bytes: int) -> str:
    return f"The answer is larger than {most_bytes // 1_000_000} MB."
