"""HTTP connections for requests to strangers: bounded in time, and only to addresses that may be.

A host name leads wherever its owner wants, so the address is looked at once it is connected to,
before anything is sent. A socket's timeout begins again with every byte, so headers and body have a
deadline besides.
"""

from __future__ import annotations

import io
import ipaddress
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http.client import HTTPResponse
from socket import socket
from typing import Any, Final

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
# Private, though `is_global` says otherwise in some versions of Python: IPv4 addresses written into
# IPv6 as of old, site-local addresses, NAT64 within a network.
_PRIVATE: Final = tuple(map(ipaddress.ip_network, ("::/96", "fec0::/10", "64:ff9b:1::/48")))

_deadline: ContextVar[float] = ContextVar("connection_deadline", default=float("inf"))


class WrongAddress(Exception):
    """A host name led to an address that this request may not reach."""


@contextmanager
def enforce_deadline(deadline: float) -> Iterator[None]:
    """Let answers arrive until `deadline`, by the monotonic clock; then TimeoutError is raised."""
    token = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(token)


def is_public(address: Address) -> bool:
    """Whether the address is public."""
    private = any(address in network for network in _PRIVATE)
    return address.is_global and not address.is_multicast and not private


def check_peer(sock: socket, allowed: Callable[[Address], bool]) -> socket:
    """Return the socket if it may be connected to where it is. Raises WrongAddress."""
    peer = ipaddress.ip_address(str(sock.getpeername()[0]).partition("%")[0])
    if not all(allowed(address) for address in _meant(peer)):
        sock.close()
        raise WrongAddress
    return sock


def _meant(peer: Address) -> list[Address]:
    """Return the address, and the IPv4 address that networks translate it to."""
    if isinstance(peer, ipaddress.IPv4Address):
        return [peer]
    if peer.ipv4_mapped is not None:
        return [peer.ipv4_mapped]
    if peer.sixtofour is not None:
        return [peer, peer.sixtofour]
    if peer in _NAT64:
        return [peer, ipaddress.IPv4Address(int(peer) & 0xFFFFFFFF)]
    return [peer]


class _DeadlineReader(io.RawIOBase):
    """Reads from a socket until the deadline."""

    def __init__(self, sock: socket) -> None:
        self._sock, self._raw = sock, sock.makefile("rb", buffering=0)
        self._silence = sock.gettimeout() or float("inf")
        self._deadline = _deadline.get()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        wait = min(left, self._silence)
        self._sock.settimeout(wait if wait < float("inf") else None)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _InTime(HTTPResponse):
    """A response whose headers and body must both arrive before the deadline."""

    def __init__(self, sock: socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp.close()
        self.fp = io.BufferedReader(_DeadlineReader(sock))


class Adapter(HTTPAdapter):
    """Connects to any address that `allowed` takes, and reads until the deadline."""

    def __init__(self, allowed: Callable[[Address], bool] = lambda address: True) -> None:
        self._pools = _pools(allowed)
        super().__init__()

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = self._pools


def _pools(allowed: Callable[[Address], bool]) -> dict[str, type[HTTPConnectionPool]]:
    """Return pools of checked connections by scheme."""

    class Connection(HTTPConnection):
        response_class = _InTime

        def _new_conn(self) -> socket:
            return check_peer(super()._new_conn(), allowed)

    class SecureConnection(HTTPSConnection):
        response_class = _InTime

        def _new_conn(self) -> socket:
            return check_peer(super()._new_conn(), allowed)

    return {
        "http": type("Pool", (HTTPConnectionPool,), {"ConnectionCls": Connection}),
        "https": type("SecurePool", (HTTPSConnectionPool,), {"ConnectionCls": SecureConnection}),
    }
