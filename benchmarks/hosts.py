"""A rehearsal of several hosts: people work, files are imported, and the power fails.

    python -m benchmarks.hosts [--seconds 90] [--hosts 3] [--people 12] [--kills 4] [--seed 1]
    python -m benchmarks.hosts --broker rabbitmq

Each host has a web server, a worker and a data folder of its own; the first has the clock. They
share one PostgreSQL, one Redis and one bucket. People write two question-answer pairs for a
question, again and again, as in `benchmarks.cycle`, and somebody uploads files of questions. Hosts
are killed at random moments (SIGKILL to everything on them) and started again; Redis is killed in
the middle and comes back empty. A proxy would lead a browser whose host is gone to another one;
here the browser itself picks one, and asks again.

Counted at the end: what was answered and is not in the database, what is there twice, tasks that
too many people have, jobs that did not end, questions of uploaded files. Exit status 1 if any of it
is wrong.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.crowd import TOKEN, Crowd, Cycle, Person, Reply, Visitor, spread
from benchmarks.cycle import cycle_of
from benchmarks.hosts_services import Host, Shared, make_hosts, services

ANSWER_SECONDS, AGAIN_SECONDS = 30.0, 0.2
DOWN_SECONDS, REDIS_SECONDS = 5.0, 2.0
DRAIN_SECONDS = 180.0
LINES = 3_000  # of an uploaded file
WRONG = ("lost", "doubled", "over_assigned", "seats_wrong", "jobs_unfinished", "questions_wrong")
# The outcome of the submissions that people were told are in.
SUBMISSIONS = """
    SELECT count(*) FILTER (WHERE a.state <> 'submitted' OR n.answers <> 3 OR n.pairs <> 2),
           count(*) FILTER (WHERE n.annotations > 1 OR log.entries > 1)
    FROM annotation_assignment a
    CROSS JOIN LATERAL (
        SELECT count(DISTINCT n.id) AS annotations, count(DISTINCT p.id) AS pairs,
               count(r.id) AS answers
        FROM annotation_annotation n
        LEFT JOIN annotation_qapair p ON p.annotation_id = n.id
        LEFT JOIN annotation_answer r ON r.pair_id = p.id
        WHERE n.assignment_id = a.id) n
    CROSS JOIN LATERAL (
        SELECT count(*) AS entries FROM annotation_auditentry e
        WHERE e.action = 'assignment_submitted' AND e.target = 'assignment:' || a.id) log
    WHERE a.id = ANY(%s) OR (a.policy_id = %s AND a.state = 'submitted')
"""


class Balanced(Crowd):
    """Everyone at work, led to one of the hosts."""

    def __init__(self, hosts: Sequence[Host], chance: random.Random) -> None:
        self.hosts, self.chance = hosts, chance
        super().__init__(0)
        self.told: list[int] = []  # assignments of which somebody read that they are submitted
        self.cut_off = self.asked_again = 0

    @property
    def port(self) -> int:
        """The port of a host, perhaps of one that has just lost its power."""
        return self.chance.choice(self.hosts).port

    @port.setter
    def port(self, value: int) -> None:
        pass


class Patient(Person):
    """Somebody whose browser asks again when the answer does not come or is a server error."""

    crowd: Balanced

    async def _exchange(self, message: bytes) -> tuple[int, Reply]:
        try:
            return await super()._exchange(message)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.crowd.cut_off += 1  # by a host that has just died, or is not there yet
            raise

    async def ask(self, kind: str, method: str, path: str, *rest: Any) -> Reply:
        """Ask until there is an answer."""
        page = self.page
        while True:
            try:
                async with asyncio.timeout(ANSWER_SECONDS):
                    reply = await super().ask(kind, method, path, *rest)
            except (ConnectionError, asyncio.IncompleteReadError, TimeoutError):
                await self._hang_up()
            else:
                if reply.status < 500:
                    break
            self.crowd.asked_again += 1
            await asyncio.sleep(AGAIN_SECONDS)
        if kind == "submission" and reply.location:
            self.crowd.told.append(int(page.split("/")[2]))
            if reply.location == page:  # “submitted already”: only that answer was lost
                return Reply(reply.status, {"location": "/"}, b"")
        return reply


def at_work(slug: str) -> Cycle:
    """Return the cycle of one person."""
    once = cycle_of(slug, "generation", new=False)

    async def cycle(person: Person) -> bool:
        if not person.page.startswith("/work/"):
            person.page = ""
        return await once(person)

    return cycle


def uploading(slug: str, uploads: list[int], every: float) -> Cycle:
    """Return the cycle of a person who uploads a file of questions, and waits a little."""
    from django.urls import reverse

    async def cycle(person: Person) -> bool:
        first = len(uploads) * LINES
        body, kind = upload(first)
        path = reverse("import-create", args=[slug])
        reply = await person.ask("upload", "POST", path, body, f"Content-Type: {kind}\r\n")
        if reply.status != 302:
            sys.exit(f"The upload was refused with {reply.status}: {reply.body[:2000]!r}")
        uploads.append(first)
        await asyncio.sleep(every)
        return True

    return cycle


def upload(first: int) -> tuple[bytes, str]:
    """Return the body that uploads questions from this number on, and its content type."""
    lines = "".join(
        json.dumps({"id": f"q{n}", "question": f"when did the {n}th bridge open"}) + "\n"
        for n in range(first, first + LINES)
    )
    fields = {"csrfmiddlewaretoken": TOKEN, "format": "jsonl", "split": "dev"}
    parts = [f'name="{name}"\r\n\r\n{value}' for name, value in fields.items()]
    parts.append(f'name="file"; filename="questions.jsonl"\r\n\r\n{lines}')
    body = "".join(f"--rehearsal\r\nContent-Disposition: form-data; {part}\r\n" for part in parts)
    return f"{body}--rehearsal--\r\n".encode(), "multipart/form-data; boundary=rehearsal"


# --- what goes wrong -----------------------------------------------------------------------------


async def fail(
    shared: Shared, hosts: Sequence[Host], seconds: float, kills: int, chance: random.Random
) -> list[str]:
    """Kill hosts and Redis at random moments; return what happened, in order."""
    begin, happened = time.monotonic(), []
    events: list[tuple[float, Callable[[], Any], str]] = []
    share = seconds / max(kills, 1)
    for number in range(kills):
        moment = share * number + chance.uniform(0.1, 0.5) * share
        host = chance.choice(hosts)
        events += [
            (moment, host.kill, f"{host.name} killed"),
            (moment + min(DOWN_SECONDS, 0.4 * share), host.start, f"{host.name} started"),
        ]
    moment = seconds * chance.uniform(0.4, 0.6)
    events += [
        (moment, lambda: shared.processes.kill("redis"), "Redis killed"),
        (moment + REDIS_SECONDS, shared.start_redis, "Redis started, empty"),
    ]
    for moment, act, words in sorted(events, key=lambda event: event[0]):
        await asyncio.sleep(max(0.0, begin + moment - time.monotonic()))
        await asyncio.to_thread(act)
        happened.append(f"{time.monotonic() - begin:.1f} s: {words}")
    await asyncio.sleep(max(0.0, begin + seconds - time.monotonic()))
    return happened


# --- one rehearsal -------------------------------------------------------------------------------


def rehearse(given: argparse.Namespace) -> dict[str, Any]:
    """Run everything once; return the figures."""
    with services(given.broker, given.database) as shared:
        from benchmarks.projects import make_people, make_project, new_project, visitor

        policy = make_project(given.tasks, people=2)
        visitors = [visitor(policy, user, quotes=2) for user in make_people(policy, given.people)]
        from django.utils import timezone

        imported = new_project("files-1", "ambigqa", now=timezone.now())
        staff = staff_of(imported)
        hosts = make_hosts(shared, given.hosts)
        for host in hosts:
            host.start()
        for host in hosts:
            shared.processes.wait_until(lambda host=host: answers(host.port), host.name)  # type: ignore[misc]
        uploads: list[int] = []
        crowd = Balanced(hosts, random.Random(given.seed))
        cycles = [(Patient(crowd, [person]), at_work(policy.project.slug)) for person in visitors]
        every = max(2.0, given.seconds / 10)
        cycles.append((Patient(crowd, [staff]), uploading(imported.slug, uploads, every)))
        happened = asyncio.run(_run(crowd, cycles, shared, given))
        waited = drain(imported)
        return figures(crowd, given, happened) | verdict(crowd, policy, imported, uploads, waited)


def staff_of(project: Any) -> Visitor:
    """Make a researcher of the project, who has signed in."""
    from django.conf import settings
    from django.test import Client
    from django.utils import timezone

    from annotation.models import Membership
    from benchmarks.projects import new_people

    [user] = new_people("staff{}@example.org", "Staff {}", [1])
    Membership.objects.create(
        user=user, project=project, role="researcher", created_at=timezone.now()
    )
    client = Client()
    client.force_login(user, settings.AUTHENTICATION_BACKENDS[0])
    cookies = {name: morsel.value for name, morsel in client.cookies.items()}
    return Visitor(cookies | {settings.CSRF_COOKIE_NAME: TOKEN})


def answers(port: int) -> bool:
    """Say whether a host shows the page for signing in."""
    from urllib.request import urlopen

    try:
        with urlopen(f"http://127.0.0.1:{port}/account/login/", timeout=10) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


async def _run(
    crowd: Balanced,
    cycles: Sequence[tuple[Patient, Cycle]],
    shared: Shared,
    given: argparse.Namespace,
) -> list[str]:
    people = [asyncio.create_task(person.work(cycle)) for person, cycle in cycles]
    failing = asyncio.create_task(
        fail(shared, crowd.hosts, given.seconds, given.kills, random.Random(given.seed))
    )
    # A person who stops early met something that must not happen: their exception is raised below.
    await asyncio.wait([failing, *people], return_when=asyncio.FIRST_COMPLETED)
    crowd.stopping = True
    await asyncio.gather(*people)
    return await failing


def drain(project: Any) -> float:
    """Wait until no job and no handover is left; return how many seconds that took."""
    from annotation.models import Assignment, Job

    begin = time.monotonic()
    while time.monotonic() < begin + DRAIN_SECONDS:
        open_jobs = Job.objects.filter(state__in=("queued", "running"))
        left = Assignment.objects.filter(state="submitted", handed_over_at__isnull=True)
        if not open_jobs.exists() and not left.exists():
            break
        time.sleep(0.5)
    return time.monotonic() - begin


def figures(crowd: Balanced, given: argparse.Namespace, happened: Sequence[str]) -> dict[str, Any]:
    """Return what people saw."""
    times = crowd.figures.times
    statuses = {str(status): n for status, n in sorted(crowd.figures.statuses.items())}
    return {
        "hosts": given.hosts,
        "people": given.people,
        "seconds": given.seconds,
        "broker": given.broker.partition(":")[0] or "redis",
        "happened": happened,
        "told": len(crowd.told),
        "cut_off": crowd.cut_off,
        "asked_again": crowd.asked_again,
        "statuses": statuses,
        "server_errors": sum(n for status, n in crowd.figures.statuses.items() if status >= 500),
        **spread(times["submission"] or [0.0]),
        "longest_s": {
            kind: round(max(seconds), 1) for kind, seconds in times.items() if kind != "cycle"
        },
    }


def verdict(
    crowd: Balanced, policy: Any, imported: Any, uploads: Sequence[int], waited: float
) -> dict[str, Any]:
    """Return what is in the database, and what of it is wrong."""
    from django.db import connection

    from annotation.models import Assignment, Job, Question
    from benchmarks.projects import count

    with connection.cursor() as cursor:
        cursor.execute(SUBMISSIONS, [crowd.told, policy.pk])
        incomplete, doubled = cursor.fetchone()
    missing = len(set(crowd.told)) - Assignment.objects.filter(pk__in=crowd.told).count()
    counted = count(policy, len(set(crowd.told)))
    jobs = Job.objects.filter(project=imported)
    done = jobs.filter(state="done").count()
    return {
        "lost": missing + incomplete,
        "doubled": doubled + len(crowd.told) - len(set(crowd.told)),
        "stored": counted["submits_stored"],
        "over_assigned": counted["over_assigned"],
        "seats_wrong": counted["seats_wrong"],
        "uploads": len(uploads),
        "jobs_done": done,
        "jobs_unfinished": jobs.count() - done,
        "jobs_taken_over": jobs.filter(attempts__gt=1).count(),
        "questions": Question.objects.filter(project=imported).count(),
        "questions_wrong": abs(
            Question.objects.filter(project=imported).count() - LINES * len(uploads)
        ),
        "drained_s": round(waited, 1),
    }


def main() -> None:
    """Rehearse, and say what was lost."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--hosts", type=int, default=3)
    parser.add_argument("--people", type=int, default=12)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--broker",
        default="",
        help="instead of Redis: amqp://…; rabbitmq starts one",
    )
    parser.add_argument(
        "--database",
        default="",
        help="of a server that runs already, instead of one that is started",
    )
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    found = rehearse(given)
    text = json.dumps(found, indent=1)
    given.output.write_text(text) if given.output else print(text)
    if wrong := [name for name in WRONG if found[name]]:
        sys.exit(f"Wrong: {', '.join(f'{name} {found[name]}' for name in wrong)}")


if __name__ == "__main__":
    main()
