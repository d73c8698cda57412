"""Search: how fast an index builds, how large it is, how fast and how well it answers.

    python benchmarks/search.py [--passages 1000000] [--questions FILE.jsonl.gz] [--folder DIR]

Prints one JSON object. The passages are the gold passages of NQ-open questions (2,655 questions,
each with the 100-word passage that answers it; several share one).

Recall is counted over the gold passages alone, with nothing added: a question scores when its own
passage, known by id, is among the first k. With more passages wanted than there are, the rest are
mixtures: the first part of one passage joined to the second part of another, under the first
one's title and a new id. They have natural words in natural proportions, none equals a gold
passage, and they serve only for rate, size and times; recall over them would say nothing.
Times are those of `search_passages`, which reads the ten best passages and marks the words found.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wikipedia.index import build_index
from wikipedia.search import search_passages
from wikipedia.sources import PassageSource

DEFAULT = Path("../shared/data/nq_open/nq-open-oracle-passages.jsonl.gz")
TIMED_QUESTIONS = 1_000
Row = tuple[str, str, str]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=1_000_000)
    parser.add_argument("--questions", type=Path, default=DEFAULT)
    parser.add_argument("--folder", type=Path, help="where to build (default: a temporary folder)")
    options = parser.parse_args()
    if not options.questions.is_file():
        parser.error(f"there is no file {options.questions}; name it with --questions")
    questions, gold = load(options.questions)
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    try:
        print(json.dumps(measure(folder, questions, gold, options.passages), indent=2))
    finally:
        shutil.rmtree(folder)


def load(path: Path) -> tuple[list[tuple[str, str]], list[Row]]:
    """Questions with the id of their passage, and the distinct passages."""
    ids: dict[tuple[str, str], str] = {}
    questions = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            passage = next(p for p in record["ctxs"] if p["isgold"])
            key = (passage["title"], passage["text"])
            questions.append((record["question"], ids.setdefault(key, f"gold-{len(ids)}")))
    return questions, [(key, title, text) for (title, text), key in ids.items()]


def measure(
    folder: Path, questions: list[tuple[str, str]], gold: list[Row], count: int
) -> dict[str, Any]:
    small = build_index(folder / "gold", PassageSource(gold, total=len(gold), fingerprint="gold"))
    report: dict[str, Any] = {
        "questions": len(questions),
        "gold_passages": small.passages,
        "recall": recall(folder / "gold", questions),
        "ms_gold": times(folder / "gold", questions),
    }
    if count > len(gold):
        rows = Rows(gold, count)
        began = time.perf_counter()
        build_index(
            folder / "all", PassageSource(rows, total=count, fingerprint="all"), batch=50_000
        )
        seconds = time.perf_counter() - began - rows.seconds
        size = sum(f.stat().st_size for f in (folder / "all").rglob("*") if f.is_file())
        report["replicated"] = {
            "passages": count,
            "build_seconds": round(seconds, 1),
            "seconds_making_mixtures": round(rows.seconds, 1),
            "passages_per_second": round(count / seconds),
            "megabytes": round(size / 1e6),
            "peak_memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
            "ms": times(folder / "all", questions),
        }
    return report


class Rows:
    """The gold passages and then mixtures, made as they are read; the time it takes is kept."""

    def __init__(self, gold: list[Row], count: int) -> None:
        self._gold, self._count, self.seconds = gold, count, 0.0

    def __iter__(self) -> Iterator[Row]:
        yield from self._gold
        words = [(title, text.split()) for _, title, text in self._gold]
        chance = random.Random(20181220)
        for number in range(self._count - len(self._gold)):
            began = time.perf_counter()
            title, head = words[chance.randrange(len(words))]
            _, tail = words[chance.randrange(len(words))]
            cut = chance.randint(1, max(1, len(head) - 1))
            text = " ".join([*head[:cut], *tail[cut:]])
            self.seconds += time.perf_counter() - began
            yield f"mixture-{number}", title, text


def recall(folder: Path, questions: list[tuple[str, str]]) -> dict[str, float]:
    ranks = []
    for question, wanted in questions:
        ids = [hit.id for hit in search_passages(folder, question, 20)]
        ranks.append(ids.index(wanted) + 1 if wanted in ids else 21)
    return {f"@{k}": round(sum(r <= k for r in ranks) / len(ranks), 4) for k in (1, 5, 20)}


def times(folder: Path, questions: list[tuple[str, str]]) -> dict[str, float]:
    """Milliseconds per question, for questions drawn by chance, after a warm-up."""
    chosen = random.Random(1).sample(questions, min(TIMED_QUESTIONS, len(questions)))
    for question, _ in chosen[:50]:
        search_passages(folder, question)
    taken = []
    for question, _ in chosen:
        began = time.perf_counter()
        search_passages(folder, question)
        taken.append((time.perf_counter() - began) * 1000)
    cuts = statistics.quantiles(taken, n=100)
    return {"p50": round(cuts[49], 2), "p95": round(cuts[94], 2), "p99": round(cuts[98], 2)}


if __name__ == "__main__":
    main()
