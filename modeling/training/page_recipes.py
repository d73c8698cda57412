"""Recipes of what answers on a question's own page, with letters as in `recipes`. Pure.

Source: the code that Natural Questions' authors released for BERT-joint (C). Its description
prints a learning rate of 5e-3 and says to look between 1e-5 and 1e-4.
"""

from typing import Final

from modeling.training.recipe_kinds import READ_PAGE, Recipe

LONG_F1: Final = "long F1"  # official, over long answers; that over short ones is shown beside it
PAGE_RECIPES: Final = (
    Recipe(
        role="nq-reader",
        learns=READ_PAGE,
        tokens_in=512,
        learning_rate=3e-5,
        batch=32,
        epochs=1,
        warm_up=0.1,
        metric=LONG_F1,
        null_windows=0.02,
        sources="tokens_in C, learning_rate O, batch C, epochs C, warm_up C, null_windows C",
    ),
)
