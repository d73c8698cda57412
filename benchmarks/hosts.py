"""A rehearsal of several hosts: people work, files are imported, and the power fails.

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

import asyncio
import contextlib
import json
import random
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from benchmarks import databases
from benchmarks.crowd import TOKEN, Crowd, Cycle, Person, Reply
from benchmarks.cycle import cycle_of
from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.hosts_services import Host, Shared, running_services
from benchmarks.projects import (
    count,
    make_people,
    make_project,
    new_people,
    new_project,
    visitor,
)
from benchmarks.timing import spread_of

DATABASE = "ambit_hosts"
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
        if kind == "submission" and reply.leads_to:
            self.crowd.told.append(int(page.split("/")[2]))
            if reply.leads_to == page:  # “submitted already”: only that answer was lost
                return Reply(reply.status, {"hx-redirect": "/"}, b"")
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
        body, kind = build_upload(first)
        path = reverse("import-create", args=[slug])
        reply = await person.ask("upload", "POST", path, body, f"Content-Type: {kind}\r\n")
        if reply.status != 302:
            sys.exit(f"The upload was refused with {reply.status}: {reply.body[:2000]!r}")
        uploads.append(first)
        await asyncio.sleep(every)
        return True

    return cycle


def build_upload(first: int, count: int = LINES) -> tuple[bytes, str]:
    """Return the body that uploads questions from this number on, and its content type."""
    lines = "".join(
        json.dumps({"id": f"q{n}", "question": f"when did the {n}th bridge open"}) + "\n"
        for n in range(first, first + count)
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


@dataclass
class Hosts(Benchmark):
    """Is anything lost, or there twice, after hosts have lost their power?"""

    hosts: int = option(3)
    people: int = option(12)
    tasks: int = option(10_000)
    seconds: float = option(90.0)
    kills: int = option(4)
    seed: int = option(1)
    broker: str = option("", "amqp://…, instead of Redis")
    database: str = option("", "of a server that runs already, instead of the embedded one")

    def measure(self) -> Iterator[dict[str, Any]]:
        """Run everything once; end with status 1 if anything is wrong."""
        with contextlib.ExitStack() as stack:
            database = self.database or stack.enter_context(databases.empty_database(DATABASE))
            shared = stack.enter_context(running_services(self.broker, database))
            found = self._rehearse(shared)
        yield found
        if wrong := [f"{name} {found[name]}" for name in WRONG if found[name]]:
            sys.exit(f"Wrong: {', '.join(wrong)}")

    def _rehearse(self, shared: Shared) -> dict[str, Any]:
        from django.utils import timezone

        from annotation.models import Membership

        policy, now = make_project(self.tasks, people=2), timezone.now()
        visitors = [visitor(policy, user, quotes=2) for user in make_people(policy, self.people)]
        imported = new_project("files-1", "ambigqa", now=now)
        [staff] = new_people("staff{}@example.org", "Staff {}", [1])
        Membership.objects.create(user=staff, project=imported, role="researcher", created_at=now)
        hosts = [Host(number, shared) for number in range(1, self.hosts + 1)]
        for host in hosts:
            host.start()
        for host in hosts:
            shared.processes.wait_until(host.answers, host.name)
        uploads: list[int] = []
        crowd = Balanced(hosts, random.Random(self.seed))
        cycles = [(Patient(crowd, [person]), at_work(policy.project.slug)) for person in visitors]
        upload = uploading(imported.slug, uploads, max(2.0, self.seconds / 10))
        cycles.append((Patient(crowd, [visitor(policy, staff)]), upload))
        chance = random.Random(self.seed)
        failing = partial(fail, shared, hosts, self.seconds, self.kills, chance)
        happened = asyncio.run(_run(crowd, cycles, failing))
        waited = drain(imported)
        return {
            "hosts": self.hosts,
            "people": self.people,
            "seconds": self.seconds,
            "broker": self.broker.partition(":")[0] or "redis",
            "happened": happened,
            **figures(crowd),
            **verdict(crowd, policy, imported, uploads, waited),
        }


async def _run(
    crowd: Balanced,
    cycles: Sequence[tuple[Patient, Cycle]],
    failures: Callable[[], Coroutine[Any, Any, list[str]]],
) -> list[str]:
    people = [asyncio.create_task(person.work(cycle)) for person, cycle in cycles]
    failing = asyncio.create_task(failures())
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


def figures(crowd: Balanced) -> dict[str, Any]:
    """Return what people saw."""
    times = crowd.figures.times
    statuses = {str(status): n for status, n in sorted(crowd.figures.statuses.items())}
    return {
        "told": len(crowd.told),
        "cut_off": crowd.cut_off,
        "asked_again": crowd.asked_again,
        "statuses": statuses,
        "server_errors": sum(n for status, n in crowd.figures.statuses.items() if status >= 500),
        **spread_of(times["submission"] or [0.0]),
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

    with connection.cursor() as cursor:
        cursor.execute(SUBMISSIONS, [crowd.told, policy.pk])
        incomplete, doubled = cursor.fetchone()
    missing = len(set(crowd.told)) - Assignment.objects.filter(pk__in=crowd.told).count()
    counted = count(policy, len(set(crowd.told)))
    jobs = Job.objects.filter(project=imported)
    done = jobs.filter(state="done").count()
    questions = Question.objects.filter(project=imported).count()
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
        "questions": questions,
        "questions_wrong": abs(questions - LINES * len(uploads)),
        "drained_s": round(waited, 1),
    }


if __name__ == "__main__":
    run_benchmark("hosts")
