"""Hours of mixed load, with something going wrong every few minutes.

    python -m benchmarks.soak --minutes 45 --output soak.json
    python -m benchmarks.soak --minutes 240 --output soak.json

An installation of its own (PostgreSQL, Redis where it is installed, web server, worker, clock) in a
folder under /tmp. People write questions and answers, long answers and verdicts, save drafts, park,
skip, change what they submitted, search and read, and work through the API; researchers import,
export, cancel jobs and compute figures; backups are made meanwhile. Faults come in an order by
chance (`--seed`), each of them once before any comes again, and after each everything has to be
right again in time: pages, submissions, jobs, the clock, seats.

Everything that was acknowledged is written down and compared with the database at the end. Exit
status 1, with sentences in `wrong`, if anything is lost, doubled, half there or over-assigned, if a
job did not end, a backup differs, memory grows, or people met an error outside of faults.
"""

import asyncio
import math
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from typing import Any

from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.hosts import drain
from benchmarks.projects import make_people, make_project, new_people, new_project, visitor
from benchmarks.soak_backups import Backups
from benchmarks.soak_faults import FAULTS, Scene, in_own_connection, let_faults_happen, plan_faults
from benchmarks.soak_memory import Sampler, describe_memory
from benchmarks.soak_people import (
    KINDS,
    STAGES,
    Persistent,
    Watched,
    as_program,
    at_work,
    read_pages,
)
from benchmarks.soak_services import PARTS, Installation
from benchmarks.soak_staff import Researcher, research
from benchmarks.soak_verdict import (
    count_wrong,
    judge_errors,
    judge_jobs,
    judge_left,
    judge_memory,
    judge_submissions,
    judge_work,
    shorten,
    tabulate_errors,
    tabulate_latency,
)

PEOPLE_EACH = {"generation": 2, "long_answers": 2, "validation": 1}  # of a question
RESEARCHERS = 2
BACKUPS = 20  # in all, but not more often than
BACKUP_SECONDS = 15.0
NO_REDIS_FAULT = ("Redis lost",)


@dataclass
class Soak(Benchmark):
    """Is anything lost, doubled or leaking after hours of load with faults?"""

    minutes: float = option(45.0)
    seconds_between_faults: float = option(180.0)
    people: int = option(20)
    pause: float = option(1.0, "seconds that people think between two requests, on the average")
    seed: int = option(0)
    faults: tuple[str, ...] = option((), "only these", choices=tuple(FAULTS))

    def measure(self) -> Iterator[dict[str, Any]]:
        """Run everything once; end with status 1 if anything is wrong."""
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("The soak was stopped."))
        installation = Installation(self.minutes)
        try:
            installation.prepare()
            found = self._soak(installation)
        finally:
            installation.close()
        yield found
        if found["wrong"]:
            sys.exit("\n".join(["Wrong:", *found["wrong"]]))

    def _soak(self, installation: Installation) -> dict[str, Any]:
        crowd = Watched(installation.port, self.seed, self.pause)
        policies, files = self._make_projects(installation)
        people, researchers = self._make_everyone(crowd, policies, files)
        installation.start(*PARTS)
        installation.processes.wait_until(installation.answers, "The web server")
        checker, *others = researchers
        scene = Scene(
            installation, crowd, checker, Backups(installation),
            count_wrong=partial(count_wrong, list(policies.values())),
        )  # fmt: skip
        sampler = Sampler(installation.list_pids, PARTS)
        sampler.start()
        asyncio.run(self._run(scene, [*people, *((other, research) for other in others)]))
        memory = describe_memory(sampler.samples)
        sampler.stop()
        waited = in_own_connection(lambda: drain(files))
        installation.close()  # so that nothing changes any more
        return self._describe(scene, policies, files, memory, waited)

    # --- what there is ------------------------------------------------------------------------

    def _make_projects(self, installation: Installation) -> tuple[dict[str, Any], Any]:
        """Make a project for each stage, with an archive, and one for files."""
        from django.utils import timezone

        from wikipedia.archives.zim import open_archive
        from wikipedia.corpora.sources import ArchiveSource
        from wikipedia.demo.build import build_demo_zim
        from wikipedia.models import Snapshot
        from wikipedia.search.index import build_index

        policies = {}
        for stage, each in PEOPLE_EACH.items():
            share = math.ceil(self.people * sum(self._does(kind, stage) for kind in KINDS) / 10)
            turns = share * 60 * self.minutes / (0.7 * self.pause)  # at most
            policies[stage] = make_project(100 + round(turns), each, stage)
        archive = installation.data / "demo.zim"
        build_demo_zim(archive)
        for name in Snapshot.objects.values_list("name", flat=True):
            folder = installation.data / "index" / name
            build_index(folder, ArchiveSource(open_archive(archive)))
        Snapshot.objects.update(archive=str(archive))
        return policies, new_project("files-1", "ambigqa", now=timezone.now())

    def _does(self, kind: str, stage: str) -> bool:
        return stage == (kind if kind in STAGES else "generation")

    def _make_everyone(
        self, crowd: Watched, policies: dict[str, Any], files: Any
    ) -> tuple[list[tuple[Persistent, Any]], list[Researcher]]:
        from django.utils import timezone
        from knox.models import AuthToken

        from annotation.models import Membership

        people: list[tuple[Persistent, Any]] = []
        for kind in islice(cycle(KINDS), self.people):
            policy = policies[kind if kind in STAGES else "generation"]
            [user] = make_people(policy, 1)
            person = Persistent(crowd, visitor(policy, user, quotes=2), policy.project.slug)
            if kind == "api":
                person.cookies = {}
                people.append((person, as_program(AuthToken.objects.create(user)[1])))
            else:
                people.append((person, read_pages if kind == "reader" else at_work(kind)))
        researchers = []
        slugs = [policy.project.slug for policy in policies.values()]
        for user in new_people("staff{}@example.org", "Staff {}", range(RESEARCHERS + 1)):
            for project in (files, *(policy.project for policy in policies.values())):
                Membership.objects.create(
                    user=user, project=project, role="researcher", created_at=timezone.now()
                )
            token = AuthToken.objects.create(user)[1]
            browser = visitor(policies["generation"], user)
            researchers.append(Researcher(crowd, browser, token, files=files.slug, others=slugs))
        return people, researchers

    # --- the load and the faults --------------------------------------------------------------

    async def _run(self, scene: Scene, everyone: Sequence[tuple[Persistent, Any]]) -> None:
        seconds = 60 * self.minutes
        left_out = () if scene.installation.has_redis else NO_REDIS_FAULT
        names = [name for name in self.faults or FAULTS if name not in left_out]
        planned = plan_faults(names, seconds, self.seconds_between_faults, self.seed)
        people = [asyncio.create_task(person.work(once)) for person, once in everyone]
        every = max(BACKUP_SECONDS, seconds / BACKUPS)
        backups = asyncio.create_task(scene.backups.make_regularly(scene.crowd, every))
        faults = asyncio.create_task(let_faults_happen(scene, planned, seconds))
        await asyncio.wait([faults])
        scene.crowd.stopping = True
        # Whoever met something that nobody foresaw has stopped; the others went on.
        for ended in await asyncio.gather(faults, backups, *people, return_exceptions=True):
            if isinstance(ended, Exception):
                where = traceback.extract_tb(ended.__traceback__)[-1]
                scene.wrong.append(f"{ended!r} in {where.name}, {where.filename}:{where.lineno}")

    # --- what was found -----------------------------------------------------------------------

    def _describe(
        self, scene: Scene, policies: dict[str, Any], files: Any, memory: Any, waited: float
    ) -> dict[str, Any]:
        crowd, journal, backups = scene.crowd, scene.crowd.journal, scene.backups
        kinds = judge_submissions(journal, policies) | judge_jobs(journal, files)
        kinds["work"] = judge_work(journal, set(STAGES) & set(islice(KINDS, self.people)))
        kinds["left_wrong"] = judge_left(journal)
        kinds["errors"] = judge_errors(crowd)
        kinds["memory"] = judge_memory(memory)
        for name, number in count_wrong(policies.values()).items():
            kinds[name] = [f"{number} tasks"] if number else []
        begin = time.monotonic()
        rows = backups.compare_everything(scene.wrong)
        compared = round(time.monotonic() - begin, 1)
        wrong = [f"{name}: {each}" for name in kinds for each in shorten(kinds[name])]
        return {
            "minutes": self.minutes,
            "people": self.people,
            "seed": self.seed,
            "left_out": scene.installation.left_out,
            "submissions": {
                "sent": len(journal.entries),
                "acknowledged": journal.acknowledged(),
                "attempts_without_answer": sum(entry.unanswered for entry in journal.entries),
                "parked_or_skipped": len(journal.left),
                "drained_s": round(waited, 1),
            },
            "jobs": {"uploads": len(journal.uploads)},
            "backups": {
                "made": backups.made,
                "failed_in_faults": len(backups.failed),
                "longest_s": round(max(backups.seconds, default=0.0), 1),
                "submissions_compared": backups.compared["submissions"],
                "rows_compared_at_the_end": rows,
                "compared_s": compared,
            },
            "happened": scene.happened,
            "never_happened": sorted(set(FAULTS) - {each["fault"] for each in scene.happened}),
            "latency": tabulate_latency(crowd),
            "longest_s": {kind: round(took, 1) for kind, took in sorted(crowd.longest.items())},
            "errors": tabulate_errors(crowd),
            "answered_500": shorten(scene.installation.list_unexpected()),
            "refused": {kind: dict(words) for kind, words in sorted(crowd.refusals.items())},
            "failed_backups": shorten(backups.failed),
            "memory": memory,
            "wrong": [*shorten(scene.wrong), *wrong],
            **({"logs": scene.installation.logs()} if wrong or scene.wrong else {}),
        }


if __name__ == "__main__":
    run_benchmark("soak")
