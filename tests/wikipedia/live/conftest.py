import datetime as dt

import pytest
from django.core.cache import cache
from django.db import connections
from django.utils import timezone

from tests.wikipedia.live import fake
from tests.wikipedia.live import wiki as real
from wikipedia.models import Snapshot
from wikipedia.providers import limits
from wikipedia.providers.mediawiki import MediaWikiProvider
from wikipedia.providers.registry import forget_providers


@pytest.fixture
def hosts(db):
    """SQL on what all processes know of wikis, outside the test's transaction; empty at first."""
    connection = connections["default"].copy()

    def run(sql, parameters=()):
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            return cursor.fetchall() if cursor.description else None

    run("DELETE FROM wikipedia_wikihost")
    cache.clear()
    forget_providers()
    yield run
    run("DELETE FROM wikipedia_wikihost")
    connection.close()
    forget_providers()


@pytest.fixture
def naps(hosts, monkeypatch):
    """Pauses pass at once: each is noted, and the clocks of pauses move on by it."""
    slept = []

    def nap(seconds):
        slept.append(seconds)
        hosts(
            "UPDATE wikipedia_wikihost SET paused_until = paused_until - %s * interval '1 second'",
            [seconds],
        )

    monkeypatch.setattr(limits, "sleep", nap)
    return slept


@pytest.fixture
def wiki(hosts):
    with fake.running() as running:
        yield running


@pytest.fixture
def make_snapshot(db):
    def make(address, day=dt.date(2017, 12, 31), name="live"):
        return Snapshot.objects.create(
            name=name,
            title="Rivertown wiki",
            kind=Snapshot.Kind.LIVE,
            state=Snapshot.State.READY,
            address=address,
            as_of=day,
            created_at=timezone.now(),
        )

    return make


@pytest.fixture
def provider(wiki, make_snapshot):
    return MediaWikiProvider(make_snapshot(wiki.address))


@pytest.fixture(scope="session")
def mediawiki(tmp_path_factory):
    """The api.php of a real MediaWiki with a few pages, built once per session."""
    reason = real.missing()
    if reason:
        pytest.skip(f"the tests against a real MediaWiki did not run: {reason}")
    folder, port = tmp_path_factory.mktemp("mediawiki"), real.free_port()
    real.build(folder, port)
    with real.serve(folder, port) as address:
        yield address


@pytest.fixture
def rivertown(mediawiki, hosts, make_snapshot):
    """The real wiki as a snapshot of the end of 2017."""
    return make_snapshot(mediawiki, name="rivertown")
