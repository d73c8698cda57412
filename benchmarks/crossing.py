"""How much of the house one submission enters: its files, its rooms, and how often it crosses.

In the demo, annotator1 takes a question of AmbigQA and posts two pairs, and every call of ours that
the POST makes is counted with the file that it is in. A room is a folder of an app; the middlewares
of `config` count as one.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from benchmarks import databases
from benchmarks.cycle import Fields, fields_of
from benchmarks.harness import ROOT, Benchmark, option, run_benchmark
from benchmarks.visits import signed_in

RESPONSE: Fields = {
    "kind": ["multiple"],
    "pair-0-question": ["When did the crossing open to people on foot?"],
    "pair-0-answer": ["25 March 1843"],
    "pair-0-quote": [""],
    "pair-1-question": ["When did the crossing open to trains?"],
    "pair-1-answer": ["7 December 1869"],
    "pair-1-quote": [""],
}


@contextmanager
def trace_files() -> Iterator[list[str]]:
    """Give the list of our files in the order in which calls enter them."""
    order: list[str] = []
    root = f"{ROOT}/"

    def enter(frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        ours = name.startswith(root) and "/.venv/" not in name
        if event == "call" and ours and frame.f_code.co_name != "<module>":
            path = name[len(root) :]
            if not order or order[-1] != path:
                order.append(path)

    sys.setprofile(enter)
    try:
        yield order
    finally:
        sys.setprofile(None)


def room_of(path: str) -> str:
    """Return the room of a file: the folder of its app, and `config` as one."""
    app, *inside = path.split("/")
    return f"{app}/{inside[0]}" if len(inside) > 1 and app != "config" else app


def trace_submission() -> list[str]:
    """Return the files that the POST of one submission enters, in order, with returns."""
    databases.load_demo()
    from accounts.models import User
    from annotation.models import Project, StagePolicy

    project = Project.objects.get(slug="demo")
    StagePolicy.objects.filter(project=project, stage="generation").update(minimum_seconds=0)
    project.rule_settings |= {"minimum_pages": 0, "ask_not_on_page": False}
    project.save()
    client = signed_in(User.objects.get(email__startswith="annotator1"))
    path = client.post("/work/next/demo/generation/")["Location"]
    fields = fields_of(client.get(path).text) | RESPONSE
    with trace_files() as order:
        reply = client.post(f"{path}submit/", fields)
    if reply.status_code != 302 or reply["Location"] == path:
        raise SystemExit(f"It was not submitted: {reply.status_code}.")
    return order


@dataclass
class Crossing(Benchmark):
    """How much of the house does one submission enter?"""

    list: bool = option(False, "also list the files, as entered")

    def measure(self) -> dict[str, Any]:
        """Return how many files and rooms one submission enters."""
        order = databases.run_in_demo(trace_submission)
        files = dict.fromkeys(order)
        counts = {"files": len(files), "rooms": len(set(map(room_of, files)))}
        counts["crossings"] = len(order)
        return counts | ({"list": [*files]} if self.list else {})


if __name__ == "__main__":
    run_benchmark("crossing")
