"""What stands before the pages, without a socket: which bodies it reads, and how long it waits."""

import asyncio
import threading

import pytest

from operations import front


class Reader:
    """Somebody who asks: sends a body piece by piece, goes or waits after it, keeps the reply."""

    def __init__(self, *pieces, length=None, then="waits"):
        self.pieces, self.then, self.sent = list(pieces), then, []
        self.length = sum(map(len, pieces)) if length is None else length

    @property
    def scope(self):
        return {
            **{"type": "http", "http_version": "1.1", "scheme": "http", "raw_path": b"/"},
            **{"method": "POST", "query_string": b"", "server": None, "client": None},
            "headers": [(b"content-length", str(self.length).encode())],
        }

    async def receive(self):
        if self.pieces:
            piece = self.pieces.pop(0)
            rest = self.pieces or self.then == "stops"
            return {"type": "http.request", "body": piece, "more_body": bool(rest)}
        if self.then == "goes":
            return {"type": "http.disconnect"}
        await asyncio.Event().wait()

    async def send(self, message):
        self.sent.append(message)

    @property
    def reply(self):
        [head, *pieces] = self.sent
        return head["status"], b"".join(piece["body"] for piece in pieces)


class Application:
    """Answers with the body that it was given."""

    def __init__(self):
        self.asked, self.problems, self.held = 0, [], threading.Event()
        self.held.set()

    def __call__(self, environ, start_response):
        self.asked += 1
        self.held.wait(20)
        try:
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        except OSError as problem:
            self.problems.append(problem)
            body = b"unreadable"
        start_response("200 OK", [])
        return [body]


@pytest.fixture
def application():
    return Application()


def ask(application, *readers, threads=2):
    async def run():
        served = front.ThreadedApplication(application, threads)
        await asyncio.gather(*(served(each.scope, each.receive, each.send) for each in readers))

    asyncio.run(run())


LONG = [b"a" * front.SHORT_BYTES, b"bc"]


@pytest.mark.parametrize("pieces", [[], [b"a"], [b"a", b"", b"bc"], LONG])
def test_a_body_is_whole(application, pieces):
    reader = Reader(*pieces)
    ask(application, reader)
    assert reader.reply == (200, b"".join(pieces))


def test_one_that_stops_is_refused_and_no_thread_was_asked(application, monkeypatch):
    monkeypatch.setattr(front, "BODY_SECONDS", 0.05)
    reader = Reader(b"a", length=2, then="stops")
    ask(application, reader)
    assert (reader.reply[0], application.asked) == (408, 0)
    assert (b"connection", b"close") in reader.sent[0]["headers"]


def test_one_that_comes_fast_enough_may_take_longer(application, monkeypatch):
    monkeypatch.setattr(front, "BODY_SECONDS", 0.05)
    monkeypatch.setattr(front, "SLOWEST_BYTES", 1)
    reader = Reader(b"aaaa", b"b", then="stops", length=5)

    async def slowly(receive=reader.receive):
        if len(reader.pieces) == 1:
            await asyncio.sleep(0.2)
            reader.then = "waits"
        return await receive()

    reader.receive = slowly
    ask(application, reader)
    assert reader.reply == (200, b"aaaab")


def test_who_goes_before_the_end_gets_no_thread(application):
    reader = Reader(length=2, then="goes")
    ask(application, reader)
    assert (reader.sent, application.asked) == ([], 0)


def test_a_long_one_that_stops_is_an_error_of_reading(application, monkeypatch):
    monkeypatch.setattr(front, "BODY_SECONDS", 0.05)
    monkeypatch.setattr(front, "SLOWEST_BYTES", 10**9)
    reader = Reader(b"a", length=front.SHORT_BYTES + 1, then="stops")
    ask(application, reader)
    assert reader.reply == (200, b"unreadable")
    assert isinstance(application.problems[0], TimeoutError)


def test_long_ones_hold_half_of_the_threads(application, monkeypatch):
    monkeypatch.setattr(front, "BODY_SECONDS", 0.2)
    application.held.clear()
    threading.Timer(1, application.held.set).start()
    readers = [Reader(*LONG) for _ in range(3)]
    ask(application, *readers, threads=4)
    assert sorted(reader.reply[0] for reader in readers) == [200, 200, 503]
