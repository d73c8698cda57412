"""How long reports take: python -m benchmarks.reports [--questions 14042] [--keep]

A project of AmbigQA with this many questions, two annotations of each, 60 annotators and 6
validators, and one of ASQA with two fifths of them. For each of their reports: seconds that
computing and drawing it takes when nothing is stored, and milliseconds (median of 20) until its
page and its API have answered from what is stored, with the number of statements. The same of
all rows of its longest panel. Time of the processor, of Python and of PostgreSQL, is given as well:
it says more on a machine that has other work to do. Libraries that draw are loaded beforehand, as
in a worker that has drawn before; `libraries_s` says how long that takes.
"""

import argparse
import json
import statistics
import time
from typing import Any

from benchmarks import installation
from benchmarks.databases import scratch_database, tidy
from benchmarks.pages import processor_of_database

DATABASE = "ambit_reports"
TIMES = 20


def measure(project: Any) -> dict[str, Any]:
    """Compute every report of a project once, and open it often; seconds, milliseconds, counts."""
    from django.test import Client
    from django.urls import reverse
    from django.utils import timezone

    from accounts.models import User
    from annotation.figures import registry
    from annotation.figures import services as figures_services
    from annotation.figures.filters import Filters
    from annotation.figures.queries import place_report

    client = Client()
    client.force_login(User.objects.get(memberships__project=project, memberships__role="admin"))
    figures: dict[str, dict[str, Any]] = {}
    for report in registry.list_reports(project):
        started, worked = time.perf_counter(), time.process_time()
        database = processor_of_database()
        computed = figures_services.compute_figures(
            place_report(project, report, Filters()), now=timezone.now()
        )
        figures[report.key] = {
            "panels": len(computed[0].figures["panels"]),
            "cold_s": round(time.perf_counter() - started, 2),
            "python_s": round(time.process_time() - worked, 2),
            "postgres_s": round((processor_of_database() - database) / 1000, 2),
        }
        figures_services.store_computed(computed)
        place = [project.slug, report.key]
        figures[report.key] |= {
            "page": opened(client, reverse("project-report", args=place)),
            "api": opened(client, reverse("api-report", args=place)),
        }
        if longest := max(computed[1:], key=lambda row: len(row.figures["rows"]), default=None):
            panel = longest.report.rpartition(".")[2]
            figures[report.key] |= {
                "rows": len(longest.figures["rows"]),
                "rows_page": opened(client, reverse("report-rows", args=[*place, panel])),
                "rows_api": opened(client, reverse("api-report-panel", args=[*place, panel])),
            }
    return figures


def load_libraries() -> float:
    """Draw a first picture; return the processor seconds that this took."""
    from annotation.figures import pictures
    from annotation.figures.panel import Chart, Column, Panel, panel_to_json

    worked = time.process_time()
    columns = (Column("x", "X"), Column("y", "Y", "count"))
    panel = Panel(columns, [("a", 1)], 1, "", chart=Chart("bars", x="x", y="y"))
    pictures.draw_svg(panel_to_json(panel) | {"key": "first"})
    return round(time.process_time() - worked, 2)


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
        print(json.dumps({"libraries_s": load_libraries()}))
        projects = Project.objects.filter(slug__in=["big-1", "big-3"]).order_by("slug")
        for project in projects:
            questions = project.questions.count()
            figures = {"protocol": project.protocol, "questions": questions} | measure(project)
            print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
