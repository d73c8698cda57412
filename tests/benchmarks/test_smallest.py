"""Every benchmark runs in its smallest size, and prints what it says it measures.

Those that make a database or an installation use the test's.
"""

import gzip
import json
import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from annotation.figures import counts as stored_counts
from benchmarks import cycle, databases
from benchmarks.harness import ROOT, list_benchmarks, run_benchmark
from demo import loading
from evaluation.scores import reading
from tests.conftest import REALDATA

pytestmark = [pytest.mark.process, pytest.mark.xdist_group("benchmarks")]
ELSEWHERE = {
    "hosts",
    "inference",
    "reranking",
    "soak",
    "training",
}  # test_hosts.py, and the last tests here
WITHOUT_DATABASE = {
    "metrics": ("--runs", "1", "--only", "nq-open", "--data", str(REALDATA)),
    "passages": ("--passages", "40", "80", "--pages", "3", "--processes", "1"),
    "quotes": ("--trials", "2"),
    "search": ("--passages", "30"),
    "studies": ("--studies", "1", "--resamples", "10"),
    "wikidata": ("--megabytes", "1", "--rows", "2000", "--rounds", "1", "--processes", "1"),
}
ON_DATABASE = {
    "crossing": ("--list",),
    "cycle": ("--inside", "generation", "empty", "1", "0.2"),
    "export": ("--annotations", "40", "--runs", "1", "--format", "annotations", "release-ambignq"),
    "installation": ("--questions", "200", "--assignments", "1000", "--", "true"),
    "next_task": ("--tasks", "60", "--cycles", "5"),
    "pages": ("--questions", "400", "--times", "1"),
    "reports": ("--questions", "40"),
    "scoring": ("--questions", "4"),
    "work_page": ("--loads", "1"),
}
# What has to be in the figures, somewhere.
NAMES = {
    "crossing": {"files", "rooms", "crossings", "list"},
    "cycle": {"cycles_per_second", "processor_ms", "statements", "calls", "lost"},
    "export": {"seconds", "megabytes", "peak_above_idle_megabytes"},
    "installation": {"database", "new", "seconds", "annotation_event"},
    "metrics": {"nq-open", "wall", "cpu", "median", "bootstrap_seconds"},
    "next_task": {"done", "cycles_per_second", "take", "submit"},
    "pages": {"admin1 /projects/", "p95_ms", "python", "postgres", "statements"},
    "passages": {"rows", "dump", "by_processes", "peak_anonymous_megabytes", "growth", "power"},
    "quotes": {"anchoring", "right", "lost", "wrong", "paste"},
    "reports": {"libraries_s", "protocol", "cold_s", "python_s", "postgres_s", "rows_api", "ms"},
    "scoring": {"first", "unchanged", "processor_s"},
    "search": {"alone", "mixed", "found", "held_out", "mrr", "processor"},
    "studies": {"design", "ACC", "Bradley-Terry", "estimated"},
    "wikidata": {"ratio", "mb_per_second", "quarter_peak_mb", "rows", "hours_1_process"},
    "work_page": {"page_with_article", "save_draft", "my_work", "statements"},
}


def test_every_benchmark_is_run_by_a_test():
    run = [*ELSEWHERE, *WITHOUT_DATABASE, *ON_DATABASE]
    assert sorted(run) == list(list_benchmarks())


def run(name, words, capsys):
    """Run a benchmark; return every name in the figures that it has printed."""
    run_benchmark(name, words)
    printed, found = capsys.readouterr().out, []
    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: found.extend(pairs) or dict(pairs))
    printed = printed[printed.index("{") :]
    while printed:  # one thing after the other
        _, end = decoder.raw_decode(printed)
        printed = printed[end:].lstrip()
    return {key for key, _ in found}


@pytest.fixture
def oracle(tmp_path, monkeypatch):
    """Make a file of ten questions with their passages, where searches look for one."""
    file = tmp_path / "oracle.jsonl.gz"
    with gzip.open(file, "wt") as lines:
        for n in range(10):
            text = f"The crossing number {n} of the river opened in {1800 + n}, to everyone's joy."
            passage = {"isgold": True, "title": f"Crossing {n}", "text": text}
            lines.write(json.dumps({"question": f"when did {n} open", "ctxs": [passage]}) + "\n")
    return ("--questions", str(file))


@pytest.mark.parametrize("name", WITHOUT_DATABASE)
def test_without_a_database(name, oracle, capsys):
    if name == "metrics" and not (REALDATA / "reference").is_dir():
        pytest.skip(f"real data not found at {REALDATA}; set AMBIT_REALDATA")
    words = [*WITHOUT_DATABASE[name], *(oracle if name in ("passages", "search") else ())]
    assert NAMES[name] <= run(name, words, capsys)


@pytest.fixture
def small(own_database, monkeypatch, tmp_path):
    """Let benchmarks use the test's database, and make little of what they fill it with."""

    @contextmanager
    def scratch_database(name, *, keep=False):
        yield True

    def load_demo():
        loading.load_demo(lambda words: None)

    for what, value in (
        (databases, ("scratch_database", scratch_database)),
        (databases, ("run_in_demo", lambda function, *rest: function(*rest))),
        (databases, ("load_demo", load_demo)),
        (cycle, ("QUESTIONS", 400)),
        (cycle, ("DONE", 2)),
        (stored_counts, ("LARGE", (1, 1))),
        (reading, ("_offers", dict(reading._offers))),  # scoring adds a reader
    ):
        monkeypatch.setattr(what, *value)
    monkeypatch.setenv("DEBUG", "True")  # servers need no files with hashed names
    monkeypatch.setenv("AMBIT_REALDATA", str(tmp_path))
    (tmp_path / "asqa").mkdir()
    pairs = [
        {"question": f"Which {n}?", "short_answers": [f"the {n}"], "context": "", "wikipage": None}
        for n in range(2)
    ]
    records = {
        str(n): {
            "ambiguous_question": f"Which crossing is number {n}?",
            "qa_pairs": pairs,
            "wikipages": [],
            "annotations": [{"knowledge": [], "long_answer": "It is the 0, or the 1."}] * 2,
        }
        for n in range(4)
    }
    (tmp_path / "asqa" / "ASQA.dev.json").write_text(json.dumps({"dev": records}))


@pytest.mark.parametrize("name", ON_DATABASE)
def test_on_a_database(name, small, capsys):
    assert NAMES[name] <= run(name, ON_DATABASE[name], capsys)


def test_posts_of_many_people(small, capsys):
    words = ["--http", "--people", "2", "--seconds", "0.5"]
    assert {"http", "posts_per_second", "over_assigned", "lost"} <= run("next_task", words, capsys)


@pytest.mark.patience(5)
def test_a_soak(tmp_path):
    """Few people for seconds, with a web process and PostgreSQL killed and a backup restored.

    In an installation of its own, whose clock is hurried.
    """
    words = ["-m", "benchmarks.soak", "--minutes", "0.2", "--seconds-between-faults", "4"]
    words += ["--people", "4", "--pause", "0.2", "--output", str(tmp_path / "figures.json")]
    words += ["--faults", "one web process killed", "PostgreSQL killed", "backup restored"]
    soak = subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.benchmarks.hurried"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        printed, _ = soak.communicate()
    finally:
        soak.terminate()  # it ends what it has started
        soak.wait(timeout=30)
    assert soak.returncode == 0, printed
    found = json.loads((tmp_path / "figures.json").read_text())
    assert found["wrong"] == []
    assert {each["fault"] for each in found["happened"]} == set(words[-3:])
    assert not {"PostgreSQL killed", "backup restored"} & set(found["never_happened"])
    assert found["submissions"]["acknowledged"] > 10
    assert found["backups"]["submissions_compared"] > 0
    assert found["backups"]["rows_compared_at_the_end"] > 1000
    assert {"submission, calm", "page, calm", "upload, calm"} <= found["latency"].keys()


def run_apart(*words):
    """Run a benchmark that sets Django up, in a process of its own; return its lines."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.models
@pytest.mark.patience(2)
def test_a_reranking(oracle):
    """The number of a crossing is in its own passage alone."""
    pytest.importorskip("onnxruntime")
    plain, ranked = run_apart("reranking", "--passages", "30", "--candidates", "3", *oracle)
    assert plain.keys() | {"gain"} == ranked.keys()
    assert {"order", "questions", "recall@1", "clock p95_ms", "processor p95_ms"} <= plain.keys()
    assert plain["questions"] == ranked["questions"] > 0


@pytest.mark.models
@pytest.mark.patience(2)
def test_a_training(tmp_path):
    """It takes a few steps, and scores what was trained on the questions that it has not read.

    In a process of its own, since it sets Django up.
    """
    file = tmp_path / "oracle.jsonl.gz"
    with gzip.open(file, "wt") as lines:
        for n in range(46):
            text = f"The crossing number {n} of the river opened in {1800 + n}, to everyone's joy."
            passage = {"isgold": True, "title": f"Crossing {n}", "text": text}
            record = {
                "question": f"when did {n} open", "ctxs": [passage], "answers": [f"{1800 + n}"]
            }  # fmt: skip
            lines.write(json.dumps(record) + "\n")
    figures = run_apart("training", "--train", "20", "--questions", str(file))
    assert [each[""] for each in figures] == ["search", "untrained", "trained", "gain"]
    assert {"recall@1", "recall@5", "questions"} <= figures[0].keys()
    assert {"recall@1", "examples", "steps", "step", "seconds"} <= figures[-1].keys()


@pytest.mark.models
@pytest.mark.patience(3)
@pytest.mark.parametrize("model", ["minilm", pytest.param("fid, t5-small", marks=pytest.mark.slow)])
def test_a_model_with_weights(model, capsys, monkeypatch):
    pytest.importorskip("onnxruntime")
    monkeypatch.setattr(os, "sched_setaffinity", lambda *given: None)  # it would stay with us
    names = run("inference", ["--only", model, "--rounds", "1", "--cores", "1"], capsys)
    unit = "tokens a second" if model[:3] == "fid" else "passages a second"
    assert {"model", "way", unit, "processor ratio", "peak MB"} <= names
