"""Recipes of what answers on a question's own page, with letters as in `recipes`. Pure.

Sources: Kwiatkowski et al. 2019, sections 6.2 and 6.3 (P), and the code that was released with it
for decomposable attention and the Document Reader; Clark and Gardner 2018 and its code for
Document-QA; the code that Natural Questions' authors released for BERT-joint (C). The description
of the last prints a learning rate of 5e-3 and says to look between 1e-5 and 1e-4. Where those rates
stay the same, ours fall to nothing.
"""

from typing import Final

from modeling.training.recipe_kinds import (
    ADADELTA,
    ADAGRAD,
    READ_BOXES,
    READ_PAGE,
    Recipe,
)

LONG_F1: Final = "long F1"  # official, over long answers; that over short ones is shown beside it
SHORT_F1: Final = "short F1"
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
    Recipe(
        role="decatt",
        learns=READ_BOXES,
        tokens_in=1_000,
        learning_rate=0.01,
        optimiser=ADAGRAD,
        batch=4,
        epochs=30,
        metric=LONG_F1,
        hidden_size=400,
        layers=2,
        dropout=0.1,
        null_weight=0.3,
        sources="all C but patience O",
    ),
    Recipe(
        role="doc-reader",
        learns=READ_BOXES,
        tokens_in=1_024,
        learning_rate=1e-3,
        batch=32,
        epochs=30,
        metric=SHORT_F1,
        hidden_size=256,
        layers=5,
        dropout=0.5,
        sources="all C but batch O (C: 32,768 tokens), patience O",
    ),
    Recipe(
        role="document-qa",
        learns=READ_BOXES,
        tokens_in=400,
        learning_rate=1.0,
        optimiser=ADADELTA,
        batch=15,
        epochs=30,
        metric=SHORT_F1,
        hidden_size=140,
        dropout=0.2,
        negatives=1,
        sources="tokens_in C, learning_rate C, batch P, epochs P, patience O, negatives C",
    ),
)
