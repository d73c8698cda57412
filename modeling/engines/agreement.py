"""Whether converted weights say what the reference says; asked before they are used.

Of entailment, a threshold decides by scores which answers are kept, so they may not move far. Of
what reads several texts and writes, how likely the reference's own tokens are may not. How far
eight bits move them depends on the weights, which is why each model is tried when it is converted.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Final

from modeling.base import MissingModel
from modeling.engines import entailing, fast, fusing, reference
from modeling.engines.base import Limits
from modeling.weights import ENTAILING, FUSED, Weights

FILE: Final = "agreement.json"
MOST_APART: Final = 0.02
MOST_UNLIKE: Final = 0.1  # on average
_WRITTEN = Limits(tokens_in=64, tokens_out=16)
_SENTENCES: Final = (
    "The old bridge at Ald was built of oak by Anna Berg between 1712 and 1719.",
    "It carries the road from the harbour to the upper town, and crosses the river Lene.",
    "A flood took its two middle arches in 1820, and nobody was hurt.",
    "The novel is about a ferryman who refuses to believe in the bridge.",
    "Its author, Per Holm, never said whether he had seen it.",
    "In 1934 it was made into a film, which Ida Kron directed and which is lost.",
    "The tower was not designed by Berg, although many guides say that it was.",
    "Today the company Nordbro, whose seat is in Ald, looks after both.",
)
_QUESTIONS: Final = (
    "Who designed the old bridge at Ald?",
    "When was the bridge built?",
    "Who directed the film of the novel?",
    "Which company looks after the tower?",
)
_STATEMENTS: Final = (
    "The old bridge crosses the river Lene.",
    "The old bridge was designed by Anna Berg.",
    "The tower was designed by Anna Berg.",
    "The film was directed by Per Holm.",
    "The film was directed by Ida Kron.",
    "Nordbro has its headquarters in Ald.",
)


def check_agreement(weights: Weights, converted: Path) -> None:
    """Write into a folder of converted weights how far their scores are from the reference's.

    Raises MissingModel where one is further than MOST_APART.
    """
    pairs = _pairs()
    expected = entailing.entailer(weights).score_entailments(pairs)
    engine = fast.entailer(replace(weights, fast=converted))
    # A statement with its windows at a time, as they are asked for when questions are made.
    step = len(_SENTENCES)
    given = [
        score
        for start in range(0, len(pairs), step)
        for score in engine.score_entailments(pairs[start : start + step])
    ]
    apart = max(abs(a - b) for a, b in zip(expected, given, strict=True))
    if apart > MOST_APART:
        raise MissingModel(
            f"In eight bits, scores of {weights.name} are up to {apart:.3f} away from its own, on "
            f"{len(pairs)} pairs of sentences; {MOST_APART} is allowed, since a threshold decides "
            "by them which answers are kept. It stays with transformers, in full precision."
        )
    found = {"pairs": len(pairs), "largest_difference": round(apart, 5)}
    (converted / FILE).write_text(json.dumps(found))


def check_writing(weights: Weights, converted: Path) -> None:
    """Write into a folder of converted weights how far they are from what the reference writes.

    That is the difference of the likelihoods of its tokens, each after those before it, on average.
    Raises MissingModel where it is more than MOST_UNLIKE.
    """
    plain, engine = reference.fused(weights), fusing.fused(replace(weights, fast=converted))
    apart: list[float] = []
    for question in _QUESTIONS:
        texts = [f"question: {question} context: {sentence}" for sentence in _SENTENCES]
        tokens, expected = plain.measure_written(texts, _WRITTEN)
        given = engine.measure_likelihoods(texts, _WRITTEN.tokens_in, tokens)
        apart += [abs(a - b) for a, b in zip(expected, given, strict=True)]
    unlike = fmean(apart)
    if unlike > MOST_UNLIKE:
        raise MissingModel(
            f"In eight bits, {weights.name} finds the tokens that it writes {unlike:.2f} more or "
            f"less likely, on average of {len(apart)}; {MOST_UNLIKE} is allowed. It stays with "
            "transformers, in full precision."
        )
    found = {"tokens": len(apart), "mean_difference": round(unlike, 5)}
    (converted / FILE).write_text(json.dumps(found))


CHECKED: Final = {ENTAILING: check_agreement, FUSED: check_writing}


def describe_agreement(converted: Path) -> str:
    """Return a sentence on how near converted weights are to the reference, "" if none tried."""
    try:
        found = json.loads((converted / FILE).read_bytes())
    except OSError:
        return ""
    if "tokens" in found:
        return (
            f"Likelihoods of {found['tokens']} tokens differ by {found['mean_difference']} on "
            "average."
        )
    return (
        f"Scores of {found['pairs']} pairs of sentences differ by {found['largest_difference']} "
        "at most."
    )


def _pairs() -> list[tuple[str, str]]:
    """Return each statement with each sentence, before which up to two others stand."""
    windows = [" ".join(_SENTENCES[max(0, last - 2) : last + 1]) for last in range(len(_SENTENCES))]
    return [(window, statement) for statement, window in product(_STATEMENTS, windows)]
