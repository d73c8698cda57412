"""Search: how well and how fast it finds, compared with other rankings of the same passages.

    python -m benchmarks.search [--passages 1000000] [--questions FILE.jsonl.gz] [--folder DIR]

Prints one JSON object. The questions are those of NQ-open with the 100-word passage that answers
each. A question scores when its own passage, known by id, is among the first k; for articles, when
the article of that passage is. First only the gold passages are searched, then they are among as
many passages as wanted; benchmarks/mixtures.py says how those are made.

Weights were chosen on the questions whose SHA-256 begins with an even byte ("chosen_on"); figures
over the others ("held_out") are the ones that were not looked at while choosing.

Times are those of `search_passages` and `search_articles`, which read the ten best and mark the
words found. The references are asked for names alone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import mixtures, reference_search
from benchmarks.mixtures import Passage, Question
from wikipedia.search.index import ArticleDoc, Batch, PassageDoc, build_index
from wikipedia.search.searching import search_articles, search_passages

DEFAULT = Path("../shared/data/nq_open/nq-open-oracle-passages.jsonl.gz")
TIMED_QUESTIONS = 1_000
DEPTH = 100


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
    questions, gold = mixtures.load(options.questions)
    report: dict[str, Any] = {"questions": len(questions), "gold_passages": len(gold)}
    for name, count in (("alone", len(gold)), ("mixed", options.passages)):
        if name == "alone" or count > len(gold):
            folder = Path(tempfile.mkdtemp(dir=options.folder))
            try:
                report[name] = measure(folder, questions, gold, count)
            finally:
                shutil.rmtree(folder)
    print(json.dumps(report, indent=2))


def measure(
    folder: Path, questions: list[Question], gold: list[Passage], count: int
) -> dict[str, Any]:
    began = time.perf_counter()
    made = sum(len(article) for article in mixtures.articles(gold, count))
    making = time.perf_counter() - began
    index = folder / "ours"
    began = time.perf_counter()
    info = build_index(index, Mixtures(gold, count), batch=5_000)
    seconds = time.perf_counter() - began - making
    ours = [[hit.id for hit in search_passages(index, q.text, DEPTH)] for q in questions]
    titles = [[hit.title for hit in search_articles(index, q.text, DEPTH).hits] for q in questions]
    passages, articles = [q.passage for q in questions], [q.title for q in questions]
    report: dict[str, Any] = {
        "passages": made,
        "articles": info.articles,
        "build": {
            "seconds": round(seconds, 1),
            "passages_per_second": round(made / seconds),
            "megabytes": round(sum(f.stat().st_size for f in index.rglob("*")) / 1e6),
            "peak_memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        },
        "ms": {
            "passages": times(
                lambda q: [hit.snippet for hit in search_passages(index, q)], questions
            ),
            "articles": times(lambda q: search_articles(index, q), questions),
        },
        "found": {
            "ours": scores(questions, ours, passages),
            "ours, articles": scores(questions, titles, articles),
        },
    }
    for name, reference in reference_search.SYSTEMS.items():
        found = reference(
            folder, mixtures.articles(gold, count), [q.text for q in questions], DEPTH
        )
        report["found"][name] = scores(questions, found, passages)
    return report


class Mixtures:
    """The corpus as a source to index; positions count articles."""

    kind = "zim"
    language = "eng"

    def __init__(self, gold: list[Passage], count: int) -> None:
        self._gold, self._count = gold, count
        self.total = count
        self.fingerprint = f"mixtures-{count}"

    def prepare(self, scratch: Path, progress: Callable[[int, int], None]) -> None:
        return None

    def read(self, start: int, scratch: Path) -> Iterator[Batch]:
        for position, article in enumerate(mixtures.articles(self._gold, self._count)):
            title, lead = article[0].title, article[0].text
            text = "\n".join(passage.text for passage in article)
            yield Batch(
                position=position,
                article=ArticleDoc(str(position), title, (), lead, text),
                passages=[PassageDoc(p.id, str(position), p.title, p.text) for p in article],
            )


def scores(
    questions: list[Question], found: list[list[str]], wanted: list[str]
) -> dict[str, dict[str, float]]:
    """Return recall at 1, 5 and 20 and the mean reciprocal rank in the first 100, in percent."""
    ranks = [
        ids.index(one) + 1 if one in ids else 0 for ids, one in zip(found, wanted, strict=True)
    ]
    even = [hashlib.sha256(q.text.encode()).digest()[0] % 2 == 0 for q in questions]
    halves = {
        "all": ranks,
        "chosen_on": [rank for rank, side in zip(ranks, even, strict=True) if side],
        "held_out": [rank for rank, side in zip(ranks, even, strict=True) if not side],
    }
    return {name: _figures(some) for name, some in halves.items()}


def _figures(ranks: list[int]) -> dict[str, float]:
    figures = {f"@{k}": sum(1 for rank in ranks if 0 < rank <= k) / len(ranks) for k in (1, 5, 20)}
    figures["mrr"] = sum(1 / rank for rank in ranks if rank) / len(ranks)
    return {name: round(100 * figure, 1) for name, figure in figures.items()}


def times(
    search: Callable[[str], object], questions: list[Question]
) -> dict[str, dict[str, float]]:
    """Return milliseconds per question, for randomly drawn questions, after a warm-up.

    "processor" is what a question costs, "clock" what it takes while others use the machine too.
    """
    chosen = random.Random(1).sample(questions, min(TIMED_QUESTIONS, len(questions)))
    for question in chosen[:50]:
        search(question.text)
    taken: dict[str, list[float]] = {"clock": [], "processor": []}
    for question in chosen:
        began, used = time.perf_counter(), time.thread_time()
        search(question.text)
        taken["processor"].append((time.thread_time() - used) * 1000)
        taken["clock"].append((time.perf_counter() - began) * 1000)
    cuts = {name: statistics.quantiles(each, n=100) for name, each in taken.items()}
    return {
        name: {f"p{at}": round(cut[at - 1], 2) for at in (50, 95, 99)} for name, cut in cuts.items()
    }


if __name__ == "__main__":
    main()
