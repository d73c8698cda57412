"""How well passages are chosen one after another (S53), as the baseline chooses them."""

from collections.abc import Sequence

from modeling.engines.base import FusionGenerator
from modeling.reranking import JPR_PASSAGES, choose_places
from modeling.training.examples import TextExample
from modeling.training.figures import Figures, take_mean
from modeling.training.oracle import find_covers, share_right
from modeling.training.recipes import Recipe


def score_choices(
    recipe: Recipe, engine: FusionGenerator, examples: Sequence[TextExample]
) -> Figures:
    """Return which share of the passages that are chosen first is right, mean over questions.

    As many count as there are passages with an answer, up to those that the baseline chooses.
    """
    shares = []
    for example in examples:
        places = [place - 1 for place in choose_places(engine, example.inputs, recipe.tokens_in)]
        shares.append(share_right(find_covers(example), places, JPR_PASSAGES))
    return take_mean(recipe.metric, shares)
