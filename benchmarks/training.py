"""Training: what an encoder of MiniLM's size gains from passages in which answers were read.

The questions are those of NQ-open with the 100-word passage that answers each. Pages are put in
the order of the SHA-256 of their titles, and the questions of the first ones are learnt from, so
that no page is in both parts. Negative passages are the best that search finds without an answer. A
passage is then looked for among all of them: by search, by the encoder before any step, and by what
was trained. `recall@1` and `recall@5` are shares of dev, with 95 % bootstrap intervals; `gain` is
that of the trained encoder over the untrained one at 1, question by question.

MiniLM has been trained on Natural Questions by its authors, so a gain is not to be expected. The
checkpoint is chosen on a part of dev by the recipe's own figure.
"""

import gzip
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.databases import set_up_django
from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.mixtures import Passage, Question
from benchmarks.search import DEFAULT, Mixtures, load_questions
from benchmarks.timing import taking
from metrics.resampling import mean_interval
from wikipedia.search.index import build_index
from wikipedia.search.searching import search_passages

RETRIEVED = 20


@dataclass
class Training(Benchmark):
    """What does training an encoder on located evidence change?"""

    train: int = option(2_000, "questions to learn from; the others are dev")
    epochs: int = option(1)
    seed: int = option(0)
    base: str = option("minilm")
    questions: Path = option(DEFAULT)

    def measure(self) -> Iterator[dict[str, Any]]:
        """Search, then encode, then train and encode again."""
        questions, passages = load_questions(self.questions)
        answers = read_answers(self.questions)
        with tempfile.TemporaryDirectory() as name:
            os.environ |= {"AMBIT_DATA": name, "AMBIT_ENGINE": "reference"}
            set_up_django()
            index = Path(name) / "index"
            build_index(index, Mixtures(passages, len(passages)))
            found = [
                [hit.id for hit in search_passages(index, question.text, RETRIEVED)]
                for question in questions
            ]
            yield from self._train(Path(name) / "run", questions, passages, answers, found)

    def _train(
        self,
        folder: Path,
        questions: list[Question],
        passages: list[Passage],
        answers: list[list[str]],
        found: list[list[str]],
    ) -> Iterator[dict[str, Any]]:
        from modeling.training.publishing import publish_model
        from modeling.training.recipe_changes import change_recipe
        from modeling.training.recipes import RECIPES
        from modeling.training.runs import train_model
        from modeling.weights import get_weights

        recipe = change_recipe(RECIPES["encoder"], "paper", {"epochs": str(self.epochs)})
        base = get_weights("passage-encoder", self.base, may_be_fast=False)
        learnt = choose_learnt(questions, self.train)
        examples = build_examples(recipe, questions, passages, answers, found)
        dev = [place for place in range(len(questions)) if place not in learnt]
        asked = [questions[place] for place in dev]
        yield {"": "search", **describe_recall([found[place] for place in dev], asked)}
        before = rank_passages(base, asked, passages)
        yield {"": "untrained", **describe_recall(before, asked)}
        with taking() as training:
            result = train_model(
                folder,
                recipe,
                train=[examples[place] for place in sorted(learnt) if place in examples],
                dev=[examples[place] for place in dev if place in examples],
                base=base,
                seed=self.seed,
                device="cpu",
                report=lambda done, of: print(f"step {done} of {of}", file=sys.stderr),
            )
        publish_model(folder, "encoder")
        after = rank_passages(get_weights(base.role, "trained:encoder"), asked, passages)
        yield {"": "trained", **describe_recall(after, asked)}
        gained = [
            float(new[0] == question.passage) - float(old[0] == question.passage)
            for new, old, question in zip(after, before, asked, strict=True)
        ]
        yield {
            "": "gain",
            "recall@1": in_percent(gained),
            "examples": result.examples,
            "steps": result.steps,
            "step": result.step,
            "seconds": round(training.seconds),
        }


def read_answers(file: Path) -> list[list[str]]:
    """Return the accepted forms of each question's answers, in the order of the file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["answers"] for line in lines]


def choose_learnt(questions: Sequence[Question], count: int) -> set[int]:
    """Return the places of about `count` questions: all of the first pages by a hash."""
    by_page: dict[str, list[int]] = {}
    for place, question in enumerate(questions):
        by_page.setdefault(question.title, []).append(place)
    chosen: set[int] = set()
    for title in sorted(by_page, key=lambda title: hashlib.sha256(title.encode()).digest()):
        if len(chosen) >= count:
            break
        chosen.update(by_page[title])
    return chosen


def build_examples(
    recipe: Any,
    questions: Sequence[Question],
    passages: Sequence[Passage],
    answers: Sequence[Sequence[str]],
    found: Sequence[Sequence[str]],
) -> dict[int, Any]:
    """Return examples by the place of their question; some have no passage without an answer."""
    from modeling.base import ArticlePassage, BaselineQuestion
    from modeling.training.passage_examples import build_passage_example
    from modeling.training.values import Labelled, LabelledPair

    by_id = {one.id: ArticlePassage(one.id, one.title, one.text) for one in passages}
    examples: dict[int, Any] = {}
    for place, question in enumerate(questions):
        labelled = Labelled(
            place,
            question.text,
            BaselineQuestion(f"q{place}", question.text),
            annotations=(tuple(LabelledPair((), (form,)) for form in answers[place]),),
            evidence=(by_id[question.passage],),
        )
        retrieved = [by_id[one] for one in found[place]]
        example = build_passage_example(recipe, labelled, retrieved)
        if not isinstance(example, str):
            examples[place] = example
    return examples


def rank_passages(
    weights: Any, questions: Sequence[Question], passages: Sequence[Passage]
) -> list[list[str]]:
    """Return the ids of the five passages nearest to each question."""
    from modeling import engines

    engine = engines.load_encoder(weights)
    asked = engine.encode([question.text for question in questions])
    read = engine.encode([one.text for one in passages], [one.title for one in passages])
    orders = (-(asked @ read.T)).argsort(axis=1, kind="stable")[:, :5].tolist()
    engines.unload_engines()
    return [[passages[place].id for place in order] for order in orders]


def describe_recall(
    found: Sequence[Sequence[str]], questions: Sequence[Question]
) -> dict[str, Any]:
    """Return recall at 1 and 5 in percent, each with its interval."""
    return {
        f"recall@{depth}": in_percent(
            [
                float(question.passage in ids[:depth])
                for ids, question in zip(found, questions, strict=True)
            ]
        )
        for depth in (1, 5)
    } | {"questions": len(questions)}


def in_percent(values: Sequence[float]) -> str:
    """Return the mean of values and its interval, in percent."""
    interval = mean_interval(values)
    mean = 100 * sum(values) / len(values)
    return f"{mean:.1f} ({100 * interval.low:.1f} to {100 * interval.high:.1f})"


if __name__ == "__main__":
    run_benchmark("training")
