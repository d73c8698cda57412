"""What answers on pages are worth on dev: the official scorer's F1 of long and of short ones (N24).

An answer counts where its score is at least the threshold with the best F1 on these very
questions, as the scorer reports it. Loads torch.
"""

from collections.abc import Sequence
from typing import Any, Final

from metrics import nq
from modeling.baselines.page_reader import answer_on_pages
from modeling.engines import reference
from modeling.training.examples import PageExample
from modeling.training.figures import Figures, take_figures
from modeling.training.page_recipes import LONG_F1
from modeling.weights import Weights

_FIGURES: Final = {LONG_F1: "long.f1", "short F1": "short.f1"}


def score_page_reader(start: Weights, model: Any, examples: Sequence[PageExample]) -> Figures:
    """Return the figures of what a reader of pages in training answers."""
    asked = [(example.question, example.page) for example in examples]
    reader = reference.page_reader(start, model)
    return score_page_answers(examples, answer_on_pages(reader, asked))


def score_page_answers(
    examples: Sequence[PageExample], predictions: Sequence[nq.Prediction]
) -> Figures:
    """Return F1 from 0 to 1, that of long answers first. predictions: in the order of examples."""
    evaluation = nq.score_predictions(
        {str(number): example.annotations for number, example in enumerate(examples)},
        {str(number): prediction for number, prediction in enumerate(predictions)},
    )
    return take_figures(evaluation, _FIGURES)
