"""At most three requests at a wiki, from however many threads and processes."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connections

from wikipedia.providers import limits
from wikipedia.providers.api import ActionApi
from wikipedia.providers.base import ProviderUnavailable

ROOT = Path(__file__).resolve().parents[3]
ASK = """
import json, os, sys
import django
from django.conf import settings
django.setup()
settings.DATABASES["default"]["NAME"] = settings.DATABASES["default"]["TEST"]["NAME"] = sys.argv[2]
settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
from concurrent.futures import ThreadPoolExecutor
from wikipedia.providers.api import ActionApi
api = ActionApi(sys.argv[1], "Rivertown wiki")
def ask(number):
    query = {"action": "query", "prop": "revisions", "titles": f"{os.getpid()}-{number}"}
    return api.query_cached(query, lambda answer: answer["query"]["pages"][0]["title"])
print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(4) as pool:
    print(json.dumps(list(pool.map(ask, range(5)))))
"""

pytestmark = pytest.mark.django_db


def title(answer):
    return answer["query"]["pages"][0]["title"]


def question(number):
    return {"action": "query", "prop": "revisions", "titles": f"Pier {number}"}


def test_threads_share_three_turns(wiki):
    wiki.delay = 0.05
    shared = ActionApi(wiki.address, "Rivertown wiki")
    with ThreadPoolExecutor(10) as pool:
        titles = list(pool.map(lambda n: shared.query_cached(question(n), title), range(20)))
    assert titles == [f"Pier {number}" for number in range(20)]
    assert wiki.most_under_way == limits.AT_ONCE


def test_processes_share_three_turns(wiki):
    wiki.delay = 0.08
    database = connections["default"].settings_dict["NAME"]
    asking = [
        subprocess.Popen(
            [sys.executable, "-c", ASK, wiki.address, database],
            cwd=ROOT,
            env=os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert [process.stdout.readline() for process in asking] == ["ready\n"] * 3
    for process in asking:
        process.stdin.write("go\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=60)[0] for process in asking]
    assert [process.returncode for process in asking] == [0, 0, 0]
    for process, answer in zip(asking, answers, strict=True):
        assert json.loads(answer) == [f"{process.pid}-{number}" for number in range(5)]
    assert len(wiki.requests) == 15
    assert wiki.most_under_way == limits.AT_ONCE


def test_a_killed_process_gives_its_turn_back(hosts, monkeypatch):
    """Its connection dies with it; nothing has to expire."""
    holder = connections["default"].copy()
    holder.set_autocommit(False)
    for number in range(limits.AT_ONCE):
        assert limits._lock(holder, "wiki.test", number)
    monkeypatch.setattr(limits, "sleep", lambda seconds: time.sleep(0.01))
    with pytest.raises(limits.NoFreeTurn), limits.take_turn("wiki.test", patience=0.1):
        pytest.fail("a fourth turn")
    with limits.take_turn("another.test", patience=0.1):
        pass
    pid = holder.connection.info.backend_pid
    hosts("SELECT pg_terminate_backend(%s)", [pid])
    with limits.take_turn("wiki.test", patience=5):
        pass
    holder.close()


def test_pictures_leave_a_turn_for_reading(hosts):
    with (
        limits.take_turn("wiki.test", most=2, patience=1),
        limits.take_turn("wiki.test", most=2, patience=1),
    ):
        with pytest.raises(limits.NoFreeTurn), limits.take_turn("wiki.test", most=2, patience=0.05):
            pytest.fail("a third picture")
        with (
            limits.take_turn("wiki.test", patience=1),
            pytest.raises(limits.NoFreeTurn),
            limits.take_turn("wiki.test", patience=0.05),
        ):
            pytest.fail("a fourth request")


def test_a_turn_ends_with_an_error_too(hosts):
    for _ in range(5):
        with pytest.raises(ZeroDivisionError), limits.take_turn("wiki.test", patience=0.2):
            1 / 0  # noqa: B018


def test_who_waits_too_long_is_told_so(wiki, monkeypatch):
    monkeypatch.setattr("wikipedia.providers.api.PATIENCE_SECONDS", 0.1)
    shared = ActionApi(wiki.address, "Rivertown wiki")
    host = shared.host
    with (
        limits.take_turn(host, patience=1),
        limits.take_turn(host, patience=1),
        limits.take_turn(host, patience=1),
        pytest.raises(ProviderUnavailable, match="Many people are reading Rivertown wiki"),
    ):
        shared.query_cached(question(1), title)


def test_the_same_question_at_once_is_asked_once(wiki):
    shared = ActionApi(wiki.address, "Rivertown wiki")
    with (
        limits.take_turn(shared.host, patience=5),
        limits.take_turn(shared.host, patience=5),
        ThreadPoolExecutor(3) as pool,
    ):
        titles = list(pool.map(lambda _: shared.query_cached(question(1), title), range(3)))
    assert titles == ["Pier 1"] * 3
    assert len(wiki.requests) == 1


def test_failures_together_count_once_and_success_forgets_them(hosts):
    def state():
        return hosts(
            "SELECT failures, round(extract(epoch FROM paused_until - clock_timestamp()))::int"
            " FROM wikipedia_wikihost"
        )

    with (
        limits.take_turn("wiki.test", patience=1) as first,
        limits.take_turn("wiki.test", patience=1) as second,
    ):
        second.note_failure()
        first.note_failure()
    assert state() == [(1, 1)]
    hosts("UPDATE wikipedia_wikihost SET paused_until = now()")
    with limits.take_turn("wiki.test", patience=1) as third:
        third.note_failure()
    assert state() == [(2, 2)]
    for expected in (4, 8, 16, 32, 60, 60):
        hosts("UPDATE wikipedia_wikihost SET paused_until = now()")
        with limits.take_turn("wiki.test", patience=1) as turn:
            turn.note_failure(retry_after=0.5)
        assert state()[0][1] == expected
    hosts("UPDATE wikipedia_wikihost SET paused_until = now()")
    with limits.take_turn("wiki.test", patience=1):
        pass
    assert state()[0][0] == 0
    with limits.take_turn("wiki.test", patience=1) as turn:
        turn.note_failure(retry_after=10**9)
    assert state()[0][1] == 24 * 3600
