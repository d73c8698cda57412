"""Background work: behind people, with maxlag, from the upper half of the bucket."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.wikipedia.live.fake import Reply
from wikipedia.articles.services import fetch_page
from wikipedia.models import ShownPage
from wikipedia.providers import api, limits
from wikipedia.providers.api import ActionApi
from wikipedia.providers.base import ProviderUnavailable

pytestmark = pytest.mark.django_db


def title(answer):
    return answer["query"]["pages"][0]["title"]


def question(number):
    return {"action": "query", "prop": "revisions", "titles": f"Pier {number}"}


def lagging(seconds=4):
    error = {"error": {"code": "maxlag", "info": "Waiting for a server.", "lag": seconds}}
    return Reply(error, headers={"Retry-After": str(seconds)})


@pytest.fixture
def wiki_api(wiki):
    return ActionApi(wiki.address, "Rivertown wiki")


def test_only_background_work_sends_maxlag(wiki, wiki_api):
    wiki_api.query_cached(question(1), title)
    with limits.behind_people():
        wiki_api.query_cached(question(2), title)
    wiki_api.query_cached(question(3), title)
    assert [r["params"].get("maxlag") for r in wiki.requests] == [None, "5", None]


def test_what_background_work_fetched_serves_people(wiki, wiki_api):
    with limits.behind_people():
        wiki_api.query_cached(question(1), title)
    assert wiki_api.query_cached(question(1), title) == "Pier 1"
    assert len(wiki.requests) == 1


def test_a_lag_holds_up_background_work_and_nobody_else(wiki, wiki_api, naps, hosts):
    wiki.queue = [lagging(4)]
    with limits.behind_people():
        assert wiki_api.query_cached(question(1), title) == "Pier 1"
    assert 4.0 in naps
    assert sum(naps) < 6  # and the looks for people
    assert hosts("SELECT count(*) FROM wikipedia_wikihost WHERE paused_until > now()") == [(0,)]
    wiki.queue = [lagging()] * 9
    with limits.behind_people(), pytest.raises(ProviderUnavailable, match="maxlag"):
        wiki_api.query_cached(question(2), title)
    assert len(wiki.queue) == 9 - api.ATTEMPTS
    wiki.queue = []
    assert wiki_api.query_cached(question(3), title) == "Pier 3"


def test_a_pause_the_wiki_asks_for_holds_for_background_work_too(wiki, wiki_api, naps):
    wiki.queue = [Reply(status=429, headers={"Retry-After": "120"})]
    with pytest.raises(ProviderUnavailable, match="2 minutes"):
        wiki_api.query_cached(question(1), title)
    with limits.behind_people():
        assert wiki_api.query_cached(question(1), title) == "Pier 1"  # it has the patience
    assert 115 < max(naps) <= 120


def test_background_work_waits_while_a_person_asks(hosts):
    with limits.take_turn("wiki.test", patience=1):
        with (
            limits.behind_people(),
            pytest.raises(limits.NoFreeTurn),
            limits.take_turn("wiki.test", patience=0.2),
        ):
            pytest.fail("beside a person")
        with limits.take_turn("wiki.test", patience=1):
            pass  # other people are not held up
    with limits.behind_people(), limits.take_turn("wiki.test", patience=3):
        pass


def test_a_person_never_waits_for_background_work(hosts):
    def two_people():
        with (
            limits.take_turn("wiki.test", patience=0.5),
            limits.take_turn("wiki.test", patience=0.5),
        ):
            return limits.in_background()

    with (
        limits.behind_people(),
        limits.take_turn("wiki.test", patience=3),
        ThreadPoolExecutor(1) as pool,  # another thread is not in the background
    ):
        assert pool.submit(two_people).result() is False


def test_people_who_wait_come_before_background_work(wiki, wiki_api, monkeypatch):
    """Three people ask, six more come while a job waits: the job comes last."""
    monkeypatch.setattr(limits, "_BACKGROUND_POLL", 0.1)
    wiki.delay = 0.2
    started = threading.Event()

    def job():
        with limits.behind_people():
            started.set()
            return wiki_api.query_cached(question(99), title)

    with ThreadPoolExecutor(12) as pool:
        first = [pool.submit(wiki_api.query_cached, question(n), title) for n in range(3)]
        time.sleep(0.1)
        late = pool.submit(job)
        started.wait(5)
        second = [pool.submit(wiki_api.query_cached, question(n), title) for n in range(3, 9)]
        assert [each.result() for each in first + second] == [f"Pier {n}" for n in range(9)]
        assert late.result() == "Pier 99"
    order = [r["params"]["titles"] for r in wiki.requests]
    assert order[-1] == "Pier 99"


def test_background_work_comes_one_at_a_time(wiki, wiki_api, monkeypatch):
    monkeypatch.setattr(limits, "_BACKGROUND_POLL", 0.02)
    wiki.delay = 0.05

    def job(number):
        with limits.behind_people():
            return wiki_api.query_cached(question(number), title)

    with ThreadPoolExecutor(4) as pool:
        assert len(list(pool.map(job, range(6)))) == 6
    assert wiki.most_under_way == 1


def test_the_bucket_gives_a_minute_at_once_and_then_as_it_fills(wiki, wiki_api, naps, settings):
    settings.WIKI_REQUESTS_PER_MINUTE = 6
    for number in range(6):
        wiki_api.query_cached(question(number), title)
    assert naps == []
    wiki_api.query_cached(question(6), title)
    assert len(naps) == 1
    assert 9 < naps[0] <= 10
    settings.WIKI_REQUESTS_PER_MINUTE = 1  # a minute each is longer than a person would wait
    with pytest.raises(ProviderUnavailable, match="Many people are reading"):
        wiki_api.query_cached(question(7), title)


def test_the_bucket_is_one_for_all_and_fills_again(wiki, naps, settings, hosts):
    settings.WIKI_REQUESTS_PER_MINUTE = 6
    one, two = ActionApi(wiki.address, "One"), ActionApi(wiki.address, "Two")
    for number in range(3):
        one.query_cached(question(number), title)
        two.query_cached(question(number + 50), title)
    assert naps == []
    hosts(
        "UPDATE wikipedia_wikihost SET requests_full_at = requests_full_at - interval '20 seconds'"
    )
    one.query_cached(question(7), title)
    two.query_cached(question(8), title)
    assert naps == []
    one.query_cached(question(9), title)
    assert len(naps) == 1


def test_background_work_leaves_half_of_the_bucket(wiki, wiki_api, settings, monkeypatch):
    settings.WIKI_REQUESTS_PER_MINUTE = 6
    monkeypatch.setattr(api, "BACKGROUND_PATIENCE_SECONDS", 0.5)
    monkeypatch.setattr(limits, "_BACKGROUND_POLL", 0.02)
    with limits.behind_people():
        for number in range(3):
            wiki_api.query_cached(question(number), title)
        with pytest.raises(ProviderUnavailable):
            wiki_api.query_cached(question(3), title)
    for number in range(4, 7):
        wiki_api.query_cached(question(number), title)
    assert len(wiki.requests) == 6


def test_pictures_have_a_bucket_of_their_own(hosts, settings, naps):
    settings.WIKI_REQUESTS_PER_MINUTE = 1
    for _ in range(5):
        with limits.take_turn("wiki.test", most=limits.PICTURES_AT_ONCE, patience=1):
            pass
    with limits.take_turn("wiki.test", patience=1):
        pass
    assert naps == []
    with (
        pytest.raises(limits.NoFreeTurn),
        limits.take_turn("wiki.test", most=limits.PICTURES_AT_ONCE, patience=1),
    ):
        pytest.fail("a sixth picture")


def test_a_page_fetched_in_the_background_is_kept(wiki, make_snapshot):
    snapshot = make_snapshot(wiki.address)
    kept = fetch_page(snapshot=snapshot, path="Lantern_Bridge")
    assert ShownPage.objects.get().pk == kept.pk
    assert {r["params"].get("maxlag") for r in wiki.requests} == {"5"}
    assert not limits.in_background()
