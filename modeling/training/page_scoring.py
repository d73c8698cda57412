"""What answers on pages are worth on dev: the official scorer's F1 of long and of short ones (N24).

An answer counts where its score is at least the threshold with the best F1 on these very
questions, as the scorer reports it.
"""

from collections.abc import Sequence
from typing import Final

from metrics import nq
from modeling.training.examples import PageExample

LONG_F1: Final = "long F1"
_FIGURES: Final = {LONG_F1: "long.f1", "short F1": "short.f1"}


def score_page_answers(
    examples: Sequence[PageExample], predictions: Sequence[nq.Prediction]
) -> dict[str, float]:
    """Return F1 from 0 to 1, that of long answers first. predictions: in the order of examples."""
    evaluation = nq.score_predictions(
        {str(number): example.annotations for number, example in enumerate(examples)},
        {str(number): prediction for number, prediction in enumerate(predictions)},
    )
    figures = {figure.name: figure for figure in evaluation.figures}
    return {name: evaluation.value(figures[own]) for name, own in _FIGURES.items()}
