"""Score a file of predictions from the command line, without a database.

``manage.py score`` and ``python -m metrics`` both end here. Exit status: 0 scored, 2 bad input.
"""

import argparse
import gc
import hashlib
import importlib
import io
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from metrics.score import BadInput, Evaluation, Score

DESCRIPTION = "Score predictions as the official scorers do; no database is needed."
EXAMPLE = """\
  manage.py score ambigqa --references dev_light.json --predictions mine.json --intervals
  manage.py score asqa --references ASQA.json --predictions mine.json --reader-answers reader.json
  manage.py score asqa --references ASQA.json --annotator 1 --intervals
  manage.py score nq-strings --references nq-dev-all.jsonl.gz --intervals
  manage.py score qampari --references dev.jsonl.gz --predictions mine.jsonl --compare other.jsonl

Exit status: 0 scored, 2 something is wrong with a file or an option, and nothing was written.
docs/metrics.md defines every figure and every file layout."""


class Task(NamedTuple):
    """Where a task's files are read, and which options it knows besides those of all tasks.

    predicted: whether it scores predictions; else what the references say is all there is.
    """

    module: str
    title: str
    options: tuple[str, ...] = ()
    predicted: bool = True


TASKS: Mapping[str, Task] = {
    "ambigqa": Task("metrics.inputs.ambigqa", "AmbigQA", ("pairing",)),
    "asqa": Task(
        "metrics.inputs.asqa", "ASQA", ("reader_answers", "split", "annotator", "leave_out")
    ),
    "nq-open": Task("metrics.inputs.nq_open", "NQ-open"),
    "nq": Task("metrics.inputs.nq", "Natural Questions, five annotations"),
    "nq-strings": Task(
        "metrics.inputs.nq_strings", "Short answers of annotators", ("nulls",), predicted=False
    ),
    "qampari": Task("metrics.inputs.qampari", "QAMPARI"),
    "retrieval": Task("metrics.inputs.retrieval", "Retrieval", ("depths",)),
}


# The options that only some tasks have.
_OWN = ("reader_answers", "split", "annotator", "leave_out", "depths", "pairing", "nulls")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of ``score`` on a parser."""
    add = parser.add_argument
    add("task", choices=list(TASKS), metavar="TASK", help="one of " + ", ".join(TASKS))
    add("--references", required=True, type=Path, metavar="F", help="what is right")
    add("--predictions", type=Path, metavar="F", help="what the system said")
    add("--pairing", choices=("script", "paper"), help="ambigqa: of pairs; default script")
    add("--reader-answers", type=Path, metavar="F", help="asqa: a reader's short answers")
    add("--split", metavar="S", help="asqa: which split of the references; default dev")
    add(
        "--annotator",
        type=_positive,
        metavar="N",
        help="asqa: in place of predictions, score the N-th annotator against the others",
    )
    add(
        "--leave-out",
        type=_annotation,
        metavar="N",
        help="asqa: against the annotations but the N-th, or but the longest (N: longest)",
    )
    add("--depths", type=_depths, metavar="K,K", help="retrieval: default 10,25,50,100,200")
    add(
        "--nulls",
        choices=("count", "drop"),
        help="nq-strings: annotations without a short answer; default count",
    )
    add("--missing", choices=("error", "zero"), help="no prediction; default error, nq-open zero")
    add("--extra", choices=("error", "ignore"), default="error", help="predictions for no question")
    add("--json", action="store_true", help="print one JSON object")
    add("--per-item", type=Path, metavar="F", help="write the values per question, as JSON lines")
    add("--intervals", action="store_true", help="add bootstrap intervals")
    add("--compare", type=Path, metavar="F", help="predictions of a second system to test against")
    add("--compare-reader-answers", type=Path, metavar="F", help="asqa: the second system's reader")
    add("--resamples", type=_positive, default=1000, metavar="N", help="default 1000")
    add("--level", type=_share, default=0.95, metavar="L", help="of intervals; default 0.95")
    add("--seed", type=_natural, default=1, metavar="N", help="default 1")


def run_and_exit(argv: Sequence[str], *, prog: str) -> NoReturn:
    """Run the command line as a process of its own, and end it with the exit status."""
    for stream in (sys.stdout, sys.stderr):  # any path can be shown, in any terminal
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    gc.disable()  # a sixth of the time, and all of it for a process that is about to end
    status = main(argv, prog=prog)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # what is in memory need not be taken apart, object by object


def main(argv: Sequence[str], *, prog: str) -> int:
    """Run the command line and return its exit status."""
    parser = argparse.ArgumentParser(
        prog=prog,
        description=DESCRIPTION,
        epilog=EXAMPLE,
        formatter_class=partial(argparse.HelpFormatter, width=80),
    )
    add_arguments(parser)
    # It asks for the width of the screen by a module that loads four more: only where it prints.
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    options = parser.parse_args(argv)
    try:
        text = render_scores(options)
    except BadInput as error:
        print(f"{prog}: {error}", file=sys.stderr)  # noqa: T201
        return 2
    try:
        print(text, flush=True)  # noqa: T201
    except BrokenPipeError:  # the reader of a pipe has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def render_scores(options: argparse.Namespace) -> str:
    """Score as the options say and return what is to be printed.

    Raises ``BadInput`` for anything wrong with a file or a combination of options.
    """
    _check(options)
    evaluation = _load(options, options.predictions, options.reader_answers)
    resamples = options.resamples if options.intervals else 0
    scores = evaluation.scores(resamples=resamples, level=options.level, seed=options.seed)
    comparison = _compare(options, evaluation) if options.compare else None
    if options.per_item:
        _write_items(evaluation, options.per_item)
    if options.json:
        return json.dumps(_as_json(options, evaluation, scores, comparison), ensure_ascii=False)
    return _as_table(options, evaluation, scores, comparison)


def _check(options: argparse.Namespace) -> None:
    task = TASKS[options.task]
    for name in _OWN:
        if getattr(options, name) is not None and name not in task.options:
            raise BadInput(f"--{name.replace('_', '-')} is not an option of {options.task}.")
    if not task.predicted:
        names = ("predictions", "missing", "compare", "compare_reader_answers")
        for name in (name for name in names if getattr(options, name)):
            raise BadInput(
                f"{options.task} compares people with each other, so --{name.replace('_', '-')} "
                "does not go with it. Leave it out."
            )
        return
    if options.annotator is None and options.predictions is None:
        raise BadInput("Name the file of predictions: --predictions F.")
    for name in ("predictions", "leave_out", "compare"):
        if options.annotator is not None and getattr(options, name) is not None:
            raise BadInput(
                f"--annotator scores an annotator, so --{name.replace('_', '-')} does not go "
                "with it. Leave one of the two out."
            )
    if options.compare_reader_answers is not None and options.compare is None:
        raise BadInput("--compare-reader-answers belongs to --compare: name that file too.")
    if options.compare and bool(options.reader_answers) != bool(options.compare_reader_answers):
        raise BadInput(
            "Only one of the two systems has reader answers: give both --reader-answers and "
            "--compare-reader-answers, or neither."
        )


def _load(options: argparse.Namespace, predictions: Path | None, reader: Path | None) -> Evaluation:
    task = TASKS[options.task]
    own = {name: getattr(options, name) for name in _OWN} | {"reader_answers": reader}
    evaluation: Evaluation = importlib.import_module(task.module).score_files(
        options.references,
        predictions,
        # Each task has its own default: a scorer that counts a missing prediction as wrong does so.
        **({"missing": options.missing} if options.missing else {}),
        extra=options.extra,
        **{name: own[name] for name in task.options if own[name] is not None},
    )
    return evaluation


def _compare(options: argparse.Namespace, evaluation: Evaluation) -> dict[str, Any]:
    from metrics import resampling  # numpy only where it is asked for

    other = _load(options, options.compare, options.compare_reader_answers)
    return resampling.compare_systems(
        evaluation, other, resamples=options.resamples, level=options.level, seed=options.seed
    )


def _as_json(
    options: argparse.Namespace,
    evaluation: Evaluation,
    scores: Mapping[str, Score],
    comparison: Mapping[str, Any] | None,
) -> dict[str, Any]:
    shown = _nested(
        [
            *((name, _number(score.value)) for name, score in scores.items()),
            *evaluation.counts.items(),
            *((name, _number(value)) for name, value in evaluation.extras.items()),
        ]
    )
    if options.intervals:
        shown["intervals"] = _nested(
            (name, _interval_as_json(score))
            for name, score in scores.items()
            if score.interval or score.note
        )
    if comparison is not None:
        keys = ("first", "second", "difference", "low", "high", "p_bootstrap", "p_randomisation")
        shown["comparison"] = _nested(
            (
                name,
                {key: getattr(found, key) for key in (*keys, "n")}
                | ({"note": found.note} if found.note else {}),
            )
            for name, found in comparison.items()
        )
    shown["signatures"] = {name: score.signature for name, score in scores.items()}
    read = ("references", "predictions", "reader_answers", "compare", "compare_reader_answers")
    shown["files"] = {
        name: _digest(path) for name in read if (path := getattr(options, name)) and path.is_file()
    }
    return shown


def _as_table(
    options: argparse.Namespace,
    evaluation: Evaluation,
    scores: Mapping[str, Score],
    comparison: Mapping[str, Any] | None,
) -> str:
    head = ["", "value", "n"]
    rows = [[name, _short(score.value), f"{score.n:,}"] for name, score in scores.items()]
    if options.intervals:
        head.append(f"{options.level:.4g} interval")
        for row, score in zip(rows, scores.values(), strict=True):
            between = _interval_as_json(score)
            row.append(_between(between["low"], between["high"], score.note))
    rows += [[name, _short(value), ""] for name, value in evaluation.extras.items()]
    scored = options.predictions or (
        f"annotator {options.annotator}" if options.annotator else options.references
    )
    lines = [f"{TASKS[options.task].title}: {scored}", *_aligned([head, *rows])]
    lines += ["", *_aligned([[name, f"{count:,}"] for name, count in evaluation.counts.items()])]
    if comparison is not None:
        head = ["", "first", "second", "difference", f"{options.level:.4g} interval"]
        table = [[*head, "p bootstrap", "p randomisation"]]
        for name, found in comparison.items():
            bounds = _between(found.low, found.high, found.note)
            values = [_short(found.first), _short(found.second), _short(found.difference), bounds]
            table.append(
                [name, *values, f"{found.p_bootstrap:.4f}", f"{found.p_randomisation:.4f}"]
            )
        lines += ["", f"Compared with: {options.compare}", *_aligned(table)]
    first = next(iter(scores.values()), None)
    return "\n".join([*lines, "", f"signature  {first.signature}" if first else ""]).rstrip()


def _interval_as_json(score: Score) -> dict[str, Any]:
    if score.interval is None:
        return {"low": None, "high": None, "note": score.note}
    return {"low": score.interval.low, "high": score.interval.high}


def _between(low: float | None, high: float | None, note: str) -> str:
    return note if low is None else f"{_short(low)} to {_short(high)}"


def _write_items(evaluation: Evaluation, path: Path) -> None:
    """Write one JSON object per item; the file appears whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("x", encoding="utf-8", errors="backslashreplace") as file:
            for place, item in enumerate(evaluation.ids):
                values = {name: column[place] for name, column in evaluation.columns.items()}
                file.write(json.dumps({"id": item, **values}, ensure_ascii=False) + "\n")
        part.replace(path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror}).") from None
    finally:
        part.unlink(missing_ok=True)


def _nested(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Turn ("a.b", 1) into {"a": {"b": 1}}."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        *groups, last = name.split(".")
        inner = found
        for group in groups:
            inner = inner.setdefault(group, {})
        inner[last] = value
    return found


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the rows as lines: the first column to the left, the others to the right."""
    if not rows:
        return []
    width = max(len(row) for row in rows)
    filled = [[*row, *[""] * (width - len(row))] for row in rows]
    widths = [max(len(row[place]) for row in filled) for place in range(width)]
    return [
        "  ".join(
            cell.rjust(size) if place else cell.ljust(size)
            for place, (cell, size) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in filled
    ]


def _number(value: float | None) -> float | None:
    """JSON has no word for a figure over no items."""
    return None if value is None or math.isnan(value) else value


def _short(value: float | None) -> str:
    return "none" if _number(value) is None else f"{value:.4f}"


def _digest(path: Path) -> str:
    return "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()


def _positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def _depths(text: str) -> tuple[int, ...]:
    return tuple(sorted({_positive(part) for part in text.split(",")}))


def _annotation(text: str) -> int | str:
    return text if text == "longest" else _positive(text)


def _natural(text: str) -> int:
    if (number := int(text)) < 0:
        raise argparse.ArgumentTypeError("must be 0 or more")
    return number


def _share(text: str) -> float:
    if not 0 < (number := float(text)) < 1:
        raise argparse.ArgumentTypeError("must be between 0 and 1")
    return number
