"""POST to another program's address: signed elsewhere, here bounded in time and place.

Imported where something is sent, since `requests` takes a fifth of the time of a command's start.
"""

import ipaddress
import logging
import time
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

import requests

from wikipedia.providers.connections import Adapter, Address, WrongAddress, enforce_deadline
from wikipedia.providers.http import is_loopback

logger = logging.getLogger(__name__)

# Where clouds tell their machines secrets, besides link-local addresses.
_METADATA: Final = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "fd00:ec2::254")))


def post_message(url: str, body: bytes, headers: Mapping[str, str], *, seconds: float) -> str:
    """Send `body`; return why it was not taken, "" if it was.

    Redirects are not followed, and the body of the answer is not read. The log and the answer name
    neither path nor query, which may hold a key.
    """
    allowed = _on_this_machine if is_loopback(url) else _elsewhere
    try:
        with requests.Session() as session, enforce_deadline(time.monotonic() + seconds):
            session.trust_env = False  # neither proxies nor passwords of this machine
            session.mount("http://", Adapter(allowed))
            session.mount("https://", Adapter(allowed))
            answer = session.post(
                url,
                data=body,
                headers=headers,
                timeout=seconds,
                allow_redirects=False,
                stream=True,
            )
            status = answer.status_code
    except WrongAddress:
        return "Its name leads to an address of this machine or network that is never told."
    except (requests.RequestException, OSError) as error:
        logger.info("%s cannot be reached: %s", urlsplit(url).hostname, type(error).__name__)
        return f"It could not be reached ({type(error).__name__})."
    return "" if 200 <= status < 300 else f"It answered {status}."


def _on_this_machine(address: Address) -> bool:
    return address.is_loopback


def _elsewhere(address: Address) -> bool:
    """Whether a name may lead there: into a private network too, since the setting names hosts."""
    wrong = address.is_loopback or address.is_link_local or address.is_unspecified
    return not (wrong or address.is_multicast or address in _METADATA)
