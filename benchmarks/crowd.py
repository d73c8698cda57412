"""People at work over HTTP, for benchmarks: each has a connection and a thread of their own."""

import http.client
import statistics
import threading
import time
from typing import Any
from urllib.parse import urlencode

TOKEN = "b" * 32  # any 32 letters: cookie and header only have to agree


def spread(seconds: list[float]) -> dict[str, float]:
    """Return p50 and p95 in milliseconds."""
    cuts = statistics.quantiles(seconds, n=20)
    return {
        "p50_ms": round(statistics.median(seconds) * 1e3, 2),
        "p95_ms": round(cuts[18] * 1e3, 2),
    }


def run_crowd(port: int, slug: str, cookies: list[str], seconds: float, queue: Any) -> None:
    """Let everyone begin at the same moment; put the figures into the queue."""
    barrier = threading.Barrier(len(cookies))
    people = [Person(port, slug, cookie) for cookie in cookies]
    threads = [threading.Thread(target=each.work, args=(barrier, seconds)) for each in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = max(each.stopped for each in people) - min(each.started for each in people)
    cycles = sum(len(each.times) for each in people)
    statuses: dict[str, int] = {}
    for each in people:
        for status, count in each.statuses.items():
            statuses[str(status)] = statuses.get(str(status), 0) + count
    queue.put(
        {
            "seconds": round(took, 1),
            "cycles": cycles,
            "cycles_per_second": round(cycles / took, 1),
            **spread([seconds for each in people for seconds in each.times]),
            "statuses": statuses,
            "server_errors": sum(n for status, n in statuses.items() if status.startswith("5")),
            "submits_answered": sum(each.submitted for each in people),
        }
    )


class Person:
    """One annotator with a connection that stays open.

    A cycle is one question submitted and the next one taken: work-submit hands out the next
    question itself, so work-next is only asked if the person has none.
    """

    def __init__(self, port: int, slug: str, cookie: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.slug = slug
        self.headers = {
            "Cookie": cookie,
            "X-CSRFToken": TOKEN,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self.times: list[float] = []
        self.statuses: dict[int, int] = {}
        self.submitted = 0
        self.started = self.stopped = 0.0

    def work(self, barrier: threading.Barrier, seconds: float) -> None:
        """Work until the time is up or nothing is left."""
        barrier.wait()
        self.started = time.perf_counter()
        page = ""
        while time.perf_counter() - self.started < seconds:
            start = time.perf_counter()
            page = page or self.post(f"/work/next/{self.slug}/generation/", {})
            if not page.startswith("/work/"):
                break
            answer = {"kind": "none", "none_reason": "No page says so.", "version": "0"}
            after = self.post(f"{page}submit/", answer)
            if after and after != page:
                self.submitted += 1
                self.times.append(time.perf_counter() - start)
            page = after if after.startswith("/work/") and after != page else ""
        self.stopped = time.perf_counter()

    def post(self, path: str, form: dict[str, str]) -> str:
        """Post a form; return the path it redirects to, or nothing."""
        self.connection.request("POST", path, urlencode(form), self.headers)
        response = self.connection.getresponse()
        response.read()
        self.statuses[response.status] = self.statuses.get(response.status, 0) + 1
        return response.headers.get("Location", "") if response.status == 302 else ""
