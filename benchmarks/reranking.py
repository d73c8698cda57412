"""Reranking: what vectors change in the order of the passages found, and what that takes.

Questions, passages and those among which they are found are those of `benchmarks.search`; only held
out questions are asked. BM25 finds passages, and the first ones are put in order by MiniLM's
vectors in eight bits (`reranker=vectors`). `recall@1` is the share of questions whose own passage
is first, with a 95 % bootstrap interval; `gain` is that over BM25, question by question.

Times are those of a question from its words to passages in order, one after another: its search,
its vector and those of the candidates, none of which is kept.
"""

import hashlib
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.inference import set_up
from benchmarks.mixtures import Question
from benchmarks.search import DEFAULT, Mixtures, load_questions
from benchmarks.timing import Taken, clock_of, processor_of, spread_of, taking
from benchmarks.training import in_percent
from modeling.base import ArticlePassage, Corpus
from wikipedia.search.index import build_index
from wikipedia.search.searching import search_passages


class Found:
    """The passages of an index, by BM25."""

    name = version = "found"

    def __init__(self, index: Path) -> None:
        self._index = index

    def search(self, query: str, top: int) -> list[ArticlePassage]:
        """Return up to `top` passages, best first."""
        hits = search_passages(self._index, query, top)
        return [ArticlePassage(hit.id, hit.title, hit.text, hit.score, hit.path) for hit in hits]


@dataclass
class Reranking(Benchmark):
    """How much better is the first passage if vectors put the first ones in order?"""

    passages: int = option(1_000_000, "the gold ones alone where there are more of them")
    candidates: tuple[int, ...] = option((5, 10))
    asked: int = option(0, "how many of the held out questions, drawn at random; 0 for all")
    questions: Path = option(DEFAULT)

    def measure(self) -> Iterator[dict[str, Any]]:
        """Yield a line for BM25, and one for each number of candidates."""
        questions, gold = load_questions(self.questions)
        held = [q for q in questions if hashlib.sha256(q.text.encode()).digest()[0] % 2]
        if self.asked:
            held = random.Random(1).sample(held, self.asked)
        with tempfile.TemporaryDirectory() as name:
            set_up(name)
            from modeling.engines.converting import convert_weights
            from modeling.reranking import NearVectors, RerankedCorpus
            from modeling.weights import get_weights

            convert_weights(get_weights("passage-encoder", "minilm", may_be_fast=False))
            index = Path(name) / "index"
            build_index(index, Mixtures(gold, self.passages), batch=5_000)
            found, order = Found(index), NearVectors("minilm")
            first, line = ask_questions(found, held)
            yield {"order": "BM25", **line}
            for count in self.candidates:
                ranked, line = ask_questions(RerankedCorpus(found, order, count), held)
                gain = [new - old for new, old in zip(ranked, first, strict=True)]
                yield {"order": f"vectors, {count} candidates", **line, "gain": in_percent(gain)}


def ask_questions(
    corpus: Corpus, questions: Sequence[Question]
) -> tuple[list[float], dict[str, Any]]:
    """Return for each question whether its passage is first, and the line of the table."""
    corpus.search(questions[0].text, 1)  # loads what it needs
    right, times = list[float](), list[Taken]()
    for question in questions:
        with taking() as taken:
            passages = corpus.search(question.text, 1)
        times.append(taken)
        right.append(float(passages[:1] != [] and passages[0].id == question.passage))
    spread = {
        f"{what} {name}": value
        for what, seconds in (("clock", clock_of(times)), ("processor", processor_of(times)))
        for name, value in spread_of(seconds).items()
    }
    return right, {"questions": len(right), "recall@1": in_percent(right), **spread}


if __name__ == "__main__":
    run_benchmark("reranking")
