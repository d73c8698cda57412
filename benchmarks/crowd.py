"""People at work over HTTP, for benchmarks: each has a session and a connection of their own.

They are played in one thread, which costs far less than a browser would. What is measured: answers
a second, and the processor time of other processes meanwhile.
"""

import asyncio
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from benchmarks.serving import processor_seconds
from benchmarks.timing import spread_of

TOKEN = "b" * 32  # any 32 letters: the cookie and the form only have to agree
_PAGES = "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
_BROWSER = (
    "Host: 127.0.0.1\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n"
    "Accept-Language: en-GB,en;q=0.5\r\nAccept-Encoding: gzip, deflate\r\n"
)


@dataclass
class Reply:
    """The server's answer, as it came."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def location(self) -> str:
        """Where it leads; empty unless it redirects."""
        return self.headers.get("location", "") if self.status in (302, 303) else ""

    @property
    def leads_to(self) -> str:
        """Where the scripts of a page go with it: the page that it has in it, or an address."""
        led = self.headers.get("ambit-page") or self.headers.get("hx-redirect")
        return led or self.location

    @property
    def body(self) -> bytes:
        """The content, unpacked."""
        packed = self.headers.get("content-encoding") == "gzip"
        return zlib.decompress(self.raw, wbits=31) if packed else self.raw


@dataclass
class Figures:
    """What was measured since the people warmed up: by kind of request, and `cycle` for all."""

    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    sent: Counter[str] = field(default_factory=Counter)
    received: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True)
class Visitor:
    """Somebody who has signed in: the cookies of their browser, and their quotes."""

    cookies: Mapping[str, str]
    quotes: Sequence[str] = ()


class Crowd:
    """Everyone at work on one server."""

    def __init__(self, port: int) -> None:
        self.port, self.figures, self.submitted, self.stopping = port, Figures(), 0, False

    def figures_of(self, reply: Reply, start: float) -> Figures:
        """Return where to count the answer to a request that was sent at this moment."""
        return self.figures


Cycle = Callable[["Person"], Awaitable[bool]]


class Person:
    """One browser: a connection that stays open, and the visitor who uses it.

    With several visitors, one after the other takes the seat (`next_one`). `page` is where the last
    cycle led.
    """

    def __init__(self, crowd: Crowd, visitors: Sequence[Visitor]) -> None:
        self.crowd, self.visitors, self.page = crowd, list(visitors), ""
        self.shown: Reply | None = None  # the page in hand, where it has come already
        self.cookies: dict[str, str] = {}
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.next_one()

    def next_one(self) -> bool:
        """Let the next visitor take the seat; False when all have had it."""
        if not self.visitors:
            return False
        self.visitor = self.visitors.pop(0)
        self.cookies, self.page, self.shown = dict(self.visitor.cookies), "", None
        return True

    async def work(self, cycle: Cycle) -> None:
        """Repeat the cycle until it has nothing left or the time is up."""
        more = True
        try:
            while more and not self.crowd.stopping:
                start = time.perf_counter()
                more = await cycle(self)
                self.crowd.figures.times["cycle"].append(time.perf_counter() - start)
        finally:
            await self._hang_up()

    async def ask(
        self, kind: str, method: str, path: str, form: Any = b"", headers: str = _PAGES
    ) -> Reply:
        """Send a request and wait for the whole answer; redirects are not followed."""
        start = time.perf_counter()
        body = urlencode(form, doseq=True).encode() if isinstance(form, Mapping) else form
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        head = f"{method} {path} HTTP/1.1\r\n{_BROWSER}Cookie: {cookies}\r\n"
        if method != "GET":
            if "Content-Type" not in headers:
                headers += "Content-Type: application/x-www-form-urlencoded\r\n"
            headers += f"Content-Length: {len(body)}\r\n"
        message = f"{head}{headers}\r\n".encode() + body
        try:
            received, reply = await self._exchange(message)
        except (ConnectionError, asyncio.IncompleteReadError):
            await self._hang_up()  # the server closed it: a browser asks again
            received, reply = await self._exchange(message)
        figures = self.crowd.figures_of(reply, start)
        figures.times[kind].append(time.perf_counter() - start)
        figures.sent[kind] += len(message)
        figures.received[kind] += received
        figures.statuses[reply.status] += 1
        return reply

    async def _exchange(self, message: bytes) -> tuple[int, Reply]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.crowd.port)
        reader, writer = self.streams
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers: dict[str, str] = {}
        for line in filter(None, lines):
            name, _, value = line.partition(": ")
            if name.lower() == "set-cookie":
                self._keep(value)
            else:
                headers[name.lower()] = value
        if headers.get("transfer-encoding") == "chunked":
            body = await _read_chunks(reader)
        else:
            body = await reader.readexactly(int(headers.get("content-length", 0)))
        if headers.get("connection") == "close":
            await self._hang_up()
        return len(head) + len(body), Reply(int(first.split(" ")[1]), headers, body)

    async def _hang_up(self) -> None:
        if self.streams:
            self.streams[1].close()
            with suppress(ConnectionError):
                await self.streams[1].wait_closed()
            self.streams = None

    def _keep(self, cookie: str) -> None:
        pair, _, rest = cookie.partition(";")
        name, _, value = pair.partition("=")
        if "max-age=0" in rest.lower():
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    """Read a body whose length the server did not know, as of a download."""
    chunks = []
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        chunks.append(await reader.readexactly(size))
        await reader.readuntil(b"\r\n")
    await reader.readuntil(b"\r\n")
    return b"".join(chunks)


def run_crowd(
    port: int,
    visitors: Sequence[Sequence[Visitor]],
    cycle: Cycle,
    *,
    seconds: float,
    warm_up: int = 0,
    processes: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Let a browser for each list of visitors begin at the same moment; return the figures.

    `warm_up` is how many cycles each does before anything is measured, on the average.
    `processes` are those whose processor time is measured, with their children. Submissions are
    counted from the beginning, everything else after the warm-up.
    """
    return asyncio.run(_run(Crowd(port), visitors, cycle, seconds, warm_up, processes or {}))


async def _run(
    crowd: Crowd,
    visitors: Sequence[Sequence[Visitor]],
    cycle: Cycle,
    seconds: float,
    warm_up: int,
    processes: Mapping[str, int],
) -> dict[str, Any]:
    people = [asyncio.create_task(Person(crowd, own).work(cycle)) for own in visitors]
    while len(crowd.figures.times["cycle"]) < warm_up * len(people) and not any(
        person.done() for person in people
    ):
        await asyncio.sleep(0.05)
    crowd.figures = Figures()
    before, driver, start = _processor(processes), time.process_time(), time.perf_counter()
    await asyncio.wait(people, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    took, driver = time.perf_counter() - start, time.process_time() - driver
    after, figures, crowd.figures = _processor(processes), crowd.figures, Figures()
    crowd.stopping = True
    await asyncio.gather(*people)
    return _summary(
        figures,
        took,
        {name: after[name] - before[name] for name in processes} | {"driver": driver},
        crowd.submitted,
    )


def _processor(processes: Mapping[str, int]) -> dict[str, float]:
    return {name: processor_seconds(pid) for name, pid in processes.items()}


def _summary(
    figures: Figures, took: float, processor: Mapping[str, float], submitted: int
) -> dict[str, Any]:
    cycles = len(figures.times["cycle"])
    kinds = {
        kind: {
            **spread_of(seconds),
            "sent_bytes": round(figures.sent[kind] / len(seconds)),
            "received_bytes": round(figures.received[kind] / len(seconds)),
        }
        for kind, seconds in figures.times.items()
        if kind != "cycle"
    }
    return {
        "seconds": round(took, 1),
        "cycles": cycles,
        "cycles_per_second": round(cycles / took, 1),
        **spread_of(figures.times["cycle"] or [0.0]),
        "requests": kinds,
        "processor_ms": {
            name: round(seconds / max(cycles, 1) * 1e3, 2) for name, seconds in processor.items()
        },
        "statuses": {str(status): n for status, n in sorted(figures.statuses.items())},
        "server_errors": sum(n for status, n in figures.statuses.items() if status >= 500),
        "submits_answered": submitted,
    }
