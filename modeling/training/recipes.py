"""How each part of a baseline is trained: one recipe for each role, as its paper says. Pure.

Numbers are of the paper (P), of the code that its authors released (C), or our choice (O);
docs/models.md shows them with these letters. Sources: AmbigQA, section 5 and appendix D; ASQA,
appendix B; QAMPARI, section 4 and appendix D; Dense Passage Retrieval (Karpukhin et al. 2020).
"""

from collections.abc import Mapping
from typing import Final

from modeling import inputs
from modeling.base import BadOption
from modeling.training.page_recipes import PAGE_RECIPES
from modeling.training.recipe_kinds import (
    CHAT,
    CLASSIFY,
    DPR,
    EMBED,
    FID,
    FIND_SPANS,
    FUSE,
    LAYOUTS,
    ON_PAGES,
    PAGES,
    RANK,
    READ_PAGE,
    SEQ2SEQ,
    TRIPLETS,
    WRITE,
    Recipe,
)

__all__ = [
    "CHAT",
    "CLASSIFY",
    "DPR",
    "EMBED",
    "FID",
    "FIND_SPANS",
    "FUSE",
    "LAYOUTS",
    "ON_PAGES",
    "PAGES",
    "RANK",
    "READ_PAGE",
    "RECIPES",
    "SEARCHING_ROLES",
    "SEQ2SEQ",
    "TRIPLETS",
    "WRITE",
    "Recipe",
    "find_recipe",
]

RECIPES: Final[Mapping[str, Recipe]] = {
    recipe.role: recipe
    for recipe in (
        Recipe(
            role="span-seq-gen",
            learns=WRITE,
            tokens_in=inputs.BART_TOKENS,
            tokens_out=100,
            learning_rate=5e-6,
            batch=24,
            epochs=15,
            patience=10,
            metric="F1-answer",
            sources="tokens_in P, tokens_out O, learning_rate P, batch C, epochs P, patience C",
        ),
        Recipe(
            role="qd",
            learns=WRITE,
            tokens_in=inputs.BART_TOKENS,
            tokens_out=64,
            learning_rate=5e-6,
            batch=24,
            epochs=15,
            metric="F1-EDIT",
            sources="tokens_in P, tokens_out O, learning_rate P, batch O, epochs P, patience O",
        ),
        Recipe(
            role="disambig-first",
            learns=WRITE,
            tokens_in=inputs.BART_TOKENS,
            tokens_out=200,
            learning_rate=5e-6,
            batch=24,
            epochs=15,
            metric="exact match",
            sources="tokens_in P, tokens_out O, learning_rate P, batch O, epochs P, patience O",
        ),
        Recipe(
            role="ambiguity",
            learns=CLASSIFY,
            tokens_in=512,
            learning_rate=2e-5,
            batch=32,
            epochs=4,
            warm_up=0.1,
            metric="right classes",
            sources="all O but the model (P)",
        ),
        Recipe(
            role="reader",
            learns=FIND_SPANS,
            tokens_in=256,
            learning_rate=5e-6,
            batch=8,
            epochs=15,
            patience=10,
            metric="F1-answer",
            negatives=23,
            sources="tokens_in P, learning_rate C, batch C, epochs O, patience C, negatives O",
        ),
        Recipe(
            role="t5-closed",
            learns=WRITE,
            tokens_in=inputs.T5_CLOSED_TOKENS,
            tokens_out=256,
            learning_rate=1e-4,
            batch=16,
            epochs=15,
            warm_up=0.05,
            metric="ROUGE-L",
            sources="tokens_in P, tokens_out O, learning_rate O, batch P, epochs O, patience O",
        ),
        Recipe(
            role="t5-open",
            learns=WRITE,
            tokens_in=inputs.T5_OPEN_TOKENS[5],
            tokens_out=256,
            learning_rate=1e-4,
            batch=8,
            epochs=15,
            warm_up=0.05,
            metric="ROUGE-L",
            sources="tokens_in P, tokens_out O, learning_rate O, batch P, epochs O, patience O",
        ),
        Recipe(
            role="oracle",
            learns=WRITE,
            tokens_in=inputs.T5_OPEN_TOKENS[5],
            tokens_out=256,
            learning_rate=1e-4,
            batch=8,
            epochs=15,
            warm_up=0.05,
            metric="ROUGE-L",
            sources="tokens_in O, tokens_out O, learning_rate O, batch P, epochs O, patience O",
        ),
        Recipe(
            role="fid",
            learns=FUSE,
            tokens_in=250,
            tokens_out=512,
            learning_rate=5e-5,
            batch=8,
            epochs=15,
            warm_up=1_000,
            metric="F1",
            sources="tokens_in P, tokens_out O, learning_rate P, batch P, epochs O, warm_up C",
        ),
        Recipe(
            role="pig",
            learns=WRITE,
            tokens_in=250,
            tokens_out=32,
            learning_rate=1e-6,
            batch=32,
            epochs=15,
            warm_up=0.05,
            metric="exact match",
            negatives=1,
            sources="tokens_in O, tokens_out O, learning_rate P, batch P, epochs O, negatives P",
        ),
        Recipe(
            role="jpr",
            learns=FUSE,
            tokens_in=inputs.JPR_TOKENS,
            tokens_out=64,
            learning_rate=5e-5,
            batch=8,
            epochs=15,
            metric="right choices",
            sources="all O",
        ),
        Recipe(
            role="encoder",
            learns=EMBED,
            tokens_in=256,
            learning_rate=2e-5,
            batch=32,
            epochs=40,
            patience=3,
            warm_up=0.1,
            metric="recall@10",
            negatives=1,
            sources="tokens_in P, learning_rate C, batch O (C: 128), epochs C, negatives P",
        ),
        Recipe(
            role="reranker",
            learns=RANK,
            tokens_in=512,
            learning_rate=2e-5,
            batch=32,
            epochs=2,
            metric="recall@5",
            negatives=4,
            sources="all O",
        ),
        *PAGE_RECIPES,
    )
}
# Roles of systems that are not in a baseline's class: what searches passages for it.
SEARCHING_ROLES: Final[Mapping[str, tuple[str, ...]]] = {
    "dense": ("encoder", "reranker"),
    "bm25": ("reranker",),
    "jpr": ("jpr",),
}


def find_recipe(system: str, roles: tuple[str, ...], role: str = "") -> Recipe:
    """Return the recipe for a system's role, its first that can be trained where none is named.

    roles: those of the system's weights. Raises BadOption, naming what there is.
    """
    known = [one for one in (*roles, *SEARCHING_ROLES.get(system, ())) if one in RECIPES]
    if not known:
        raise BadOption(f"“{system[:40]}” has no weights that can be trained.")
    if role and role not in known:
        raise BadOption(f"“{system}” has no part “{role[:40]}”. Choose one of {', '.join(known)}.")
    return RECIPES[role or known[0]]
