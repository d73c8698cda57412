"""The cache in Redis: what others on the machine write into it is neither run nor believed."""

import dataclasses
import os
import pickle
import subprocess
import sys

import pytest
import redis
from django.core.cache import caches
from django.test import override_settings

from tests.annotation.jobs.test_worker import redis_address

pytestmark = pytest.mark.redis
assert redis_address  # a fixture
ran = []


@dataclasses.dataclass
class Page:
    title: str
    content: bytes


class Evil:
    def __reduce__(self):
        return ran.append, ("code",)


@pytest.fixture
def cache(redis_address, settings):
    backend = {"BACKEND": "config.cache.SignedCache", "LOCATION": redis_address}
    settings.CACHES = {"default": backend}
    yield caches["default"]
    caches["default"].clear()


@pytest.fixture
def raw(redis_address, cache):
    """Somebody else at the same Redis."""
    cache.set("key", "value")
    return redis.Redis.from_url(redis_address)


@pytest.mark.parametrize(
    "forged", [pickle.dumps(Evil()), b"x" * 32 + pickle.dumps(Evil()), b"", b"x"]
)
def test_what_others_write_is_as_if_it_were_not_there(cache, raw, forged):
    [name] = raw.keys()
    raw.set(name, forged)
    assert cache.get("key", "default") == "default"
    assert cache.get_many(["key"]) == {}
    assert cache.get_or_set("key", lambda: "made") == "made"
    assert ran == []


def test_what_ambit_writes_is_read(cache):
    page = Page("Lund", b"\0\x80")
    for value in ("text", 7, True, 1.5, None, [1.5], {"a": 1}, (page,)):
        cache.set("key", value)
        assert cache.get("key", "default") == value
        assert type(cache.get("key")) is type(value)
        assert cache.get_many(["key", "other"]) == {"key": value}
    cache.set("count", 1)
    assert cache.incr("count") == 2


def test_what_another_secret_key_signed_is_not_there(cache):
    cache.set("key", "value")
    with override_settings(SECRET_KEY="another, long enough to be one of them"):
        assert cache.get("key") is None


def test_an_installation_with_redis_has_this_cache():
    done = subprocess.run(
        [sys.executable, "-c", "import config.settings as s; print(s.CACHES['default'])"],
        env=os.environ | {"SECRET_KEY": "x" * 60, "REDIS_URL": "redis://redis.example:6379/0"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "config.cache.SignedCache" in done.stdout, done.stderr
