"""The cache in Redis. What is read from it is unpickled, which can run code: so it must be ours.

Whoever else can write into Redis would otherwise run code as Ambit.
"""

import pickle
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from django.core.cache.backends import redis
from django.utils.crypto import constant_time_compare, salted_hmac

_SIZE = sha256().digest_size
_MISSING = object()


class ForgedValue(Exception):
    """What was read is not signed with SECRET_KEY."""


def _signature(data: bytes) -> bytes:
    return salted_hmac(__name__, data, algorithm="sha256").digest()


class SignedSerializer:
    """Pickles, each after its signature. Numbers stay numbers, which Redis counts up."""

    def dumps(self, value: Any) -> int | bytes:
        if type(value) is int:  # and no kind of it, such as a truth value
            return value
        pickled = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
        return _signature(pickled) + pickled

    def loads(self, data: bytes) -> Any:
        """Raises ForgedValue."""
        try:
            return int(data)
        except ValueError:
            signature, pickled = data[:_SIZE], data[_SIZE:]
        if not constant_time_compare(signature, _signature(pickled)):
            raise ForgedValue
        return pickle.loads(pickled)  # noqa: S301 - it is ours


class _Client(redis.RedisCacheClient):
    def get(self, key: Any, default: Any) -> Any:
        try:
            return super().get(key, default)
        except ForgedValue:
            return default

    def get_many(self, keys: Iterable[Any]) -> dict[Any, Any]:
        found = {key: self.get(key, _MISSING) for key in keys}
        return {key: value for key, value in found.items() if value is not _MISSING}


class SignedCache(redis.RedisCache):
    """A cache in Redis that holds nothing but what Ambit wrote."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        options = params.get("OPTIONS", {}) | {"serializer": SignedSerializer}
        super().__init__(server, params | {"OPTIONS": options})
        self._class = _Client
