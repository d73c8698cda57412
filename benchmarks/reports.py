"""How long reports take.

A project of AmbigQA with this many questions, two annotations of each, 60 annotators and 6
validators, and one of ASQA with two fifths of them. For each of their reports: seconds that
computing and drawing it takes when nothing is stored, those that it takes once one submission has
another answer, the ratio of the two, and milliseconds (median of 20) until its
page and its API have answered from what is stored, with the number of statements. The same of
all rows of its longest panel. Time of the processor, of Python and of PostgreSQL, is given as well:
it says more on a machine that has other work to do. Libraries that draw are loaded beforehand, as
in a worker that has drawn before; `libraries_s` says how long that takes.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks import databases, installation
from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.timing import median_ms, repeat_call, taking
from benchmarks.visits import counted_statements, processor_of_database, signed_in

DATABASE = "ambit_reports"
TIMES = 20


def measure(project: Any) -> dict[str, Any]:
    """Compute every report of a project once, and open it often; seconds, milliseconds, counts."""
    from django.urls import reverse
    from django.utils import timezone

    from accounts.models import User
    from annotation.figures import registry
    from annotation.figures import services as figures_services
    from annotation.figures.filters import Filters
    from annotation.figures.queries import place_report

    admin = User.objects.get(memberships__project=project, memberships__role="admin")
    client = signed_in(admin)
    figures: dict[str, dict[str, Any]] = {}
    for report in registry.list_reports(project):
        database = processor_of_database()
        with taking() as taken:
            computed = figures_services.compute_figures(
                place_report(project, report, Filters()), now=timezone.now()
            )
        figures[report.key] = {
            "panels": len(computed[0].figures["panels"]),
            "cold_s": round(taken.seconds, 2),
            "python_s": round(taken.processor, 2),
            "postgres_s": round((processor_of_database() - database) / 1000, 2),
        }
        figures_services.store_computed(computed)
        change_a_submission(project)
        with taking() as again:
            figures_services.compute_figures(
                place_report(project, report, Filters()), now=timezone.now()
            )
        figures[report.key] |= {
            "changed_s": round(again.seconds, 2),
            "changed_to_cold": round(again.seconds / taken.seconds, 2),
        }
        place = [project.slug, report.key]
        figures[report.key] |= {
            "page": opened(client, reverse("project-report", args=place)),
            "api": opened(client, reverse("api-report", args=place)),
        }
        panels = [part for part in computed[1:] if "rows" in part.figures]
        if longest := max(panels, key=lambda row: len(row.figures["rows"]), default=None):
            panel = longest.report.rpartition(".")[2]
            figures[report.key] |= {
                "rows": len(longest.figures["rows"]),
                "rows_page": opened(client, reverse("report-rows", args=[*place, panel])),
                "rows_api": opened(client, reverse("api-report-panel", args=[*place, panel])),
            }
    return figures


def change_a_submission(project: Any) -> None:
    """Let one submission of the project have another text: a long answer, or one answer."""
    from annotation.models import Answer, LongAnswer

    for rows in (
        LongAnswer.objects.filter(question__project=project),
        Answer.objects.filter(pair__annotation__question__project=project),
    ):
        if (row := rows.order_by("pk").first()) is not None:
            rows.filter(pk=row.pk).update(text=f"{row.text} again")
            return


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
    with counted_statements() as counts:
        answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    every = repeat_call(lambda: client.get(address), TIMES)
    return {
        "ms": median_ms(every),
        "processor_ms": round(1000 * sum(taken.processor for taken in every) / TIMES, 1),
        "statements": counts["statements"],
        "kb": round(len(answer.content) / 1000),
    }


@dataclass
class Reports(Benchmark):
    """How long do reports take, cold and from what is stored?"""

    questions: int = option(14_042)
    keep: bool = option(False, "leave the database; use it if there")

    def measure(self) -> Iterator[dict[str, Any]]:
        """Make the projects where they are missing; yield the figures of each."""
        with databases.scratch_database(DATABASE, keep=self.keep) as new:
            from annotation.models import Project

            if new:  # the first project gets half of the questions, with two people for each
                installation.fill(questions=2 * self.questions, assignments=6 * self.questions)
                databases.tidy()
            yield {"libraries_s": load_libraries()}
            for project in Project.objects.filter(slug__in=["big-1", "big-3"]).order_by("slug"):
                questions = project.questions.count()
                yield {"protocol": project.protocol, "questions": questions} | measure(project)


if __name__ == "__main__":
    run_benchmark("reports")
