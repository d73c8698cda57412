"""What happens beside the steps of a training: its curve, whole checkpoints, a stop."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import transformers

from modeling.training.checkpoints import MARKER
from modeling.training.runs import CURVE
from modeling.training.tensors import ExampleRows

_CURVE_FIELDS: Final = ("step", "epoch", "loss", "grad_norm", "learning_rate")
_DEV: Final = "eval_"


class Patience(transformers.EarlyStoppingCallback):  # type: ignore[misc]
    """Ends a training after some looks at dev without gain; what it has seen is in checkpoints."""

    def on_train_begin(self, *args: Any, **kwargs: Any) -> None:
        """Do not warn that the best model is not loaded at the end: it is published from a file."""


class Recorder(transformers.TrainerCallback):  # type: ignore[misc]
    """Keeps the curve of a run, marks whole checkpoints, tells data of their epoch, and stops.

    report: called after each step with the steps taken and all that there are; stop: asked after
    each step whether to save a checkpoint and end.
    """

    def __init__(
        self,
        folder: Path,
        rows: ExampleRows,
        *,
        seconds: float,
        report: Callable[[int, int], None] | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self._folder, self._rows, self._before = folder, rows, seconds
        self._report, self._stop = report, stop
        self._began = time.monotonic()
        self.stopped = False

    @property
    def seconds(self) -> float:
        """How long the run has taken, over all of its processes."""
        return self._before + time.monotonic() - self._began

    def on_train_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        """Write the curve up to the checkpoint: later points are from a process that was killed."""
        rows = filter(None, map(_point, state.log_history))
        (self._folder / CURVE).write_text("".join(rows))

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        # The trainer does not in an epoch that it resumes in the middle.
        self._rows.set_epoch(int(state.epoch or 0))

    def on_step_end(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        if self._report:
            self._report(state.global_step, state.max_steps)
        if state.global_step >= state.max_steps:
            control.should_log = True
        elif self._stop and self._stop():
            self.stopped = control.should_training_stop = True
            control.should_log = control.should_save = True

    def on_log(
        self, args: Any, state: Any, control: Any, logs: Mapping[str, Any], **more: Any
    ) -> None:
        with (self._folder / CURVE).open("a") as file:
            file.write(_point(state.log_history[-1]))

    def on_save(self, args: Any, state: Any, control: Any, **more: Any) -> None:
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        over = control.should_training_stop and not self.stopped
        said = {"step": state.global_step, "seconds": round(self.seconds, 1), "over": over}
        draft = folder / f".{MARKER}"
        draft.write_text(json.dumps(said))
        draft.replace(folder / MARKER)


def _point(row: Mapping[str, Any]) -> str:
    """Return a line of the curve, "" for what is no point of it."""
    point = {name: row[name] for name in _CURVE_FIELDS if name in row}
    dev = {name.removeprefix(_DEV): row[name] for name in row if name.startswith(_DEV)}
    if "loss" not in row and not dev:
        return ""
    return json.dumps(point | ({"dev": dev} if dev else {})) + "\n"
