"""Handing out and submitting.

Without --http, one person takes and submits at the level of services, for projects of several
sizes and for people who have done 0, 1,000 and 10,000 questions: how long each takes must not
depend on either. With --http, 50 people at once submit "Not found" through the real addresses and
are led to the next question, whose page they do not fetch: posts a second, not the cycle of a
working day, which is `benchmarks.cycle`. Afterwards the rows are counted: no task over-assigned,
none lost.
"""

import statistics
from dataclasses import dataclass
from typing import Any

from benchmarks import databases
from benchmarks.crowd import TOKEN, Person, run_crowd
from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.projects import count, make_people, make_project, submitted, visitor
from benchmarks.serving import served_web
from benchmarks.timing import spread_of, taking

DATABASE = "ambit_benchmark_next_task"
DONE = (0, 1_000, 10_000)
WARM_UP = 30
FORM = {
    "csrfmiddlewaretoken": TOKEN,
    "kind": "none",
    "none_reason": "No page says so.",
    "version": "0",
}


@dataclass
class NextTask(Benchmark):
    """Do taking and submitting a question depend on how many there are, or were done before?"""

    tasks: tuple[int, ...] = option((1_000, 100_000, 1_000_000))
    cycles: int = option(300)
    http: bool = option(False, "many people at once, through the web server")
    people: int = option(50)
    seconds: float = option(20.0)

    def measure(self) -> dict[str, Any]:
        """Return the figures of services, or of the web server."""
        with databases.scratch_database(DATABASE):
            if self.http:
                return {"http": self._measure_http()}
            return {"services": [cell for tasks in self.tasks for cell in self._cells(tasks)]}

    def _cells(self, tasks: int) -> list[dict[str, Any]]:
        """Take and submit as one person in a project of this size, for each number done."""
        policy = make_project(tasks, people=5)
        amounts = [done for done in DONE if done + self.cycles + WARM_UP <= tasks]
        people = list(zip(amounts, make_people(policy, len(amounts)), strict=True))
        for done, user in people:
            submitted(policy, [user], count=done)
        databases.tidy()
        return [
            {"tasks": tasks, "done": done} | work_alone(policy.project, user, self.cycles)
            for done, user in people
        ]

    def _measure_http(self) -> dict[str, Any]:
        """Let people submit "Not found" at once; then count the rows."""
        policy = make_project(40_000, people=2)
        visitors = [[visitor(policy, user)] for user in make_people(policy, self.people)]
        databases.tidy()
        first = f"/work/next/{policy.project.slug}/generation/"

        async def cycle(person: Person) -> bool:
            """Submit the question in hand, whose page is never fetched; the reply has the next."""
            if not person.page:
                person.page = (await person.ask("next", "POST", first, FORM)).location
            after = await person.ask("post", "POST", f"{person.page}submit/", FORM)
            if not after.location or after.location == person.page:
                return False
            person.crowd.submitted += 1
            person.page = after.location
            return True

        with served_web() as (port, processes):
            figures = run_crowd(
                port, visitors, cycle, seconds=self.seconds, warm_up=5, processes=processes
            )
        figures["posts_per_second"] = figures.pop("cycles_per_second")
        return {"people": self.people, **figures, **count(policy, figures["submits_answered"])}


def work_alone(project: Any, user: Any, cycles: int) -> dict[str, Any]:
    """Take and submit again and again; return how long each takes."""
    from django.utils import timezone

    from annotation.generation.responses import GenerationResponse
    from annotation.models import Assignment
    from annotation.work import assignments

    nothing = GenerationResponse(kind="none", none_reason="No page says so.")
    takes, submits = [], []
    for _ in range(cycles + WARM_UP):
        with taking() as take:
            taken = assignments.take_next(
                project=project, stage="generation", by=user, now=timezone.now()
            )
        assert taken is not None
        loaded = Assignment.objects.select_related(
            "task__question", "policy", "project__snapshot"
        ).get(pk=taken.pk)
        with taking() as submit:
            assignments.submit_response(
                assignment=loaded, response=nothing, by=user, now=timezone.now()
            )
        takes.append(take.seconds)
        submits.append(submit.seconds)
    takes, submits = takes[WARM_UP:], submits[WARM_UP:]
    return {
        "cycles_per_second": round(1 / (statistics.mean(takes) + statistics.mean(submits))),
        "take": spread_of(takes),
        "submit": spread_of(submits),
    }


if __name__ == "__main__":
    run_benchmark("next_task")
