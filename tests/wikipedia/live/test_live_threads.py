"""What a slow wiki may hold of a web process: few threads, and none for ever."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

import pytest
from django.urls import reverse

from tests import factories
from tests.wikipedia.live.fake import Reply
from tests.wikipedia.live.wiki import png
from wikipedia.providers import api, limits
from wikipedia.providers.base import ProviderUnavailable
from wikipedia.providers.http import Client, NoAnswer

pytestmark = pytest.mark.django_db


def test_pictures_hold_few_threads_and_the_others_are_told_at_once(provider, wiki, monkeypatch):
    """Eight threads, as a web process has, ask a wiki that does not answer until they are back."""
    monkeypatch.setattr("wikipedia.providers.api.PATIENCE_SECONDS", 3600.0)
    provider.load_site()
    answers = threading.Event()
    wiki.queue = [Reply(png(3, 2), type="image/png", wait=answers) for _ in range(8)]

    def ask(number):
        try:
            return provider.load_asset(f"https://127.0.0.1:{wiki.port}/images/{number}.png").content
        except ProviderUnavailable as problem:
            return str(problem)

    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(ask, number) for number in range(8)]
        try:
            back = as_completed(asking, timeout=15)
            refused = [next(back).result() for _ in range(8 - limits.PICTURES_AT_ONCE)]
        finally:
            answers.set()
        shown = [each.result() for each in asking]
    assert all("try again in a minute" in sentence for sentence in refused)
    assert shown.count(png(3, 2)) == limits.PICTURES_AT_ONCE


def test_a_picture_that_cannot_come_now_says_when(provider, wiki, client_as):
    provider.load_site()
    address = f"https://127.0.0.1:{wiki.port}/images/a.png"
    client = client_as(factories.make_user(name="Sue Staff", is_staff=True))
    held = [limits._thread_for_pictures() for _ in range(limits.PICTURE_THREADS)]
    for thread in held:
        thread.__enter__()
    try:
        response = client.get(reverse("wikipedia:asset", args=["live", address]))
    finally:
        for thread in held:
            thread.__exit__(None, None, None)
    assert (response.status_code, response["Retry-After"]) == (503, "3")


@pytest.fixture
def dripping():
    """A server that sends its headers byte by byte, and is done after a while; what it sent."""
    sent = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.recv(10_000)
                try:
                    for piece in [b"HTTP/1.1 200 OK\r\nX-Slow: ", *[b"a"] * 150]:
                        connection.sendall(piece)
                        sent.append(piece)
                        time.sleep(0.01)
                    connection.sendall(b"\r\nContent-Length: 2\r\n\r\nok")
                except OSError:
                    pass

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/", sent
        thread.join()


def test_headers_that_drip_end_at_the_deadline(dripping):
    address, sent = dripping
    with pytest.raises(NoAnswer, match="no answer in time"):
        Client(loopback=address).get(address, most_bytes=100, seconds=0.3)
    assert len(sent) < 150  # it was not waited for


def test_headers_that_come_in_time_are_read(dripping):
    address, _ = dripping
    assert Client(loopback=address).get(address, most_bytes=100, seconds=30).body == b"ok"


def test_all_attempts_together_take_no_longer_than_a_person_waits(provider, monkeypatch, naps):
    clock, asked = [0.0], []

    def silent(url, params=None, *, most_bytes, seconds):
        asked.append(seconds)
        clock[0] += seconds * 0.75  # as a wiki that says nothing for so long
        raise NoAnswer("no answer in time")

    monkeypatch.setattr(provider._api.client, "get", silent)
    monkeypatch.setattr(api.time, "monotonic", lambda: clock[0])
    with pytest.raises(ProviderUnavailable):
        provider.load_page("Lantern_Bridge")
    assert len(asked) > 1
    assert clock[0] <= api.PATIENCE_SECONDS + 1
