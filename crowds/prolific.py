"""Prolific's signature of a study's link: a JWT in the parameter `prolific_token`.

What it holds and how it is checked: docs.prolific.com, "Retrieve JSON Web Key Set". Its public keys
are read from the address in PROLIFIC_KEYS_URL and kept for a day, as Prolific asks.
"""

import datetime as dt
import json
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import jwt
import requests
from django.conf import settings
from django.core.cache import cache

from crowds.policies.participations import LinkEnded, LinkUnknown, ServiceUnavailable

PARAMETER = "prolific_token"
LONGEST = 4_000
KEYS, ASKED = "crowds.prolific.keys", "crowds.prolific.asked"
DAY = 24 * 3600
# However many tokens name keys that no one has, Prolific is asked for new ones this often.
PAUSE = 30
SECONDS = 5
MOST_BYTES = 100_000
# Clocks differ; and people read the consent page before they press its button.
CLOCKS, READING = dt.timedelta(minutes=1), dt.timedelta(hours=2)

logger = logging.getLogger(__name__)


class LinkExpired(LinkEnded):
    """The signature has ended, as that of a link that was kept."""


def signed_parameters(
    query: Mapping[str, str], *, host: str, leeway: dt.timedelta
) -> Mapping[str, str]:
    """Return the parameters that Prolific has signed for a link of this host.

    `leeway` is how long after its end the signature is still taken. Raises LinkUnknown for a
    missing or bad signature, LinkExpired for an old one, ServiceUnavailable without keys.
    """
    bad = LinkUnknown(
        "Prolific’s signature of this link is missing or wrong. Open the study there."
    )
    token = query.get(PARAMETER, "")
    if not token or len(token) > LONGEST:
        raise bad
    try:
        claims = jwt.decode(
            token,
            _key(str(jwt.get_unverified_header(token).get("kid"))),
            algorithms=["RS256"],
            leeway=leeway,
            options={"require": ["exp", "aud"], "verify_aud": False},
        )
    except jwt.ExpiredSignatureError:
        raise LinkExpired("This link has ended. Open the study again on Prolific.") from None
    except (jwt.PyJWTError, ValueError):
        raise bad from None
    signed = claims.get("prolific")
    if not isinstance(signed, dict) or host.lower() not in map(_host, _list(claims["aud"])):
        raise bad
    if any(name in query and query[name] != value for name, value in signed.items()):
        raise bad
    return {name: value for name, value in signed.items() if isinstance(value, str)}


def _list(value: Any) -> list[str]:
    return [str(part) for part in value] if isinstance(value, list) else [str(value)]


def _host(audience: str) -> str:
    """Return the host of an address or of a name alone, with its port."""
    return urlsplit(audience if "//" in audience else f"//{audience}").netloc.lower()


def _key(key_id: str) -> Any:
    """Return Prolific's public key of this id. Raises InvalidKeyError, ServiceUnavailable."""
    stored = cache.get(KEYS)
    if (stored is None or key_id not in stored) and cache.add(ASKED, True, PAUSE):
        stored = _fetched() or stored
    if stored is None:
        raise ServiceUnavailable(
            "Prolific’s signature cannot be checked now. Try again in a minute."
        )
    if key_id not in stored:
        raise jwt.InvalidKeyError
    return jwt.PyJWK(stored[key_id], algorithm="RS256").key


def _fetched() -> dict[str, dict[str, str]] | None:
    """Return Prolific's keys by their ids, and keep them; None if they cannot be had."""
    try:
        with requests.get(
            settings.PROLIFIC_KEYS_URL, timeout=SECONDS, allow_redirects=False, stream=True
        ) as answer:
            answer.raise_for_status()
            text = answer.raw.read(MOST_BYTES, decode_content=True)
        keys = {str(key["kid"]): key for key in json.loads(text)["keys"]}
    except (requests.RequestException, OSError, ValueError, KeyError, TypeError) as error:
        logger.warning("prolific keys: %s", error)
        return None
    cache.set(KEYS, keys, DAY)
    return keys
