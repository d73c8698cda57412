"""Search: how well and how fast it finds.

The questions are those of NQ-open with the 100-word passage that answers each. A question scores
when its own passage, known by id, is among the first k; for articles, when the article of that
passage is. First only the gold passages are searched, then they are among as many passages as
wanted; benchmarks/mixtures.py says how those are made.

Weights were chosen on the questions whose SHA-256 begins with an even byte ("chosen_on"); figures
over the others ("held_out") are the ones that were not looked at while choosing.

Times are those of `search_passages` and `search_articles`, which read the ten best and mark the
words found: "processor" is what a question costs, "clock" what it takes while others use the
machine too.
"""

from __future__ import annotations

import hashlib
import random
import resource
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import mixtures
from benchmarks.harness import DATA, Benchmark, option, run_benchmark
from benchmarks.mixtures import Passage, Question
from benchmarks.timing import clock_of, processor_of, repeat_call, spread_of, taking
from wikipedia.search.index import ArticleDoc, Batch, PassageDoc, build_index
from wikipedia.search.searching import search_articles, search_passages

DEFAULT = DATA / "nq_open/nq-open-oracle-passages.jsonl.gz"
TIMED_QUESTIONS = 1_000
DEPTH = 100


def load_questions(file: Path) -> tuple[list[Question], list[Passage]]:
    """Return questions and the passages that answer them; end the program without the file."""
    if not file.is_file():
        sys.exit(f"There is no file {file}; name it with --questions.")
    return mixtures.load(file)


def measure_search(
    folder: Path, questions: list[Question], gold: list[Passage], count: int
) -> dict[str, Any]:
    """Index the gold passages among `count`; return the figures of the index and of searches."""
    with taking() as making:
        made = sum(len(article) for article in mixtures.articles(gold, count))
    index = folder / "ours"
    with taking() as building:
        info = build_index(index, Mixtures(gold, count), batch=5_000)
    seconds = building.seconds - making.seconds
    ours = [[hit.id for hit in search_passages(index, q.text, DEPTH)] for q in questions]
    titles = [[hit.title for hit in search_articles(index, q.text, DEPTH).hits] for q in questions]
    return {
        "passages": made,
        "articles": info.articles,
        "build": {
            "seconds": round(seconds, 1),
            "passages_per_second": round(made / seconds),
            "megabytes": round(sum(f.stat().st_size for f in index.rglob("*")) / 1e6),
            "peak_memory_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        },
        "ms": {
            "passages": time_questions(
                lambda q: [hit.snippet for hit in search_passages(index, q)], questions
            ),
            "articles": time_questions(lambda q: search_articles(index, q), questions),
        },
        "found": {
            "ours": scores(questions, ours, [q.passage for q in questions]),
            "ours, articles": scores(questions, titles, [q.title for q in questions]),
        },
    }


def time_questions(
    search: Callable[[str], object], questions: list[Question], count: int = TIMED_QUESTIONS
) -> dict[str, dict[str, float]]:
    """Return percentiles of a question's time, for randomly drawn questions, after a warm-up."""
    chosen = random.Random(1).sample(questions, min(count, len(questions)))
    warm_up = chosen[:50]
    asked = iter([*warm_up, *chosen])
    every = repeat_call(lambda: search(next(asked).text), len(chosen), len(warm_up))
    return {
        "clock": spread_of(clock_of(every), 99),
        "processor": spread_of(processor_of(every), 99),
    }


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


@dataclass
class Search(Benchmark):
    """How well does search find, and how fast?"""

    passages: int = option(1_000_000)
    questions: Path = option(DEFAULT)
    folder: Path | None = option(None, "where to build, instead of a temporary folder")

    def measure(self) -> dict[str, Any]:
        """Search the gold passages alone, then among as many as wanted."""
        questions, gold = load_questions(self.questions)
        report: dict[str, Any] = {"questions": len(questions), "gold_passages": len(gold)}
        for name, count in (("alone", len(gold)), ("mixed", self.passages)):
            if name == "alone" or count > len(gold):
                with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                    report[name] = measure_search(Path(folder), questions, gold, count)
        return report


if __name__ == "__main__":
    run_benchmark("search")
