"""A big installation: python -m benchmarks.installation [--questions 200000] [--keep] [-- COMMAND]

Fills a scratch database of the embedded PostgreSQL by bulk SQL: three projects (two of AmbigQA, one
of ASQA) with everything that grows with their work: assignments in every state, drafts, answers,
validations, decisions, outcomes, events, audit entries and pay. Tests fill their own database with
a smaller one: `installation.fill(questions=4_000, assignments=20_000)`.

The command is run while the database is up, and with --keep the database stays for the next one:

    python -m benchmarks.installation --keep -- python manage.py export --project big-1 …
"""

import argparse
import datetime as dt
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.databases import scratch_database, tidy
from benchmarks.installation_rows import Rows
from benchmarks.projects import new_people, new_project

DATABASE = "ambit_installation"
PEOPLE = {"annotator": 60, "validator": 6, "researcher": 1, "admin": 1}
# Each project's protocol and its share of the questions.
PROJECTS = (("ambigqa", 0.5), ("ambigqa", 0.3), ("asqa", 0.2))


def prepare(new: bool, *, questions: int = 200_000) -> None:
    """Fill a new database, and collect the files of pages if they have changed."""
    from django.conf import settings
    from django.core.management import call_command

    if new:
        fill(questions=questions, assignments=5 * questions)
        tidy()
    manifest = settings.STATIC_ROOT / "staticfiles.json"
    newest = max(path.stat().st_mtime for path in (settings.BASE_DIR / "static").rglob("*"))
    if not manifest.exists() or manifest.stat().st_mtime < newest:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)


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
        people = _people()
        projects = []
        for number, (protocol, share) in enumerate(PROJECTS, start=1):
            project = _project(f"big-{number}", protocol, now=now, seats=seats, people=people)
            count = round(questions * share)
            Rows(project, questions=count, each=each, seats=seats, people=people, now=now).fill()
            projects.append(project)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    for project in projects:
        _take_some(project, people["annotator"][:45], now=now)
    return projects


def _people() -> dict[str, list[Any]]:
    return {
        role: new_people(f"{role}{{}}@big.example.org", f"{role.title()} {{}}", range(1, count + 1))
        for role, count in PEOPLE.items()
    }


def _project(
    slug: str, protocol: str, *, now: dt.datetime, seats: int, people: Mapping[str, Sequence[Any]]
) -> Any:
    from annotation.models import Membership

    project = new_project(slug, protocol, now=now)
    project.policies.exclude(stage="validation").update(people=seats)
    project.policies.update(pay="0.50", pay_accepted="0.10")
    if protocol == "ambigqa":
        project.policies.get_or_create(stage="validation", split="train")
    Membership.objects.bulk_create(
        Membership(user=user, project=project, role=role, created_at=now)
        for role, users in people.items()
        for user in users
    )
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


def main() -> None:
    """Make the installation, run the command if there is one, and print what was made."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", default=DATABASE)
    parser.add_argument("--questions", type=int, default=200_000)
    parser.add_argument("--assignments", type=int, default=1_000_000)
    parser.add_argument("--keep", action="store_true", help="leave it; use it if it is there")
    parser.add_argument("command", nargs="*", help="run with this database")
    given = parser.parse_args()
    start = time.perf_counter()
    with scratch_database(given.database, keep=given.keep) as new:
        if new:
            fill(questions=given.questions, assignments=given.assignments)
            tidy()
        seconds = round(time.perf_counter() - start, 1)
        from config import embedded

        address = os.environ[embedded.URL_VARIABLE]
        print(json.dumps({"database": address, "new": new, "seconds": seconds, "rows": _rows()}))
        sys.stdout.flush()
        status = subprocess.run(given.command).returncode if given.command else 0
    sys.exit(status)


def _rows() -> dict[str, int]:
    from django.apps import apps

    models = {model._meta.db_table: model for model in apps.get_models(include_auto_created=True)}
    counts = {table: model._default_manager.count() for table, model in models.items()}
    return {table: count for table, count in sorted(counts.items()) if count >= 1000}


if __name__ == "__main__":
    main()
