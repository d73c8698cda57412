"""Handing out and submitting: python -m benchmarks.next_task [--tasks 1000 …] [--http]

Without --http, one person takes and submits at the level of services, for projects of several
sizes and for people who have done 0, 1,000 and 10,000 questions: how long each takes must not
depend on either. With --http, 50 people at once submit and take through the real addresses of a
gunicorn of two workers; afterwards the rows are counted: no task over-assigned, none lost.

Rows are made by bulk SQL in a scratch database of the embedded PostgreSQL, dropped afterwards.
Prints one JSON object.
"""

import argparse
import json
import multiprocessing
import os
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.crowd import TOKEN, run_crowd, spread
from benchmarks.databases import scratch_database, tidy

DATABASE = "ambit_benchmark_next_task"
ROOT = Path(__file__).resolve().parent.parent
DONE = (0, 1_000, 10_000)
WARM_UP = 30

QUESTIONS = """
    INSERT INTO annotation_question (project_id, external_id, text, split, state, known_answers,
        context, created_at)
    SELECT %(project)s, n, 'when did the ' || n || 'th crossing open', 'dev', 'imported', '[]',
        '{}', now() FROM generate_series(1, %(tasks)s) n
"""
TASKS = """
    INSERT INTO annotation_task (policy_id, question_id, unit, seats, position, created_at)
    SELECT %(policy)s, id, '', %(people)s, id, now() FROM annotation_question
    WHERE project_id = %(project)s
"""
SUBMITTED = """
    WITH mine AS (
        UPDATE annotation_task t SET seats = seats - 1
        FROM (SELECT id FROM annotation_task WHERE policy_id = %(policy)s
              ORDER BY position LIMIT %(done)s) first
        WHERE t.id = first.id RETURNING t.id, t.position)
    INSERT INTO annotation_assignment (task_id, user_id, project_id, policy_id, stage, position,
        state, started_at, ended_at, submitted_at, handed_over_at, draft, draft_version,
        active_seconds, seen_at, guideline_version, pay, skip_reason, park_reason, feedback,
        staff_note, used)
    SELECT id, %(user)s, %(project)s, %(policy)s, 'generation', position, 'submitted', now(),
        now(), now(), now(), '{}', 0, 240, now(), 1, 0, '', '', '', '', true
    FROM mine ORDER BY position
"""
# People who take a question have read a page at once; reading itself is not measured.
READ_AT_ONCE = """
    CREATE OR REPLACE FUNCTION read_at_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO annotation_event (assignment_id, kind, at, data) VALUES (NEW.id, 'page_open',
            now(), '{"title": "Crossing", "path": "Crossing", "via": "search"}');
        RETURN NULL;
    END $$;
    CREATE OR REPLACE TRIGGER read_at_once AFTER INSERT ON annotation_assignment
        FOR EACH ROW EXECUTE FUNCTION read_at_once();
"""


def read_at_once() -> None:
    """Let the database note a page as read with every turn that is taken."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(READ_AT_ONCE)


def make_project(tasks: int, people: int) -> Any:
    """Make a running project with this many open tasks; return its dev policy."""
    import datetime as dt

    from django.db import connection
    from django.utils import timezone

    from annotation.models import Guideline, Project, StagePolicy
    from wikipedia.models import Snapshot

    now = timezone.now()
    snapshot = Snapshot.objects.create(
        name=f"bench-{tasks}",
        title="Bench",
        kind="zim",
        archive="missing.zim",
        state="ready",
        as_of=dt.date(2018, 1, 1),
        created_at=now,
    )
    project = Project.objects.create(
        slug=f"bench-{tasks}",
        title="Bench",
        protocol="ambigqa",
        snapshot=snapshot,
        reference_date=dt.date(2017, 12, 31),
        created_at=now,
    )
    Guideline.objects.create(project=project, version=1, body="Read.", created_at=now)
    policy = StagePolicy.objects.create(
        project=project, stage="generation", split="dev", people=people, minimum_seconds=0
    )
    values = {"project": project.pk, "policy": policy.pk, "tasks": tasks, "people": people}
    with connection.cursor() as cursor:
        cursor.execute(QUESTIONS, values)
        cursor.execute(TASKS, values)
    return policy


def make_person(policy: Any, name: str, done: int = 0) -> Any:
    """Make an annotator who has submitted the first `done` tasks."""
    from django.db import connection
    from django.utils import timezone

    from accounts.models import User
    from annotation.models import Membership

    user = User.objects.create_user(f"{name}@example.org", None, name=name)
    Membership.objects.create(
        user=user, project=policy.project, role="annotator", created_at=timezone.now()
    )
    if done:
        values = {
            "project": policy.project_id,
            "policy": policy.pk,
            "user": user.pk,
            "done": done,
        }
        with connection.cursor() as cursor:
            cursor.execute(SUBMITTED, values)
    return user


# --- services ----------------------------------------------------------------------------------


def measure_services(sizes: list[int], cycles: int) -> list[dict[str, Any]]:
    """Take and submit as one person, for each size of project and each number done."""
    cells = []
    for tasks in sizes:
        policy = make_project(tasks, people=5)
        people = [
            (done, make_person(policy, f"done-{done}-of-{tasks}", done))
            for done in DONE
            if done + cycles + WARM_UP <= tasks
        ]
        tidy()
        for done, user in people:
            cells.append({"tasks": tasks, "done": done, **_cycle(policy.project, user, cycles)})
    return cells


def _cycle(project: Any, user: Any, cycles: int) -> dict[str, Any]:
    from django.utils import timezone

    from annotation.models import Assignment
    from annotation.responses import Response
    from annotation.services import assignments

    nothing = Response(kind="none", none_reason="No page says so.")
    taking, submitting = [], []
    for number in range(cycles + WARM_UP):
        start = time.perf_counter()
        taken = assignments.take_next(
            project=project, stage="generation", by=user, now=timezone.now()
        )
        took = time.perf_counter() - start
        assert taken is not None
        loaded = Assignment.objects.select_related(
            "task__question", "policy", "project__snapshot"
        ).get(pk=taken.pk)
        start = time.perf_counter()
        assignments.submit(assignment=loaded, response=nothing, by=user, now=timezone.now())
        handed_in = time.perf_counter() - start
        if number >= WARM_UP:
            taking.append(took)
            submitting.append(handed_in)
    both = [take + submit for take, submit in zip(taking, submitting, strict=True)]
    return {
        "cycles_per_second": round(1 / statistics.mean(both)),
        "take": spread(taking),
        "submit": spread(submitting),
    }


# --- over HTTP ---------------------------------------------------------------------------------


def measure_http(people: int, seconds: float, workers: int, threads: int) -> dict[str, Any]:
    """Let people take and submit at once through gunicorn; then count the database's rows."""
    tasks = 40_000
    policy = make_project(tasks, people=2)
    users = [make_person(policy, f"p{number}") for number in range(people)]
    cookies = [_signed_in(user) for user in users]
    tidy()
    port = _free_port()
    command = [
        *(sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}"),
        *("--workers", str(workers), "--threads", str(threads), "--worker-class", "gthread"),
        *("--keep-alive", "30", "--log-level", "warning", "--preload"),
    ]
    environment = {**os.environ, "LOG_LEVEL": "ERROR"}
    server = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        _wait_for(port)
        before = _processor_seconds(server.pid), _processor_seconds(_postmaster())
        results = _run_people(port, policy.project.slug, cookies, seconds)
        after = _processor_seconds(server.pid), _processor_seconds(_postmaster())
    finally:
        server.terminate()
        server.wait(timeout=30)
    return {
        "people": people,
        "workers": workers,
        "threads": threads,
        **results,
        # Comparable between machines that do other things at the same time.
        "web_cpu_ms_per_cycle": round((after[0] - before[0]) / results["cycles"] * 1e3, 2),
        "database_cpu_ms_per_cycle": round((after[1] - before[1]) / results["cycles"] * 1e3, 2),
        **_count(policy, results["submits_answered"]),
    }


def _signed_in(user: Any) -> str:
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.sessions.backends.db import SessionStore

    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.create()
    return (
        f"{settings.SESSION_COOKIE_NAME}={session.session_key}; {settings.CSRF_COOKIE_NAME}={TOKEN}"
    )


def _postmaster() -> int:
    from config import embedded

    return int((embedded.data_dir() / "postgresql" / "postmaster.pid").read_text().split()[0])


def _processor_seconds(pid: int) -> float:
    """Return the processor time of a process and all its living descendants."""
    import psutil

    process = psutil.Process(pid)
    return sum(sum(each.cpu_times()[:2]) for each in [process, *process.children(recursive=True)])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit("gunicorn did not start within 30 s.")


def _run_people(port: int, slug: str, cookies: list[str], seconds: float) -> dict[str, Any]:
    """Run the crowd in a process of its own, so that it does not share our interpreter."""
    queue: Any = multiprocessing.get_context("spawn").Queue()
    crowd = multiprocessing.get_context("spawn").Process(
        target=run_crowd, args=(port, slug, cookies, seconds, queue)
    )
    crowd.start()
    results: dict[str, Any] = queue.get(timeout=seconds + 120)
    crowd.join(timeout=30)
    return results


def _count(policy: Any, answered: int) -> dict[str, int]:
    """Count over-assigned tasks, seats that do not add up, and submissions lost."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            """
            WITH held AS (
                SELECT t.id, t.seats, count(a.id) AS n, count(DISTINCT a.user_id) AS people
                FROM annotation_task t LEFT JOIN annotation_assignment a
                  ON a.task_id = t.id AND a.state IN ('active', 'parked', 'submitted')
                WHERE t.policy_id = %(policy)s GROUP BY t.id)
            SELECT count(*) FILTER (WHERE n > %(people)s OR people < n),
                   count(*) FILTER (WHERE seats + n <> %(people)s),
                   (SELECT count(*) FROM annotation_annotation n JOIN annotation_question q
                    ON q.id = n.question_id WHERE q.project_id = %(project)s)
            FROM held
            """,
            {"policy": policy.pk, "people": policy.people, "project": policy.project_id},
        )
        over, wrong, stored = cursor.fetchone()
    # More may be stored than were answered: a reply can be cut off, a submission not.
    return {
        "over_assigned": over,
        "seats_wrong": wrong,
        "submits_stored": stored,
        "lost": max(0, answered - stored),
    }


def main() -> None:
    """Run the requested benchmark and print its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tasks", type=int, nargs="+", default=[1_000, 100_000, 1_000_000])
    parser.add_argument("--cycles", type=int, default=300)
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--threads", type=int, default=8)
    wanted = parser.parse_args()
    with scratch_database(DATABASE):
        read_at_once()
        if wanted.http:
            found: Any = measure_http(wanted.people, wanted.seconds, wanted.workers, wanted.threads)
        else:
            found = measure_services(wanted.tasks, wanted.cycles)
    print(json.dumps({"http" if wanted.http else "services": found}, indent=2))


if __name__ == "__main__":
    main()
