"""Scoring: how long our command takes, compared with the official scripts where available.

    python -m benchmarks.metrics --official DIR --official-python PYTHON --runs 5

Every time is that of a whole process, start included, on the reference
predictions. Made by chance are those for AmbigQA's 10,036 training questions (``ambigqa-train``)
and all of Natural Questions: 8,000 questions with five annotations and little text (``nq``), and
200 with whole pages in five files, as they are downloaded (``nq-pages``). Ours and theirs take
turns in the same run, after one of each that is not counted (it writes the byte code); the ratio
is that of the medians. Besides the seconds on the clock there are processor seconds, child
processes included: they say more if the machine has other work.

The official scripts are looked for under ``--official`` as

    ambigqa/ambigqa_evaluate_script.py    the one of its folder codes/; pycocoevalcap, numpy, Java
    asqa/scoring.py
    nq/nq_eval.py                         with eval_utils.py; Python 3 needs items, not iteritems
    qampari/reader_metrics.py

and run by ``--official-python``, which must have the packages they import. If one is
missing or fails, its row says so. They are not part of Ambit, nor copied by it.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import DATA, ROOT, Benchmark, option, run_benchmark
from benchmarks.timing import clock_of, ratio_of, repeat_call, take_turns, taking

TASKS = ("ambigqa", "ambigqa-train", "asqa", "nq", "nq-pages", "nq-open", "qampari")
SCORERS = {"ambigqa-train": "ambigqa", "nq-pages": "nq"}  # where a row is not named after one
Command = list[str]


@dataclass
class Metrics(Benchmark):
    """How long does scoring take, and how much longer do the official scripts?"""

    data: Path = option(DATA)
    official: Path | None = option(None, "folder with the official scripts")
    official_python: str = option(sys.executable)
    runs: int = option(5)
    only: tuple[str, ...] = option(TASKS, choices=TASKS)

    def measure(self) -> dict[str, Any]:
        """Return the figures of each row, and of bootstrap intervals."""
        data = self.data.resolve()
        if not (data / "reference").is_dir():
            sys.exit(f"There is no folder {data}/reference; name the data with --data.")
        environment = {**os.environ, "NLTK_DATA": str(data / "nltk_data")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as for a user: compiled once
        report: dict[str, Any] = {}
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for task in self.only:
                (own := folder / task).mkdir()
                files = files_of(task, data, own)
                theirs = official(task, files, self.official, self.official_python, folder)
                report[task] = measured(ours(task, files), theirs, self.runs, environment)
        bootstrap = time_bootstrap(items=10_000, resamples=1_000, runs=self.runs)
        return report | {"bootstrap_seconds": bootstrap}


def files_of(task: str, data: Path, folder: Path) -> dict[str, Path]:
    """Return the files of a task, by the option that takes them."""
    references = {
        "ambigqa": "ambignq/dev_light.json",
        "ambigqa-train": "ambignq/train_light.json",
        "asqa": "asqa/ASQA.dev.json",
        "nq-open": "nq_open/NQ-open.dev.jsonl",
        "qampari": "reference/qampari/predictions.json",
    }
    if task == "nq":
        return five_way(folder, questions=8_000)
    if task == "nq-pages":
        text = (data / references["ambigqa"]).read_text(encoding="utf-8")
        return five_way(folder, questions=200, words=text.split())
    gold = data / references[task]
    if task == "ambigqa-train":
        return {"references": gold, "predictions": rewritten(folder, gold)}
    own = data / "reference" / {"ambigqa": "ambignq", "nq-open": "nq_open"}.get(task, task)
    said = own / ("predictions.jsonl" if task == "nq-open" else "predictions.json")
    reader = {"reader-answers": own / "qa_predictions.json"} if task == "asqa" else {}
    return {"references": gold, "predictions": said} | reader


def ours(task: str, files: Mapping[str, Path]) -> Command:
    """Return our command that scores these files."""
    named = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    command = [sys.executable, str(ROOT / "manage.py"), "score", SCORERS.get(task, task)]
    return [*command, *named, "--json"]


def official(
    task: str, files: Mapping[str, Path], scripts: Path | None, python: str, folder: Path
) -> Command | None:
    """Return the command of the official script on the same files; None if there is none."""
    task = SCORERS.get(task, task)
    references, predictions = str(files["references"]), str(files["predictions"])
    calls = {
        "ambigqa": [
            "ambigqa/ambigqa_evaluate_script.py",
            *("--reference_path", references, "--prediction_path", predictions),
        ],
        "asqa": [
            "asqa/scoring.py",
            *("--asqa", references, "--predictions", predictions),
            *("--roberta_output", str(files.get("reader-answers")), "--out_dir", str(folder)),
        ],
        "nq": ["nq/nq_eval.py", f"--gold_path={references}", f"--predictions_path={predictions}"],
        "qampari": ["qampari/reader_metrics.py", "-i", predictions],
    }
    if scripts is None or task not in calls or not (scripts / calls[task][0]).is_file():
        return None
    script, *arguments = calls[task]
    return [python, str((scripts / script).resolve()), *arguments]


def measured(
    own: Command, other: Command | None, runs: int, environment: Mapping[str, str]
) -> dict[str, Any]:
    """Run both in turns, the first time uncounted; return seconds and, of two, their ratio."""
    commands = {"ours": own} | ({"official": other} if other else {})

    def run(name: str) -> tuple[float, float]:
        used = processor_seconds()
        with taking() as taken:
            done = subprocess.run(
                commands[name], env=dict(environment), capture_output=True, text=True
            )
        if done.returncode:
            raise CommandFailed(name, done.stderr.strip().splitlines()[-1:])
        return taken.seconds, processor_seconds() - used

    try:
        found = take_turns({name: partial(run, name) for name in commands}, runs + 1)
    except CommandFailed as error:
        return dict(zip(("failed", "said"), error.args, strict=True))
    row: dict[str, Any] = {}
    for place, unit in enumerate(("wall", "cpu")):
        sides = {name: [each[place] for each in times[1:]] for name, times in found.items()}
        row[unit] = {name: spread(times) for name, times in sides.items()}
        if other:
            row[unit]["ratio"] = round(ratio_of(sides["official"], sides["ours"]), 1)
    return row


class CommandFailed(Exception):
    """A command did not end well: its name, and the last line that it wrote."""


def processor_seconds() -> float:
    """Return the processor seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spread(times: Sequence[float]) -> dict[str, float]:
    return {
        "median": round(statistics.median(times), 3),
        "least": round(min(times), 3),
        "most": round(max(times), 3),
    }


def time_bootstrap(items: int, resamples: int, runs: int) -> dict[str, float]:
    """Time the intervals of one figure over many items, after the import of numpy."""
    from metrics import resampling

    chance = random.Random(1)
    values = [chance.random() for _ in range(items)]
    resampling.mean_interval(values[:10], resamples=10)
    every = repeat_call(lambda: resampling.mean_interval(values, resamples=resamples), runs)
    return spread(clock_of(every))


def five_way(folder: Path, questions: int, words: Sequence[str] = ()) -> dict[str, Path]:
    """Make questions with five annotations each, and predictions with scores, by chance.

    In one file with little text, which compresses well; or, with words to draw a page from, in
    five files of the original form: each page as HTML and as 7,000 tokens.
    """
    chance, parts = random.Random(20190101), 5 if words else 1
    predictions = []
    for part in range(parts):
        with gzip.open(folder / f"nq-0{part}.jsonl.gz", "wt", compresslevel=3) as lines:
            for number in range(part, questions, parts):
                annotations, prediction = _question(chance, number)
                page = chance.choices(words, k=7_000) if words else []
                # The order of the released files: the page comes before the annotations.
                record = _page(page) if page else {"document_text": "word " * 2_000}
                record |= {"annotations": annotations, "example_id": number}
                lines.write(json.dumps(record) + "\n")
                predictions.append(prediction)
    said = folder / "nq-predictions.json"
    said.write_text(json.dumps({"predictions": predictions}))
    return {"references": folder / "nq-0*.jsonl.gz", "predictions": said}


def _page(words: Sequence[str]) -> dict[str, Any]:
    token = {"start_byte": 10_000, "end_byte": 10_008, "html_token": False}
    return {
        "document_html": " ".join(f"<p>{word}</p>" for word in words),
        "document_tokens": [{**token, "token": word} for word in words],
    }


def _question(chance: random.Random, number: int) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the annotations of a question and a prediction for it."""
    spans = [_span(chance) for _ in range(3)]
    annotations = [_annotation(chance, spans) for _ in range(5)]
    answer = _annotation(chance, spans)
    scores = {
        "long_answer_score": round(chance.gauss(0, 3), 1),
        "short_answers_score": round(chance.gauss(0, 3), 1),
    }
    return annotations, {"example_id": number, **answer, **scores}


def rewritten(folder: Path, references: Path) -> Path:
    """Make predictions of one annotation's pairs, a word or two moved, added or gone, by chance."""
    chance = random.Random(20200501)
    said: dict[str, list[dict[str, str]]] = {}
    for record in json.loads(references.read_bytes()):
        annotation = chance.choice(record["annotations"])
        single = {"question": record["question"], "answer": annotation.get("answer")}
        said[record["id"]] = []
        for pair in annotation.get("qaPairs", [single]):
            words = pair["question"].split("|")[0].split()
            for _ in range(chance.randrange(3)):
                words.insert(
                    chance.randrange(len(words) + 1), words.pop(chance.randrange(len(words)))
                )
                words = words[chance.randrange(2) :] + chance.choice([[], ["first"], ["2017"]])
            right = chance.random() < 0.8
            answer = chance.choice(pair["answer"]) if right else "nothing of the kind"
            said[record["id"]].append({"question": " ".join(words), "answer": answer})
    path = folder / "ambigqa-train-predictions.json"
    path.write_text(json.dumps(said))
    return path


_NOTHING = {"start_byte": -1, "end_byte": -1, "start_token": -1, "end_token": -1}


def _span(chance: random.Random) -> dict[str, int]:
    start, length = chance.randrange(10_000), chance.randrange(1, 60)
    place = {"start_token": start, "end_token": start + length}
    return {"start_byte": start * 6, "end_byte": (start + length) * 6, **place}


def _annotation(chance: random.Random, spans: Sequence[dict[str, int]]) -> dict[str, Any]:
    yes_no = "YES" if chance.random() < 0.03 else "NONE"
    short = [] if yes_no == "YES" or chance.random() < 0.5 else [chance.choice(spans)]
    long = _NOTHING if chance.random() < 0.4 else chance.choice(spans)
    return {"long_answer": long, "short_answers": short, "yes_no_answer": yes_no}


if __name__ == "__main__":
    run_benchmark("metrics")
