"""The main pages in a big installation.

Fills the installation of `benchmarks.installation` and keeps it for the next run, lets the worker's
function count the figures of large projects, then gets every page some times through Django's test
client, without a server: milliseconds of the request (p50, p95), processor milliseconds of Python
and of PostgreSQL, and statements.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any

from benchmarks import databases, installation
from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.visits import signed_in, time_request

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


@dataclass
class Pages(Benchmark):
    """Are the main pages quick in an installation with a million assignments?"""

    questions: int = option(200_000)
    times: int = option(20)

    def measure(self) -> dict[str, Any]:
        """Fill, count, and get every page some times, after one that is not counted."""
        with databases.scratch_database(installation.DATABASE, keep=True) as new:
            from accounts.models import User
            from annotation import tasks
            from annotation.models import Assignment, Project, Question

            if new:
                installation.fill(questions=self.questions, assignments=5 * self.questions)
                databases.tidy()
            tasks.renew_figures()
            project = Project.objects.get(slug="big-1")
            other = Project.objects.get(slug__startswith="big-", protocol="asqa")
            writers = [
                Assignment.objects.filter(project=each, state="submitted").latest("pk").user_id
                for each in (project, other)
            ]
            last = Question.objects.filter(project=project).latest("pk").pk
            rows = {}
            every = pages(project, writers[0], last), pages_of_long_answers(other, writers[1])
            for who, path in chain(*every):
                client = signed_in(User.objects.get(email=f"{who}@big.example.org"))
                rows[f"{who} {path}"] = time_request(partial(client.get, path), self.times)
            return rows


if __name__ == "__main__":
    run_benchmark("pages")
