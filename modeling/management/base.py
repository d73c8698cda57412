"""Shared by the commands that run a baseline."""

import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.management.base import ProjectCommand
from modeling import pace
from modeling.base import MissingModel
from modeling.services.running import Answered, Choice, Run, no_question, record_run
from modeling.services.storing import RunReport
from modeling.training.recipe_changes import PRESETS
from wikipedia.management.progress import ProgressBar

SHOWN = 20
EVERY = 10.0  # seconds between lines of progress off a terminal: a model can be slow
TICK = 1.0


class RunCommand(ProjectCommand):
    """Runs a baseline over a project in the foreground, with progress."""

    kind: ClassVar[str]
    again: ClassVar[str] = "the same command"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--system", required=True, metavar="NAME", help="key of the baseline")
        parser.add_argument(
            "--option", action="append", default=[], metavar="NAME=VALUE", help="of the baseline"
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def counts_in_words(self, report: RunReport) -> str:
        """Return the counts in words."""
        raise NotImplementedError

    def open_sink(
        self, run: Run, options: dict[str, Any]
    ) -> AbstractContextManager[Callable[[Answered], None]]:
        """Return what also takes the predictions, after each batch."""
        return nullcontext(lambda answered: None)

    def handle(self, *args: Any, **options: Any) -> None:
        run, report = self._ready(options), RunReport()
        try:
            with self.open_sink(run, options) as sink:
                self._go(run, report, sink)
        except KeyboardInterrupt:
            raise CommandError(
                f"Stopped after {report.done:,} questions. What was stored is kept; "
                f"{self.again} continues.",
                returncode=130,
            ) from None
        except (Conflict, MissingModel) as problem:
            raise CommandError(
                f"Stopped after {report.done:,} questions: {problem} What was stored is kept.",
                returncode=1,
            ) from None
        finally:
            if report.done:
                record_run(run=run, report=report, now=timezone.now())
        names = {"system": run.store.name, "version": run.store.version}
        if options["json"]:
            self.stdout.write(orjson.dumps(names | report.as_json()).decode())
            return
        for error in report.errors[:SHOWN]:
            self.stderr.write(f"{error['name']}: {error['reason']}")
        if report.rejected > SHOWN:
            self.stderr.write(f"And {report.rejected - SHOWN:,} more.")
        self.stdout.write(
            f"{run.store.name}, version {run.store.version}: {self.counts_in_words(report)}."
        )

    def _ready(self, options: dict[str, Any]) -> Run:
        project = self.get_project(options)
        choice = Choice(
            baseline=options["system"],
            split=options.get("split") or "",
            options=read_options(options["option"]),
            missing=options.get("missing", False),
        )
        try:
            run = Run(project, self.kind, choice)
        except (Conflict, MissingModel) as problem:
            raise CommandError(str(problem), returncode=2) from None
        if not choice.missing and not run.select_questions().exists():
            raise CommandError(no_question(choice), returncode=2)
        return run

    def _go(self, run: Run, report: RunReport, sink: Callable[[Answered], None]) -> None:
        total, began, writing = run.select_questions().count(), time.monotonic(), pace.WritingPace()
        if run.heavy:
            self.stderr.write(f"{run.entry.label}: {total:,} questions. The model is loaded first.")
        with ProgressBar(sys.stderr, "Answering", "questions", every=EVERY) as progress:

            def show() -> None:
                of_all = max(total, report.done)
                speed = pace.in_words(report.done, of_all, time.monotonic() - began)
                now = str(writing) if run.heavy else ""
                progress(report.done, of_all, ", ".join(filter(None, (speed, now))))

            def begin_next(answered: Answered) -> None:
                writing.clear()
                sink(answered)

            with pace.call_regularly(show, TICK):
                run.answer_all(
                    report,
                    by=None,
                    now=timezone.now,
                    on_answers=begin_next,
                    on_tokens=writing.add,
                )
            show()


def add_training_arguments(parser: ArgumentParser) -> None:
    """Add what every command that trains takes: base, recipe, device, and what is left out."""
    parser.add_argument("--from", dest="base", default="", metavar="MODEL", help="begin with it")
    parser.add_argument("--preset", default="paper", choices=list(PRESETS))
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="of the recipe"
    )
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="of the search"
    )
    parser.add_argument("--max-steps", type=int, metavar="N", help="of each training")
    parser.add_argument("--device", default="auto", choices=("auto", "cpu", "cuda"))
    parser.add_argument("--at-once", type=int, metavar="N", help="examples in memory together")
    parser.add_argument("--no-dev", action="store_true", help="keep the last step")
    parser.add_argument(
        "--keep-suggested",
        action="store_true",
        help="also questions whose people saw suggestions of these weights",
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def read_options(given: list[str]) -> dict[str, str]:
    """Read NAME=VALUE. Raises CommandError with status 2."""
    options = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise CommandError(f"--option {text}: write it as NAME=VALUE.", returncode=2)
        options[name.strip()] = value
    return options
