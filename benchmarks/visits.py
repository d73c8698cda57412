"""Pages opened through Django's test client, without a server: their times and statements."""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.timing import clock_of, processor_of, repeat_call, spread_of


def signed_in(user: Any) -> Any:
    """Return the browser of a person who has signed in."""
    from django.conf import settings
    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[0])
    return client


def time_request(ask: Callable[[], Any], times: int, status: int = 200) -> dict[str, Any]:
    """Repeat a request; return milliseconds, those of processors, statements and kilobytes.

    "python" and "postgres" are means of processor time. Raises SystemExit for another status.
    """
    with counted_statements() as counts:
        answer = ask()
    if answer.status_code != status:
        raise SystemExit(f"{answer.request['PATH_INFO']} answered {answer.status_code}.")
    postgres = processor_of_database()
    every = repeat_call(ask, times)
    return {
        **spread_of(clock_of(every)),
        "python": round(1e3 * sum(processor_of(every)) / times, 1),
        "postgres": round((processor_of_database() - postgres) / times, 1),
        "statements": counts["statements"],
        "kb": round(len(answer.content) / 1000),
    }


@contextmanager
def counted_statements() -> Iterator[Counter[str]]:
    """Count "statements" in the block."""
    from django.db import connection

    counts = Counter[str]()

    def execute(go_on: Any, *rest: Any) -> Any:
        counts["statements"] += 1
        return go_on(*rest)

    with connection.execute_wrapper(execute):
        yield counts


def processor_of_database() -> float:
    """Return the processor time of this connection's back end, in milliseconds."""
    from django.db import connection

    connection.ensure_connection()
    pid = connection.connection.info.backend_pid
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
