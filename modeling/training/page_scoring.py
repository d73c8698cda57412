"""What answers on pages are worth on dev: the official scorer's F1 of long and of short ones (N24).

An answer counts where its score is at least the threshold with the best F1 on these very
questions, as the scorer reports it. Loads torch.
"""

from collections.abc import Sequence
from typing import Any, Final

from metrics import nq
from modeling.baselines.page_reader import answer_on_pages
from modeling.engines import page_reading, reference
from modeling.page_answers import answer_in_long, answer_with_box, answer_with_stretch
from modeling.training.examples import PageExample
from modeling.training.figures import Figures, take_figures
from modeling.training.page_recipes import LONG_F1, SHORT_F1
from modeling.training.recipe_kinds import Recipe
from modeling.weights import Weights

_FIGURES: Final = {LONG_F1: "long.f1", SHORT_F1: "short.f1"}


def score_page_reader(start: Weights, model: Any, examples: Sequence[PageExample]) -> Figures:
    """Return the figures of what a reader of pages in training answers."""
    asked = [(example.question, example.page) for example in examples]
    reader = reference.page_reader(start, model)
    return score_page_answers(examples, answer_on_pages(reader, asked))


def score_network(
    recipe: Recipe, start: Weights, model: Any, examples: Sequence[PageExample]
) -> Figures:
    """Return the figures of a network over words in training, that of its metric first (N22, N23).

    The Document Reader, which finds short answers, is given the long ones that people found.
    """
    engine: Any
    if recipe.role == "decatt":
        engine = page_reading.boxscorer(start, model)
        said = [answer_with_box(engine, each.question, each.page) for each in examples]
    elif recipe.role == "doc-reader":
        engine = page_reading.shortreader(start, model)
        said = [
            answer_in_long(engine, each.question, each.page, _find_long(each)) for each in examples
        ]
    else:
        engine = page_reading.stretchreader(start, model)
        said = [answer_with_stretch(engine, each.question, each.page) for each in examples]
    figures = score_page_answers(examples, said)
    return Figures({recipe.metric: figures.scored[recipe.metric], **figures.scored})


def _find_long(example: PageExample) -> nq.Prediction:
    """Return the first long answer with a short one, nothing where nobody found any."""
    found = (each.long for each in example.annotations if each.long and each.short)
    long = next(found, None)
    return nq.Prediction(long, (), "none", 0.0, 0.0) if long else nq.NOTHING


def score_page_answers(
    examples: Sequence[PageExample], predictions: Sequence[nq.Prediction]
) -> Figures:
    """Return F1 from 0 to 1, that of long answers first. predictions: in the order of examples."""
    evaluation = nq.score_predictions(
        {str(number): example.annotations for number, example in enumerate(examples)},
        {str(number): prediction for number, prediction in enumerate(predictions)},
    )
    return take_figures(evaluation, _FIGURES)
