"""Scoring: how long our command takes, compared with the official scripts where available.

    python -m benchmarks.metrics [--data DIR] [--official DIR] [--official-python PYTHON] [--runs 5]

Prints one JSON object. Every time is that of a whole process, start included, on the reference
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

import argparse
import gzip
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCORERS = {"ambigqa-train": "ambigqa", "nq-pages": "nq"}  # where a row is not named after one
Command = list[str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--official", type=Path, help="folder with the official scripts")
    parser.add_argument("--official-python", default=sys.executable)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", nargs="+", metavar="ROW", help="rows to measure; default all")
    options = parser.parse_args()
    data = options.data.resolve()
    if not (data / "reference").is_dir():
        parser.error(f"there is no folder {data}/reference; name the data with --data")
    environment = {**os.environ, "NLTK_DATA": str(data / "nltk_data")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as for a user: compiled once
    with tempfile.TemporaryDirectory() as folder:
        report: dict[str, Any] = {}
        for task, files in tasks(data, Path(folder)).items():
            if options.only and task not in options.only:
                continue
            theirs = official(task, files, options.official, options.official_python, Path(folder))
            report[task] = measured(ours(task, files), theirs, options.runs, environment)
    report["bootstrap_seconds"] = bootstrap(items=10_000, resamples=1_000, runs=options.runs)
    print(json.dumps(report, indent=2))


def tasks(data: Path, folder: Path) -> dict[str, dict[str, Path]]:
    """Return the files of each task, by the option that takes them."""
    reference = data / "reference"
    gold, said = five_way(folder, questions=8_000)
    pages, pages_said = five_way_pages(folder, questions=200, text=data / "ambignq/dev_light.json")
    train = data / "ambignq/train_light.json"
    return {
        "ambigqa": {
            "references": data / "ambignq/dev_light.json",
            "predictions": reference / "ambignq/predictions.json",
        },
        "ambigqa-train": {"references": train, "predictions": rewritten(folder, train)},
        "asqa": {
            "references": data / "asqa/ASQA.dev.json",
            "predictions": reference / "asqa/predictions.json",
            "reader-answers": reference / "asqa/qa_predictions.json",
        },
        "nq": {"references": gold, "predictions": said},
        "nq-pages": {"references": pages, "predictions": pages_said},
        "nq-open": {
            "references": data / "nq_open/NQ-open.dev.jsonl",
            "predictions": reference / "nq_open/predictions.jsonl",
        },
        "qampari": {
            "references": reference / "qampari/predictions.json",
            "predictions": reference / "qampari/predictions.json",
        },
    }


def ours(task: str, files: Mapping[str, Path]) -> Command:
    named = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    return [
        sys.executable,
        str(ROOT / "manage.py"),
        "score",
        SCORERS.get(task, task),
        *named,
        "--json",
    ]


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
    """Run both in turns and return the median seconds, with the ratios where both ran."""
    commands = {"ours": own, "official": other} if other else {"ours": own}
    wall: dict[str, list[float]] = {name: [] for name in commands}
    cpu: dict[str, list[float]] = {name: [] for name in commands}
    for counted in [False] + [True] * runs:
        for name, command in commands.items():
            began, used = time.perf_counter(), processor_seconds()
            done = subprocess.run(command, env=dict(environment), capture_output=True, text=True)
            took, used = time.perf_counter() - began, processor_seconds() - used
            if done.returncode:
                return {"failed": name, "said": done.stderr.strip().splitlines()[-1:]}
            if counted:
                wall[name].append(took)
                cpu[name].append(used)
    row: dict[str, Any] = {}
    for unit, taken in (("wall", wall), ("cpu", cpu)):
        row[unit] = {name: spread(times) for name, times in taken.items()}
        if other:
            medians = [statistics.median(taken[name]) for name in ("official", "ours")]
            row[unit]["ratio"] = round(medians[0] / medians[1], 1)
    return row


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


def bootstrap(items: int, resamples: int, runs: int) -> dict[str, float]:
    """Time the intervals of one figure over many items, after the import of numpy."""
    from metrics import resampling

    chance = random.Random(1)
    values = [chance.random() for _ in range(items)]
    resampling.mean_interval(values[:10], resamples=10)
    taken = []
    for _ in range(runs):
        began = time.perf_counter()
        resampling.mean_interval(values, resamples=resamples)
        taken.append(time.perf_counter() - began)
    return spread(taken)


def five_way(folder: Path, questions: int) -> tuple[Path, Path]:
    """Make questions with five annotations each, and predictions with scores, by chance."""
    chance = random.Random(20190101)
    gold, said = folder / "nq-gold.jsonl.gz", folder / "nq-predictions.json"
    predictions = []
    with gzip.open(gold, "wt", encoding="utf-8", compresslevel=1) as lines:
        for number in range(questions):
            annotations, prediction = _question(chance, number)
            # The order of the released files in their simplified form: the page comes first.
            record = {"document_text": "word " * 2_000, "annotations": annotations}
            lines.write(json.dumps({**record, "example_id": number}) + "\n")
            predictions.append(prediction)
    said.write_text(json.dumps({"predictions": predictions}))
    return gold, said


def five_way_pages(folder: Path, questions: int, text: Path) -> tuple[Path, Path]:
    """Make the same in the original form, in five files: a page as HTML and as 7,000 tokens.

    The words of the pages are drawn from those of a file. Returns the pattern of the five files.
    """
    chance = random.Random(20190102)
    words = text.read_text(encoding="utf-8").split()
    predictions = []
    for part in range(5):
        with gzip.open(folder / f"nq-pages-0{part}.jsonl.gz", "wt", compresslevel=3) as lines:
            for number in range(part, questions, 5):
                annotations, prediction = _question(chance, number)
                page = chance.choices(words, k=7_000)
                token = {"start_byte": 10_000, "end_byte": 10_008, "html_token": False}
                record = {
                    "annotations": annotations,
                    "document_html": " ".join(f"<p>{word}</p>" for word in page),
                    "document_tokens": [{**token, "token": word} for word in page],
                    "example_id": number,
                }
                lines.write(json.dumps(record) + "\n")
                predictions.append(prediction)
    said = folder / "nq-pages-predictions.json"
    said.write_text(json.dumps({"predictions": predictions}))
    return folder / "nq-pages-0*.jsonl.gz", said


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
    main()
