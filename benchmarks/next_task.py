"""Handing out and submitting: python -m benchmarks.next_task [--tasks 1000 …] [--http]

Without --http, one person takes and submits at the level of services, for projects of several
sizes and for people who have done 0, 1,000 and 10,000 questions: how long each takes must not
depend on either. With --http, 50 people at once submit "Not found" through the real addresses and
are led to the next question, whose page they do not fetch: posts a second, not the cycle of a
working day, which is `benchmarks.cycle`. Afterwards the rows are counted: no task over-assigned,
none lost.

Rows are made by bulk SQL in a scratch database of the embedded PostgreSQL, dropped afterwards.
Prints one JSON object.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.crowd import TOKEN, Person, run_crowd, spread
from benchmarks.databases import scratch_database, tidy
from benchmarks.projects import count, make_people, make_project, submitted, visitor
from benchmarks.serving import free_port, postmaster, served, web_command

DATABASE = "ambit_benchmark_next_task"
ROOT = Path(__file__).resolve().parent.parent
DONE = (0, 1_000, 10_000)
WARM_UP = 30
FORM = {
    "csrfmiddlewaretoken": TOKEN,
    "kind": "none",
    "none_reason": "No page says so.",
    "version": "0",
}

# --- services ----------------------------------------------------------------------------------


def measure_services(sizes: list[int], cycles: int) -> list[dict[str, Any]]:
    """Take and submit as one person, for each size of project and each number done."""
    cells = []
    for tasks in sizes:
        policy = make_project(tasks, people=5)
        amounts = [done for done in DONE if done + cycles + WARM_UP <= tasks]
        people = list(zip(amounts, make_people(policy, len(amounts)), strict=True))
        for done, user in people:
            submitted(policy, [user], count=done)
        tidy()
        for done, user in people:
            cells.append({"tasks": tasks, "done": done, **_cycle(policy.project, user, cycles)})
    return cells


def _cycle(project: Any, user: Any, cycles: int) -> dict[str, Any]:
    from django.utils import timezone

    from annotation.generation.responses import GenerationResponse
    from annotation.models import Assignment
    from annotation.work import assignments

    nothing = GenerationResponse(kind="none", none_reason="No page says so.")
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
        assignments.submit_response(
            assignment=loaded, response=nothing, by=user, now=timezone.now()
        )
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


def measure_http(people: int, seconds: float) -> dict[str, Any]:
    """Let people submit "Not found" at once through the web server; then count the rows."""
    from config import embedded

    policy = make_project(40_000, people=2)
    visitors = [[visitor(policy, user)] for user in make_people(policy, people)]
    tidy()
    port, slug = free_port(), policy.project.slug

    async def cycle(person: Person) -> bool:
        """Submit the question in hand, whose page is never fetched; the reply names the next."""
        if not person.page:
            path = f"/work/next/{slug}/generation/"
            person.page = (await person.ask("next", "POST", path, FORM)).location
        after = await person.ask("post", "POST", f"{person.page}submit/", FORM)
        if not after.location or after.location == person.page:
            return False
        person.crowd.submitted += 1
        person.page = after.location
        return True

    with served([sys.executable, *web_command(port)], port, cwd=ROOT) as web:
        processes = {"web": web, "database": postmaster(embedded.data_dir())}
        figures = run_crowd(port, visitors, cycle, seconds=seconds, warm_up=5, processes=processes)
    figures["posts_per_second"] = figures.pop("cycles_per_second")
    return {"people": people, **figures, **count(policy, figures["submits_answered"])}


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
    wanted = parser.parse_args()
    with scratch_database(DATABASE):
        if wanted.http:
            found: Any = measure_http(wanted.people, wanted.seconds)
        else:
            found = measure_services(wanted.tasks, wanted.cycles)
    print(json.dumps({"http" if wanted.http else "services": found}, indent=2))


if __name__ == "__main__":
    main()
