"""A training in a process of its own, which reads its folder and no database.

Its memory is free again when it ends, a graphics card is never used by a process that others were
copied from, and a kill ends nothing else. The process writes a line for each step: how many were
taken, and how many there are.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from annotation.core.refusals import Conflict
from modeling.base import MissingModel
from modeling.training.recipes import Recipe
from modeling.training.runs import PLAN, begin_run, read_examples, train_model
from modeling.weights import get_weights

GIVEN, PROBLEM = "given.json", "problem.txt"
STOPPED, REFUSED = 3, 4  # exit statuses
LOG = "process.log"
_MOST: Final = 2_000
_CODE: Final = (
    "import sys; from pathlib import Path; import django; django.setup(); "
    "from modeling.training.apart import take_steps; sys.exit(take_steps(Path(sys.argv[1])))"
)


class ApartRun:
    """A process that trains. lines: of its steps, as they are taken."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / PROBLEM).unlink(missing_ok=True)
        data = {"AMBIT_DATA": str(settings.AMBIT_DATA), "AMBIT_ENGINE": "reference"}
        with (folder / LOG).open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own code, and a folder of ours
                [sys.executable, "-c", _CODE, str(folder)],
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=settings.BASE_DIR,
                env={**os.environ, **data, "DJANGO_SETTINGS_MODULE": "config.settings"},
                text=True,
            )

    def iterate_steps(self) -> Iterator[tuple[int, int]]:
        """Give how many steps were taken and how many there are, after each."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            done, _, total = line.strip().partition(" ")
            if done.isdigit() and total.isdigit():
                yield int(done), int(total)

    def tell_to_stop(self) -> None:
        """Let it save a checkpoint after the step that is under way, and end."""
        self._process.send_signal(signal.SIGTERM)

    def wait(self) -> bool:
        """Return whether it took all steps, False where it was told to stop.

        Raises Conflict with what was in the way, also where it was killed.
        """
        status = self._process.wait()
        if status in (0, STOPPED):
            return status == 0
        if status < 0:
            name = signal.Signals(-status).name
            why = " Probably memory ran out." if name == "SIGKILL" else ""
            raise Conflict(f"The training was ended from outside ({name}).{why}")
        problem = self.folder / PROBLEM
        if status == REFUSED and problem.is_file():
            raise Conflict(problem.read_text(encoding="utf-8")[:_MOST])
        raise Conflict(
            f"The training ended because of a fault in the program. {self.folder / LOG} has it."
        )

    def kill(self) -> None:
        """End it at once; its last checkpoint stays."""
        self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


@contextmanager
def start_apart(folder: Path, given: dict[str, Any], **plan: Any) -> Iterator[ApartRun]:
    """Start a process for a training, and end it with the block.

    given: device and the role of the base; plan: what `begin_run` takes. Raises Conflict where the
    folder has another training.
    """
    begin_run(folder, **plan)
    (folder / GIVEN).write_text(json.dumps(given))
    run = ApartRun(folder)
    try:
        yield run
    finally:
        run.kill()


def take_steps(folder: Path) -> int:
    """Take the steps of the training in a folder; return the exit status."""
    plan = json.loads((folder / PLAN).read_text())
    given = json.loads((folder / GIVEN).read_text())
    told: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: told.append(number))
    try:
        result = train_model(
            folder,
            Recipe(**plan["recipe"]),
            train=read_examples(folder, "train"),
            dev=read_examples(folder, "dev"),
            base=get_weights(given["role"], plan["base"]["name"], may_be_fast=False),
            seed=plan["seed"],
            device=given["device"],
            report=lambda done, total: print(done, total, flush=True),  # noqa: T201 - its output
            stop=lambda: bool(told),
            **plan["settings"],
        )
    except (Conflict, MissingModel) as problem:
        (folder / PROBLEM).write_text(str(problem), encoding="utf-8")
        return REFUSED
    return 0 if result.finished else STOPPED
