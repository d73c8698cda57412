"""Context paragraphs: python -m benchmarks.contexts [--data FOLDER] [--seeds 3]

How similar to its question is a paragraph that ASQA showed its writers, and how similar are those
that hold the same short answer by chance? Printed as one JSON object. No database is needed.

`given`: the 240 paragraphs of the released training sample. `chance`: paragraphs of the other
records, and of NQ-open's gold passages, that hold an accepted short answer; `best_chance`: the best
of them for each disambiguation that has any. The pages of the sample's questions are not released.
In their place, for the idf of each question, are the paragraphs of its record, those by chance,
and 100 others drawn at random. Shares are of the paragraphs that reach a threshold.
"""

import argparse
import gzip
import json
import random
import statistics
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.contexts.choice import SearchedParagraph, tfidf_similarities
from annotation.contexts.inputs import given_context

SAMPLE = "asqa/asqa_200_train_with_context.jsonl"
PASSAGES = "nq_open/nq-open-oracle-passages.jsonl.gz"
OTHERS = 100
THRESHOLDS = (0.0, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3)


@dataclass(frozen=True)
class Shown:
    """A disambiguation with the paragraph that writers saw, and its record."""

    record: int
    question: str
    answers: Sequence[str]
    paragraph: str


def read_sample(path: Path) -> list[Shown]:
    """Return the disambiguations of the sample that have a paragraph."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return [
        Shown(number, pair["question"], pair["short_answers"], pair["context"])
        for number, each in enumerate(records)
        for pair in each["qa_pairs"]
        if given_context(pair)
    ]


def read_passages(path: Path) -> list[str]:
    """Return the gold passages of NQ-open's development questions."""
    with gzip.open(path, "rt") as lines:
        return [json.loads(line)["nq_annotated_gold"]["long_answer"] for line in lines]


def measure(sample: Sequence[Shown], passages: Iterable[str], seed: int) -> dict[str, list[float]]:
    """Return the scores of the paragraphs given, of those by chance, and of the best of these."""
    pool = list(dict.fromkeys([*(each.paragraph for each in sample), *passages]))
    searched = [SearchedParagraph(text) for text in pool]
    owners: dict[str, set[int]] = {}
    for each in sample:
        owners.setdefault(each.paragraph, set()).add(each.record)
    draw = random.Random(seed)
    scores: dict[str, list[float]] = {"given": [], "chance": [], "best_chance": []}
    for each in sample:
        own = [text for text in pool if each.record in owners.get(text, ())]
        chance = [
            text.text
            for text in searched
            if each.record not in owners.get(text.text, ()) and text.contains_answer(each.answers)
        ]
        taken = {*own, *chance}
        rest = [text for text in draw.sample(pool, OTHERS + len(taken)) if text not in taken]
        (row,) = tfidf_similarities([each.question], [*own, *chance, *rest[:OTHERS]])
        scores["given"].append(row[own.index(each.paragraph)])
        by_chance = row[len(own) : len(own) + len(chance)]
        scores["chance"] += by_chance
        scores["best_chance"] += [max(by_chance)] if by_chance else []
    return scores


def summary(scores: Sequence[float]) -> dict[str, Any]:
    """Return count, quantiles and the share that reaches each threshold."""
    cuts = statistics.quantiles(scores, n=20)
    return {
        "n": len(scores),
        "median": round(statistics.median(scores), 3),
        "p5": round(cuts[0], 3),
        "p95": round(cuts[-1], 3),
        "from": {
            str(threshold): round(sum(s >= threshold for s in scores) / len(scores), 3)
            for threshold in THRESHOLDS
        },
    }


def apart(scores: dict[str, list[float]]) -> dict[str, float]:
    """Return for each threshold the share of given paragraphs less the share of those by chance."""
    given, chance = summary(scores["given"])["from"], summary(scores["chance"])["from"]
    return {key: round(given[key] - chance[key], 3) for key in given}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    sample = read_sample(options.data / SAMPLE)
    passages = read_passages(options.data / PASSAGES)
    began = time.process_time()
    every: dict[str, list[float]] = {}
    for seed in range(options.seeds):
        for name, scores in measure(sample, passages, seed).items():
            every.setdefault(name, []).extend(scores)
    holding = [SearchedParagraph(each.paragraph).contains_answer(each.answers) for each in sample]
    report = {
        "hold_their_answer": sum(holding) / len(holding),
        **{name: summary(scores) for name, scores in every.items()},
        "apart": apart(every),
        "ms_a_question": round(
            1000 * (time.process_time() - began) / len(sample) / options.seeds, 1
        ),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
