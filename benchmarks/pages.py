"""The main pages in a big installation: python -m benchmarks.pages [--questions N] [--times N]

Fills the installation of `benchmarks.installation` and keeps it for the next run, lets the worker's
function count the figures of large projects, then gets every page some times through Django's test
client, without a server: milliseconds of the request (p50, p95), processor milliseconds of Python
and of PostgreSQL, and statements. Prints one JSON object.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks import installation
from benchmarks.crowd import spread
from benchmarks.databases import scratch_database

PROJECT = (
    "",
    "questions/",
    "questions/?order=newest",
    "questions/?order=work",
    "questions/?order=state",
    "questions/?text=777th",
    "questions/?text=zzz",
    "questions/?person={writer}",
    "monitoring/",
    "monitoring/{writer}/",
    "agreement/",
    "log/",
    "pay/",
    "pay/{writer}/",
    "export/",
    "people/",
    "claims/",
    "stuck/",
)


def pages(project: Any, writer: int, last: int) -> Iterator[tuple[str, str]]:
    """Yield the main pages as (who, path); `last` is the project's last question."""
    yield from (("annotator1", "/"), ("validator1", "/"), ("researcher1", "/"), ("admin1", "/"))
    yield from (("annotator1", "/submissions/"), ("annotator1", "/submissions/?status=waiting"))
    yield from (("annotator1", "/pay/"), ("admin1", "/projects/"))
    for path in PROJECT:
        yield "admin1", f"/projects/{project.slug}/{path.format(writer=writer)}"
    yield "admin1", f"/projects/{project.slug}/questions/?before={last}"
    yield "admin1", f"/projects/{project.slug}/questions/{last}/?order=work"
    yield "annotator1", f"/projects/{project.slug}/"
    yield "annotator1", f"/projects/{project.slug}/start/"
    yield "admin1", f"/api/v1/projects/{project.slug}/pages-read/"
    yield "admin1", "/pay/projects/"


def pages_of_long_answers(project: Any, writer: int) -> Iterator[tuple[str, str]]:
    """Yield the pages that are others, or read more, in a project of long answers."""
    for path in ("contexts/", f"monitoring/{writer}/"):
        yield "admin1", f"/projects/{project.slug}/{path}"
    for path in ("questions/", "assignments/", "assignments/?stage=validation"):
        yield "admin1", f"/api/v1/projects/{project.slug}/{path}"


def measure(client: Any, path: str, times: int) -> dict[str, Any]:
    """Get a page some times, after one that is not counted."""
    from django.db import connection

    statements: list[str] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append(sql)
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        status = client.get(path, HTTP_HOST="localhost").status_code
    taken, python, postgres = [], time.process_time(), processor_of_database()
    for _ in range(times):
        began = time.perf_counter()
        client.get(path, HTTP_HOST="localhost")
        taken.append(time.perf_counter() - began)
    return {
        "status": status,
        **spread(taken),
        "python": round(1000 * (time.process_time() - python) / times, 1),
        "postgres": round((processor_of_database() - postgres) / times, 1),
        "statements": len(statements),
    }


def processor_of_database() -> float:
    """Return the processor time of this connection's back end, in milliseconds."""
    from django.db import connection

    pid = connection.connection.info.backend_pid
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Fill, count, measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--questions", type=int, default=200_000)
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    with scratch_database(installation.DATABASE, keep=True) as new:
        from django.test import Client

        from accounts.models import User
        from annotation import tasks
        from annotation.figures import counts as stored_counts
        from annotation.models import Assignment, Question

        installation.prepare(new, questions=options.questions)
        tasks.renew_figures()
        project, *others = stored_counts.list_large_projects()
        other = next(each for each in others if each.protocol == "asqa")
        writers = [
            Assignment.objects.filter(project=each, state="submitted").latest("pk").user_id
            for each in (project, other)
        ]
        last = Question.objects.filter(project=project).latest("pk").pk
        rows = {}
        every = pages(project, writers[0], last), pages_of_long_answers(other, writers[1])
        for who, path in chain(*every):
            client = Client()
            client.force_login(User.objects.get(email=f"{who}@big.example.org"))
            rows[f"{who} {path}"] = measure(client, path, options.times)
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
