"""Somebody at work while others send bodies so slowly that they never end.

    python -m benchmarks.slow_bodies [--connections 200] [--seconds 10]

The web server is started as the demo starts it, two processes of 8 threads. A person repeats the
cycle of `benchmarks.cycle`: fetches the page of a question and submits two pairs. Then the same
again, while each of the connections sends a form to the sign-in page, a byte every quarter of a
second. A request that gets no answer within ten seconds ends the run.
"""

import argparse
import asyncio
import json
import os
import sys
from contextlib import suppress
from typing import Any

from benchmarks.crowd import TOKEN, Crowd, Person, Visitor
from benchmarks.cycle import cycle_of
from benchmarks.databases import scratch_database
from benchmarks.serving import free_port, served, web_command

# With the cookie, or else the form is refused before it is read.
HEAD = (
    "POST /account/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5000\r\n"
    f"Cookie: csrftoken={TOKEN}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
).encode()
PATIENCE, EVERY = 10.0, 0.25


async def trickle(port: int) -> None:
    """Send bodies that do not end, one after the other."""
    while True:
        with suppress(ConnectionError):
            _reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(HEAD)
            while True:
                writer.write(b"a")
                await writer.drain()
                await asyncio.sleep(EVERY)


async def work(crowd: Crowd, visitor: Visitor, slug: str, seconds: float) -> dict[str, Any]:
    """Let the person work for so long; return how long they waited."""
    person, cycle = Person(crowd, [visitor]), cycle_of(slug, "generation", new=False)
    crowd.figures.times.clear()
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        async with asyncio.timeout(PATIENCE):
            await cycle(person)
    return {
        kind: {"requests": len(times), "longest_s": round(max(times), 3)}
        for kind, times in crowd.figures.times.items()
    }


async def measure(
    port: int, visitors: list[Visitor], slug: str, connections: int, seconds: float
) -> Any:
    """Return the figures without and with the slow connections."""
    crowd = Crowd(port)
    await work(crowd, visitors[0], slug, 2)  # each process has loaded what it needs
    found = {"0": await work(crowd, visitors[1], slug, seconds)}
    slow = [asyncio.create_task(trickle(port)) for _ in range(connections)]
    await asyncio.sleep(1)
    try:
        found[str(connections)] = await work(crowd, visitors[2], slug, seconds)
    except TimeoutError:
        found[str(connections)] = {"answered": False}
    for task in slow:
        task.cancel()
    return found


def main() -> None:
    """Print the longest time of each kind of request, by the number of slow connections."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--connections", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10)
    given = parser.parse_args()
    with scratch_database("slow_bodies"):
        from django.db import transaction

        from benchmarks.projects import make_people, make_project, visitor

        policy = make_project(10_000, people=2)
        with transaction.atomic():
            visitors = [visitor(policy, user, quotes=2) for user in make_people(policy, 3)]
        port = free_port()
        command = [sys.executable, *web_command(port)]
        with served(command, port, env=os.environ | {"LOG_LEVEL": "ERROR"}):
            slug = policy.project.slug
            found = asyncio.run(measure(port, visitors, slug, given.connections, given.seconds))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
