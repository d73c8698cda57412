"""What encoders and rerankers in training are worth on dev: how early right passages come.

Loads torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from metrics import retrieval
from metrics.retrieval import TitledPassage
from modeling.base import ArticlePassage
from modeling.engines import reference
from modeling.engines.base import Encoder, Scorer
from modeling.training.examples import PassageExample
from modeling.training.figures import Figures, take_figures
from modeling.training.passage_tensors import holds_answer
from modeling.training.recipe_kinds import EMBED, Recipe
from modeling.weights import Weights

_CANDIDATES: Final = 20  # passages that a reranker orders: its own, then those of other questions

Ranked = list[tuple[PassageExample, list[ArticlePassage]]]


def score_ranking(
    recipe: Recipe, start: Weights, model: Any, examples: Sequence[PassageExample]
) -> Figures:
    """Return recall at the depth of the recipe's metric, and MRR."""
    depth = int(recipe.metric.rpartition("@")[2])
    if recipe.learns == EMBED:
        return _ranked(_search(reference.encoder(start, model), examples), depth)
    return _ranked(_rerank(reference.scorer(start, model), examples), depth)


def _search(engine: Encoder, examples: Sequence[PassageExample]) -> Ranked:
    """Return each example with the passages of all examples, the nearest first."""
    passages = list(
        {one.id: one for each in examples for one in (*each.negatives, *each.positives)}.values()
    )
    questions = engine.encode([example.question for example in examples])
    vectors = engine.encode([one.text for one in passages], [one.title for one in passages])
    orders = (-(questions @ vectors.T)).argsort(axis=1, kind="stable").tolist()
    return [
        (example, [passages[place] for place in order])
        for example, order in zip(examples, orders, strict=True)
    ]


def _rerank(engine: Scorer, examples: Sequence[PassageExample]) -> Ranked:
    """Return each example with its passages and some of the next ones, the best first."""
    ordered = []
    for number, example in enumerate(examples):
        own = {one.id: one for one in (*example.negatives, *example.positives)}
        for other in (*examples[number + 1 :], *examples[:number]):
            if len(own) >= _CANDIDATES:
                break
            for one in other.positives:
                if not holds_answer(one, example):
                    own.setdefault(one.id, one)
        passages = list(own.values())
        scores = engine.score_passages(example.question, passages)
        order = sorted(zip(scores, passages, strict=True), key=lambda scored: -scored[0])
        ordered.append((example, [passage for _, passage in order]))
    return ordered


def _ranked(ordered: Ranked, depth: int) -> Figures:
    references = {
        str(number): retrieval.Reference(relevant=frozenset(one.id for one in example.positives))
        for number, (example, _) in enumerate(ordered)
    }
    found = {
        str(number): [TitledPassage(one.title, one.text, one.id) for one in passages]
        for number, (_, passages) in enumerate(ordered)
    }
    scored = retrieval.score_predictions(references, found, depths=(depth,))
    return take_figures(scored, {f"recall@{depth}": f"recall.{depth}", "MRR": "mrr"})
