"""What all benchmarks have in common: options, figures as JSON or as a table, their own process."""

import dataclasses
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import harness, timing
from benchmarks.harness import ROOT, Printer, list_benchmarks, list_rows, run_apart, run_benchmark


def printed(figures, *, table=False):
    out = io.StringIO()
    printer = Printer(out, table=table)
    for each in figures:
        printer.print_figures(each)
    return out.getvalue()


def test_every_benchmark_asks_a_question_and_has_options_with_a_default():
    for name, kind in list_benchmarks().items():
        assert kind.__doc__.endswith("?"), name
        kind(*[field.default for field in dataclasses.fields(kind)])


@pytest.mark.parametrize("name", list_benchmarks())
def test_both_ways_to_start_it_say_its_question_and_its_options(name, capsys, monkeypatch):
    kind = list_benchmarks()[name]
    with pytest.raises(SystemExit, match="0"):
        run_benchmark(name, ["--help"])
    said = capsys.readouterr().out
    assert kind.__doc__ in said
    hidden = {"inside"}
    for field in dataclasses.fields(kind):
        assert (f"--{field.name}".replace("_", "-") in said) == (
            field.name not in hidden and not field.metadata.get("positional")
        )
    assert f'run_benchmark("{name}")' in (ROOT / "benchmarks" / f"{name}.py").read_text()


@pytest.mark.process
def test_the_list_names_each_benchmark_and_a_wrong_name_is_refused():
    command = [sys.executable, "-m", "benchmarks"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in said.splitlines()] == list(list_benchmarks())
    wrong = subprocess.run([*command, "nothing"], cwd=ROOT, capture_output=True, text=True)
    assert wrong.returncode == 1
    assert "There is no benchmark nothing: crossing, cycle" in wrong.stderr


@dataclasses.dataclass
class Sums(harness.Benchmark):
    """What do options come to?"""

    numbers: tuple[int, ...] = harness.option((1, 2))
    folder: Path | None = harness.option(None, "where")
    twice: bool = harness.option(False)
    words_of: str = harness.option("", choices=("", "one"))

    def measure(self):
        """Yield what was given."""
        yield {"sum": sum(self.numbers) * (1 + self.twice)}
        yield {"folder": str(self.folder), "words": self.words_of}


@pytest.fixture
def sums(monkeypatch):
    """Make a benchmark of this module, which goes with the test."""
    monkeypatch.setattr(Sums, "__module__", "benchmarks.mixtures")
    return "mixtures"


def test_fields_are_options_and_what_is_yielded_is_printed(sums, capsys, tmp_path):
    run_benchmark(sums, [])
    assert capsys.readouterr().out.splitlines() == [
        '{"sum": 3}',
        '{"folder": "None", "words": ""}',
    ]
    words = ["--numbers", "4", "5", "--numbers", "6", "--twice", "--folder", "/x"]
    run_benchmark(sums, [*words, "--words-of", "one", "--output", str(tmp_path / "found")])
    assert (tmp_path / "found").read_text().splitlines() == [
        '{"sum": 30}',
        '{"folder": "/x", "words": "one"}',
    ]
    assert capsys.readouterr().out == ""
    with pytest.raises(SystemExit, match="2"):
        run_benchmark(sums, ["--words-of", "two"])


def test_figures_are_the_lines_of_a_table():
    assert list_rows({"a": {"x": 1, "y": {"z": 2}}, "b": {"x": 3, "y": {"z": 4}}}) == [
        {"": "a", "x": 1, "y z": 2},
        {"": "b", "x": 3, "y z": 4},
    ]
    assert list_rows([{"x": 1}, {"x": 2}]) == [{"x": 1}, {"x": 2}]
    parts = {"n": 1, "ways": {"a": {"x": 2}, "b": {"x": 3}}, "runs": [{"y": 4}], "s": {"z": 5}}
    assert list_rows(parts) == [
        {"n": 1, "s z": 5},
        {"": "ways, a", "x": 2},
        {"": "ways, b", "x": 3},
        {"": "runs", "y": 4},
    ]
    assert list_rows({"x": 1, "y": {"z": 2}}) == [{"x": 1, "y z": 2}]
    assert printed([{"x": 1}, {"x": 2}, {"y": 3}], table=True).splitlines() == [
        "| x |", "| --- |", "| 1 |", "| 2 |", "", "| y |", "| --- |", "| 3 |",
    ]  # fmt: skip
    assert json.loads(printed([{"a": {"b": [1]}}])) == {"a": {"b": [1]}}


@pytest.mark.process
def test_a_function_is_called_in_a_process_of_its_own():
    assert run_apart(timing.spread_of, [0.5, 0.5]) == {"p50_ms": 500.0, "p95_ms": 500.0}
    with pytest.raises(SystemExit, match=r"benchmarks\.timing:spread_of ended with 1"):
        run_apart(timing.spread_of, "no numbers")


def test_sides_take_turns_and_the_first_calls_do_not_count():
    seen = []
    sides = {name: lambda name=name: seen.append(name) or name for name in "ab"}
    assert timing.take_turns(sides, 2) == {"a": ["a", "a"], "b": ["b", "b"]}
    assert seen == ["a", "b", "a", "b"]
    assert len(timing.repeat_call(lambda: seen.append("c"), 3, warm_up=2)) == 3
    assert seen.count("c") == 5
    assert timing.ratio_of([1.0, 4.0, 9.0], [2.0]) == 2.0
    assert timing.spread_of([0.001]) == {"p50_ms": 1.0, "p95_ms": 1.0}
    assert timing.spread_of([n / 1000 for n in range(1, 100)], 99)["p99_ms"] == 99.0
