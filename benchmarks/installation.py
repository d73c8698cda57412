"""A big installation.

Fills a scratch database of the embedded PostgreSQL by bulk SQL: three projects (two of AmbigQA, one
of ASQA) with everything that grows with their work: assignments in every state, drafts, answers,
validations, decisions, outcomes, events, audit entries and pay. Tests fill their own database with
a smaller one: `installation.fill(questions=4_000, assignments=20_000)`.

The command is run while the database is up, and with --keep the database stays for the next one:

    python -m benchmarks.installation --keep -- python manage.py export --project big-1 …
"""

import datetime as dt
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import databases
from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.installation_rows import Rows
from benchmarks.projects import join_project, new_people, new_project
from benchmarks.timing import Taken

DATABASE = "ambit_installation"
PEOPLE = {"annotator": 60, "validator": 6, "researcher": 1, "admin": 1}
# Each project's protocol and its share of the questions.
PROJECTS = (("ambigqa", 0.5), ("ambigqa", 0.3), ("asqa", 0.2))


def fill(*, questions: int, assignments: int) -> list[Any]:
    """Fill the migrated database that Django is connected to; return the three projects.

    About `assignments` are made. Five for each question are four people, a validator for most, and
    turns that people left.
    """
    from django.db import connection, transaction
    from django.utils import timezone

    now, each = timezone.now(), assignments / questions
    seats = max(1, min(25, round(each) - 1))
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")
            cursor.execute("SELECT current_setting('is_superuser') = 'on'")
            if cursor.fetchone()[0]:  # references are right as they are made
                cursor.execute("SET LOCAL session_replication_role = replica")
        people = make_staff()
        projects = []
        for number, (protocol, share) in enumerate(PROJECTS, start=1):
            project = new_filled(
                f"big-{number}", protocol, round(questions * share), now=now, each=each,
                seats=seats, people=people,
            )  # fmt: skip
            projects.append(project)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    for project in projects:
        _take_some(project, people["annotator"][:45], now=now)
    return projects


def make_staff() -> dict[str, list[Any]]:
    """Make the people of the installation, by role."""
    return {
        role: new_people(f"{role}{{}}@big.example.org", f"{role.title()} {{}}", range(1, count + 1))
        for role, count in PEOPLE.items()
    }


def new_filled(
    slug: str,
    protocol: str,
    questions: int,
    *,
    now: dt.datetime,
    each: float,
    seats: int,
    people: Mapping[str, Sequence[Any]],
) -> Any:
    """Make a project whose questions have `each` turns and ask for `seats` people."""
    project = new_project(slug, protocol, now=now)
    project.policies.exclude(stage="validation").update(people=seats)
    project.policies.update(pay="0.50", pay_accepted="0.10")
    if protocol == "ambigqa":
        project.policies.get_or_create(stage="validation", split="train")
    join_project(project, people, now=now)
    Rows(project, questions=questions, each=each, seats=seats, people=people, now=now).fill()
    return project


def _take_some(project: Any, people: Sequence[Any], *, now: dt.datetime) -> None:
    """Let people hold a question now; a third of them have parked another."""
    from annotation.stages import registry as stages
    from annotation.work import assignments

    first = next(stage for stage in stages.of_protocol(project.protocol) if stage.first)
    for number, user in enumerate(people):
        for parks in (True, False) if number % 3 == 0 else (False,):
            turn = assignments.take_next(project=project, stage=first.key, by=user, now=now)
            if turn is not None and parks:
                assignments.park_assignment(assignment=turn, reason="Later", by=user, now=now)


@dataclass
class Installation(Benchmark):
    """How many rows does an installation have in which people have worked for months?"""

    database: str = option(DATABASE)
    questions: int = option(200_000)
    assignments: int = option(1_000_000)
    keep: bool = option(False, "leave it; use it if it is there")
    command: tuple[str, ...] = option((), "to run with this database", nargs="*", positional=True)

    def measure(self) -> Iterator[dict[str, Any]]:
        """Make the installation, say what was made, and run the command if there is one."""
        taken = Taken()
        with databases.scratch_database(self.database, keep=self.keep) as new:
            if new:
                fill(questions=self.questions, assignments=self.assignments)
                databases.tidy()
            from config import embedded

            address = os.environ[embedded.URL_VARIABLE]
            taken.stop()
            seconds = round(taken.seconds, 1)
            yield {"database": address, "new": new, "seconds": seconds, "rows": _rows()}
            status = subprocess.run(self.command).returncode if self.command else 0
        if status:
            sys.exit(status)


def _rows() -> dict[str, int]:
    from django.apps import apps

    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    counts = {table: model._default_manager.count() for table, model in models.items()}
    return {table: count for table, count in sorted(counts.items()) if count >= 1000}


if __name__ == "__main__":
    run_benchmark("installation")
