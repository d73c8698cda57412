"""The whole cycle of a person: read the question's page, write, submit, be led to the next.

    python -m benchmarks.cycle --doccano DIR --tree ../before --tree . --output after.json
    python -m benchmarks.cycle --compare before.json after.json

A cycle is one POST of a page's form with two question-answer pairs (or a long answer, or verdicts)
and one GET of the next page, unless that comes with the answer, with session, CSRF token,
compression and a connection that stays open, as the scripts of a page send them. People take a
question of 10,000, each asked of two, through the web server as the demo starts it. Three
installations: `empty` but for that project; `filled` with 1,000,000 assignments in other projects,
for people who have worked in this one; and `new`, filled, where each cycle is the first of a person
new to the project and begins with taking a question.

With several trees (checkouts of Ambit) the runs take turns, so that a machine whose speed drifts is
fair to all. Each tree has databases of its own, which stay in .ambit/cycle for the next time, and
makes its projects and people with its own copy of the benchmarks, as functions change their names;
what asks and counts must be the same in all. With
doccano (`benchmarks.cycle_doccano` says how to install it), it has a turn before the trees in each
run of generation.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from html import unescape
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks import databases
from benchmarks.crowd import TOKEN, Cycle, Person, Reply, Visitor, run_crowd
from benchmarks.cycle_doccano import Doccano
from benchmarks.harness import ROOT, Benchmark, option, run_benchmark
from benchmarks.installation import fill
from benchmarks.projects import count, make_people, make_project, submitted, visitor
from benchmarks.serving import served_web
from benchmarks.timing import take_turns
from benchmarks.visits import counted_statements

# As the scripts of the page ask, with a service worker there.
SCRIPT = "Accept: text/html\r\nHX-Request: true\r\nAmbit-Next: 1\r\n"
STAGES = ("generation", "long_answers", "validation")
INSTALLATIONS = ("empty", "filled", "new")
QUESTIONS, OVERLAP, DONE, NEW = 10_000, 2, 20, 1_500
FIELD = re.compile(r"<input ([^>]*)>|<textarea ([^>]*)>([^<]*)")
ATTRIBUTE = re.compile(r'([\w-]+)(?:="([^"]*)")?')
Fields = dict[str, list[str]]


# --- the form ------------------------------------------------------------------------------------


def fields_of(html: str) -> Fields:
    """Return what a browser would post of the answer form."""
    start = html.index('id="answer"')
    form = html[start : html.index("</form>", start)]
    fields: Fields = {}
    for first, second, text in FIELD.findall(re.sub(r"(?s)<template.*?</template>", "", form)):
        at = {name: unescape(value) for name, value in ATTRIBUTE.findall(first or second)}
        ticks = at.get("type") in ("radio", "checkbox")
        if at.get("name") and ("checked" in at or not ticks):
            value = unescape(text).removeprefix("\n") if second else at.get("value", "")
            fields.setdefault(at["name"], []).append(value)
    return fields


def _pairs(quotes: Sequence[str]) -> Fields:
    return {
        "kind": ["multiple"],
        "pair-0-question": ["When did the crossing open to people on foot?"],
        "pair-0-answer": ["25 March 1843", "March 25, 1843"],
        "pair-0-quote": [quotes[0], ""],
        "pair-1-question": ["When did the crossing open to trains?"],
        "pair-1-answer": ["7 December 1869"],
        "pair-1-quote": [quotes[1]],
    }


def _long_answer(quotes: Sequence[str]) -> Fields:
    text = "The crossing has opened twice. The old one opened on 4 March 1890 for the trains of "
    text += "the railway, and the new one on 30 August 2017 for everyone who goes by road. "
    return {
        "long_answer": [text],
        "piece-0-content": ["The trains of the railway had waited for it."],
        "piece-0-page": ["Crossing"],
        "piece-0-quote": [quotes[0]],
    }


def _verdicts(quotes: Sequence[str]) -> Fields:
    return {"verdict-1": ["correct"], "verdict-2": ["correct"]}


WRITES: Mapping[str, Callable[[Sequence[str]], Fields]] = {
    "generation": _pairs,
    "long_answers": _long_answer,
    "validation": _verdicts,
}


def filled(stage: str, page: Reply, quotes: Sequence[str]) -> bytes:
    """Return the body that submits this page's form, written in full."""
    return urlencode(fields_of(page.body.decode()) | WRITES[stage](quotes), doseq=True).encode()


def cycle_of(slug: str, stage: str, *, new: bool) -> Cycle:
    """Return the cycle of one person. With `new`, each cycle is another person's first."""
    forms: dict[int, bytes] = {}

    async def cycle(person: Person) -> bool:
        if not person.page:
            take = {"csrfmiddlewaretoken": TOKEN}
            reply = await person.ask("take", "POST", f"/work/next/{slug}/{stage}/", take)
            person.page = reply.location
        if not person.page.startswith("/work/"):
            sys.exit(f"No question was given, but this page: {person.page!r}")
        # What came with the last submission is not asked for again.
        page = person.shown or await person.ask("page", "GET", person.page)
        # Only a validator's form differs from page to page.
        form = b"" if stage == "validation" else forms.get(id(person.visitor), b"")
        if not form:
            form = forms[id(person.visitor)] = filled(stage, page, person.visitor.quotes)
        after = await person.ask("submission", "POST", f"{person.page}submit/", form, SCRIPT)
        person.shown = after if "ambit-page" in after.headers else None
        if after.leads_to in ("", person.page):
            words = re.sub(r"(?s)<[^>]*>|\s+", " ", after.body.decode())
            sys.exit(f"The submission was refused with {after.status}: {' '.join(words.split())}")
        person.crowd.submitted += 1
        person.page = after.leads_to
        return person.next_one() if new else True

    return cycle


# --- one run -------------------------------------------------------------------------------------


def run(stage: str, installation: str, people: int, seconds: float) -> dict[str, Any]:
    """Measure one cell in the tree this runs in; the database stays."""
    new = installation == "new"
    name = "cycle_empty" if installation == "empty" else "cycle_filled"
    with databases.scratch_database(name, keep=True) as fresh:
        from django.db import transaction

        if fresh and installation != "empty":
            fill(questions=200_000, assignments=1_000_000)
        policy = make_project(
            QUESTIONS, people=1 if stage == "validation" else OVERLAP, stage=stage
        )
        users = make_people(policy, NEW if new else people)
        if not new:
            [other] = make_people(policy, 1)
            for number, user in enumerate(users):
                mine = [user] if policy.people == 1 else [user, other]
                submitted(policy, mine, first=number * DONE, count=DONE)
        with transaction.atomic():
            visitors = [visitor(policy, user, quotes=2) for user in users]
        browsers = [visitors[number::people] for number in range(people)]
        databases.tidy()
        cycle = cycle_of(policy.project.slug, stage, new=new)
        with served_web() as (port, processes):
            figures = run_crowd(
                port,
                browsers,
                cycle,
                seconds=seconds,
                warm_up=20 if people == 1 else 4,
                processes=processes,
            )
        [person] = make_people(policy, 1)
        figures |= _count_work(policy, stage, visitor(policy, person, quotes=2))
        return figures | count(policy, figures["submits_answered"])


def _count_work(policy: Any, stage: str, person: Visitor) -> dict[str, dict[str, int]]:
    """Count the statements and the calls of Python functions of a page and of a submission.

    In this process, once all is warm: nearly the same each time, however busy the machine is.
    """
    from django.test import Client

    client = Client(SERVER_NAME="localhost")
    client.cookies.load(dict(person.cookies))
    path = client.post(f"/work/next/{policy.project.slug}/{stage}/")["Location"]
    for _ in range(3):
        with _counting() as page:
            html = client.get(path).text
        fields = fields_of(html) | WRITES[stage](person.quotes)
        with _counting() as submission:
            path = client.post(f"{path}submit/", fields)["Location"]
    return {
        name: {"page": page[event], "submission": submission[event]}
        for name, event in (("statements", "statements"), ("calls", "call"))
    }


@contextmanager
def _counting() -> Iterator[Counter[str]]:
    """Count in the block: "statements", and "call" of Python functions."""
    with counted_statements() as counts:
        sys.setprofile(lambda frame, event, argument: counts.update([event]))
        try:
            yield counts
        finally:
            sys.setprofile(None)


# --- all runs ------------------------------------------------------------------------------------


@dataclass
class Cycles(Benchmark):
    """How many people can work at once, and what does each of their questions cost?"""

    people: tuple[int, ...] = option((1, 10, 50))
    stages: tuple[str, ...] = option(STAGES, choices=STAGES)
    installations: tuple[str, ...] = option(INSTALLATIONS, choices=INSTALLATIONS)
    seconds: float = option(10.0)
    tree: tuple[Path, ...] = option((), "a checkout of Ambit, instead of this one")
    doccano: Path | None = option(None, "the virtual environment that it is in")
    compare: tuple[Path, ...] = option((), "two files of --output", nargs=2)
    # How a run in another checkout is asked for, whatever its version.
    inside: tuple[str, ...] = option((), argparse.SUPPRESS, nargs=4)

    def measure(self) -> Any:
        """Run each cell in every tree, in turns; return the figures by tree and cell."""
        if self.inside:
            what = self.inside
            return run(what[0], what[1], int(what[2]), float(what[3]))
        if self.compare:
            return compare(*self.compare)
        trees = [tree.resolve() for tree in self.tree or [ROOT]]
        _check_same_driver(trees)
        other = Doccano(self.doccano, ROOT / ".ambit/cycle/doccano") if self.doccano else None
        found: dict[str, dict[str, Any]] = {}
        for stage, installation, people in product(self.stages, self.installations, self.people):
            sides: dict[str, Callable[[], Any]] = {}
            if other and stage == "generation":
                sides["doccano"] = partial(other.run, people, self.seconds)
            words = [stage, installation, str(people), str(self.seconds)]
            sides |= {str(tree): partial(_run_in, tree, words) for tree in trees}
            cell = f"{stage}, {installation}, {people}"
            for side, [figures] in take_turns(sides, 1).items():
                found.setdefault(side, {})[cell] = figures
                print(Path(side).name, cell, short(figures), file=sys.stderr)
        return found


def _run_in(tree: Path, words: Sequence[str]) -> Any:
    environment = os.environ | {"AMBIT_DATA": str(ROOT / ".ambit" / "cycle" / tree.name)}
    environment.pop("AMBIT_EMBEDDED_URL", None)
    command = [sys.executable, "-m", "benchmarks.cycle", "--inside", *words]
    done = subprocess.run(
        command, cwd=tree, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def short(figures: Mapping[str, Any]) -> str:
    """Return a run in one line."""
    processor, names = figures["processor_ms"], ("statements", "calls", "over_assigned", "lost")
    web, database = processor["web"], processor["database"]
    requests = (
        f"{kind} {request['p50_ms']} ms {request['received_bytes']} bytes"
        for kind, request in figures["requests"].items()
    )
    counts = (f"{name} {figures[name]}" for name in ("server_errors", *names) if name in figures)
    return (
        f"{figures['cycles_per_second']} cycles/s, web {web} + database {database} = "
        f"{web + database:.1f} ms (driver {processor['driver']}), p50/p95 "
        f"{figures['p50_ms']}/{figures['p95_ms']} ms, {', '.join((*requests, *counts))}"
    )


def _check_same_driver(trees: Sequence[Path]) -> None:
    for name in ("cycle.py", "crowd.py"):
        if len({(tree / "benchmarks" / name).read_bytes() for tree in trees}) > 1:
            print(f"benchmarks/{name} differs between the trees.", file=sys.stderr)


def compare(before: Path, after: Path) -> dict[str, Any]:
    """Return the first tree of one file, the last of the other, and their ratios."""
    [first, *_] = json.loads(before.read_text()).values()
    [*_, last] = json.loads(after.read_text()).values()
    found = {}
    for cell in [cell for cell in first if cell in last]:
        sides = [first[cell], last[cell]]
        rates = [side["cycles_per_second"] for side in sides]
        costs = [side["processor_ms"]["web"] + side["processor_ms"]["database"] for side in sides]
        tails = [side["p95_ms"] for side in sides]
        found[cell] = {
            "cycles/s": f"{rates[0]} → {rates[1]}",
            "ratio of cycles": round(rates[1] / rates[0], 2),
            "processor ms": f"{costs[0]:.1f} → {costs[1]:.1f}",
            "ratio of ms": round(costs[0] / costs[1], 2),
            "p95 ms": f"{tails[0]:.0f} → {tails[1]:.0f}",
        }
    return found


if __name__ == "__main__":
    run_benchmark("cycle")
