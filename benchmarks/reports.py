"""How long reports take: python -m benchmarks.reports [--questions 14042] [--keep]

A project of AmbigQA with this many questions, two annotations of each, 60 annotators and 6
validators, and one of ASQA with two fifths of them. For each of their reports: seconds that
computing and drawing it takes when nothing is stored, and milliseconds (median of 20) until its
page and its API have answered from what is stored, with the number of statements. Time of the
processor is given as well: it says the same on a machine that has other work to do.
"""

import argparse
import json
import statistics
import time
from typing import Any

from benchmarks import installation
from benchmarks.databases import scratch_database, tidy

DATABASE = "ambit_reports"
TIMES = 20


def measure(project: Any) -> dict[str, Any]:
    """Compute every report of a project once, and open it often; seconds, milliseconds, counts."""
    from django.test import Client
    from django.urls import reverse
    from django.utils import timezone

    from accounts.models import User
    from evaluation.reports import computing, registry
    from evaluation.reports.filters import Filters

    client = Client()
    client.force_login(User.objects.get(memberships__project=project, memberships__role="admin"))
    figures = {}
    for report in registry.reports(project):
        started, worked = time.perf_counter(), time.process_time()
        computed = computing.compute(
            project=project, report=report, filters=Filters(), now=timezone.now()
        )
        seconds, processor = time.perf_counter() - started, time.process_time() - worked
        computing.store(computed)
        figures[report.key] = {
            "panels": len(computed[0].figures["panels"]),
            "cold_s": round(seconds, 2),
            "processor_s": round(processor, 2),
            "page": opened(client, reverse("project-report", args=[project.slug, report.key])),
            "api": opened(client, reverse("api-report", args=[project.slug, report.key])),
        }
    return figures


def opened(client: Any, address: str) -> dict[str, float]:
    """Return the median of milliseconds, the statements and the kilobytes of an answer."""
    from django.db import connection

    statements = []

    def counted(execute: Any, sql: str, *rest: Any) -> Any:
        statements.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(counted):
        answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    times, worked = [], time.process_time()
    for _ in range(TIMES):
        started = time.perf_counter()
        client.get(address)
        times.append(time.perf_counter() - started)
    return {
        "ms": round(1000 * statistics.median(times), 1),
        "processor_ms": round(1000 * (time.process_time() - worked) / TIMES, 1),
        "statements": len(statements),
        "kb": round(len(answer.content) / 1000),
    }


def main() -> None:
    """Make the projects where they are missing, measure, and print the figures as JSON."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=14_042)
    parser.add_argument("--keep", action="store_true", help="leave the database; use it if there")
    given = parser.parse_args()
    with scratch_database(DATABASE, keep=given.keep) as new:
        from django.test.utils import setup_test_environment

        from annotation.models import Project

        setup_test_environment()
        if new:  # the first project gets half of the questions, with two people for each
            installation.fill(questions=2 * given.questions, assignments=6 * given.questions)
            tidy()
        installation.prepare(False)  # the files of pages
        projects = Project.objects.filter(slug__in=["big-1", "big-3"]).order_by("slug")
        for project in projects:
            questions = project.questions.count()
            figures = {"protocol": project.protocol, "questions": questions} | measure(project)
            print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
