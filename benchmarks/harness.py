"""What benchmarks have in common: a question, options, a printer, processes of their own.

A benchmark is a dataclass in a module of `benchmarks`: its docstring is the question, the fields
are the options of the command line, and `measure` returns the figures or yields them one by one.
They are printed as JSON, or with --table as Markdown, each as soon as it is there.
"""

import argparse
import dataclasses
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import UnionType
from typing import Any, TextIO

import benchmarks

ROOT = Path(__file__).resolve().parent.parent
DATA = Path("../shared/data")


class Benchmark(ABC):
    """A question, and how it is answered."""

    @abstractmethod
    def measure(self) -> Any:
        """Return the figures, or yield them."""


def option(default: Any, help: str = "", **given: Any) -> Any:
    """Declare an option; `given` goes to argparse."""
    return dataclasses.field(default=default, metadata={"help": help, **given})


# --- the command line ----------------------------------------------------------------------------


def list_benchmarks() -> dict[str, Any]:
    """Return every benchmark by its name."""
    for module in pkgutil.iter_modules(benchmarks.__path__):
        if module.name != "__main__":
            importlib.import_module(f"benchmarks.{module.name}")
    kinds = {kind.__module__: kind for kind in Benchmark.__subclasses__()}
    ours = sorted(name for name in kinds if name.startswith("benchmarks."))
    return {name.rpartition(".")[2]: kinds[name] for name in ours}


def run_benchmark(name: str, words: Sequence[str] | None = None) -> None:
    """Read the options of a benchmark, let it measure, and print its figures."""
    module = importlib.import_module(f"benchmarks.{name}")
    kinds: list[Any] = Benchmark.__subclasses__()
    [kind] = [each for each in kinds if each.__module__ == module.__name__]
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {name}",
        description=f"{kind.__doc__}\n\n{module.__doc__}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        argument_default=argparse.SUPPRESS,
    )
    _add_options(parser, kind)
    parser.add_argument("--table", action="store_true", help="print Markdown instead of JSON")
    parser.add_argument("--output", type=Path, help="a file to write the figures to")
    given = vars(parser.parse_args(words))
    table, output = given.pop("table", False), given.pop("output", None)
    found = kind(**given).measure()
    with output.open("w") if output else nullcontext(sys.stdout) as out:
        printer = Printer(out, table=table)
        for figures in found if isinstance(found, Iterator) else [found]:
            printer.print_figures(figures)


def _add_options(parser: argparse.ArgumentParser, kind: Any) -> None:
    types = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        given: dict[str, Any] = dict(field.metadata)
        name = field.name.replace("_", "-")
        flag = name if given.pop("positional", False) else f"--{name}"
        wanted = types[field.name]
        if typing.get_origin(wanted) in (UnionType, typing.Union):  # X | None
            wanted = typing.get_args(wanted)[0]
        if wanted is bool:
            given["action"] = "store_true"
        elif typing.get_origin(wanted) is tuple:
            given["type"] = typing.get_args(wanted)[0]
            given = {"nargs": "+"} | ({"action": "extend"} if flag[0] == "-" else {}) | given
        else:
            given["type"] = wanted
        if given.get("help") != argparse.SUPPRESS and field.default not in (None, False, (), ""):
            words = field.default if isinstance(field.default, tuple) else (field.default,)
            default = f"(default: {' '.join(map(str, words))})"
            given["help"] = f"{given.get('help', '')} {default}".strip()
        parser.add_argument(flag, **given)


# --- the printer ---------------------------------------------------------------------------------


class Printer:
    """Writes figures, as JSON or as the lines of a table."""

    def __init__(self, out: TextIO, *, table: bool) -> None:
        self.out, self.table, self.columns = out, table, list[str]()

    def print_figures(self, figures: Any) -> None:
        """Write what a benchmark has found."""
        if self.table:
            for row in list_rows(figures):
                self._print_row(row)
        else:
            nested = isinstance(figures, list) or any(
                isinstance(value, Mapping | list) for value in figures.values()
            )
            print(json.dumps(figures, indent=1 if nested else None), file=self.out, flush=True)

    def _print_row(self, row: Mapping[str, Any]) -> None:
        if list(row) != self.columns:  # a line of another kind begins another table
            if self.columns:
                print(file=self.out)
            self.columns = list(row)
            print(f"| {' | '.join(row)} |\n|{' --- |' * len(row)}", file=self.out)
        print(f"| {' | '.join(map(str, row.values()))} |", file=self.out, flush=True)


def list_rows(figures: Any) -> list[dict[str, Any]]:
    """Return figures as the lines of tables: one for each in a list, or for each by its name."""
    if isinstance(figures, list):
        return [_flatten(each) for each in figures]
    if _has_names(figures) and not any(map(_is_table, figures.values())):
        return [{"": name} | _flatten(each) for name, each in figures.items()]
    rest = _flatten({name: each for name, each in figures.items() if not _is_table(each)})
    rows = [rest] if rest else []
    for name in filter(lambda name: _is_table(figures[name]), figures):
        for row in list_rows(figures[name]):
            rows.append({"": ", ".join(filter(None, (name, row.pop("", ""))))} | row)
    return rows


def _is_table(figures: Any) -> bool:
    return _has_names(figures) or (isinstance(figures, list) and isinstance(figures[0], Mapping))


def _has_names(figures: Any) -> bool:
    return isinstance(figures, Mapping) and all(isinstance(v, Mapping) for v in figures.values())


def _flatten(figures: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, Mapping):
            flat |= {f"{name} {inner}": each for inner, each in _flatten(value).items()}
        else:
            flat[name] = value
    return flat


# --- processes of their own ----------------------------------------------------------------------


def run_apart(function: Callable[..., Any], *arguments: Any, **environment: str) -> Any:
    """Call a function of a benchmark in a new process; arguments and result travel as JSON."""
    name = f"{function.__module__}:{function.__name__}"
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks", "--apart", name]
    done = subprocess.run(
        [*command, json.dumps(arguments)],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{name} ended with {done.returncode}.")
    return json.loads(done.stdout.splitlines()[-1])


def answer_apart(name: str, arguments: str) -> None:
    """Do what `run_apart` asks, in the process that it has started."""
    module, _, function = name.partition(":")
    found = getattr(importlib.import_module(module), function)(*json.loads(arguments))
    print(f"\n{json.dumps(found)}")
