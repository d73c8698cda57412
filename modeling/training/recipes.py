"""How each part of a baseline is trained: one recipe for each role, as its paper says. Pure.

Numbers are of the paper (P), of the code that its authors released (C), or our choice (O);
docs/models.md shows them with these letters. Sources: AmbigQA, section 5 and appendix D; ASQA,
appendix B; QAMPARI, section 4 and appendix D; Dense Passage Retrieval (Karpukhin et al. 2020).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from modeling import inputs
from modeling.base import BadOption

# What is learnt: to write a text; to write one from several texts that are read together; which of
# two classes a question is of; where in passages answers are; vectors of questions and passages;
# how well a passage fits a question.
WRITE, FUSE, CLASSIFY, FIND_SPANS, EMBED, RANK = (
    "write",
    "fuse",
    "classify",
    "find spans",
    "embed",
    "rank",
)
# Files of examples that other programs read; the first that a recipe has is its own.
SEQ2SEQ, FID, CHAT, DPR, TRIPLETS = "seq2seq", "fid", "chat", "dpr", "triplets"
_LAYOUTS: Final = {
    WRITE: (SEQ2SEQ, CHAT),
    FUSE: (FID, SEQ2SEQ, CHAT),
    CLASSIFY: (SEQ2SEQ, CHAT),
    FIND_SPANS: (DPR,),
    EMBED: (DPR, TRIPLETS),
    RANK: (TRIPLETS, DPR),
}
LAYOUTS: Final = (SEQ2SEQ, FID, DPR, TRIPLETS, CHAT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How weights for one role are trained.

    learns: WRITE and so on. tokens_in, tokens_out: what the baseline reads of each input, and may
    write. learning_rate decays linearly after warm_up, a share of the steps, or a number of them
    from 1 on. batch: examples before each step. epochs: how often all examples are read; patience:
    how many looks at dev without gain end it sooner, 0 for none. metric: by which a checkpoint is
    chosen. negatives: passages without an answer beside each with one. adapters: the rank of those
    that are learnt in place of the model, 0 for none. without: what question disambiguation does
    not read, "" for nothing (A96). sources: by field, P, C, O.
    """

    role: str
    learns: str
    tokens_in: int
    tokens_out: int = 0
    learning_rate: float
    batch: int
    epochs: int
    patience: int = 5
    warm_up: float = 0.0
    metric: str
    negatives: int = 0
    adapters: int = 0
    without: str = ""
    sources: str = ""

    @property
    def layouts(self) -> tuple[str, ...]:
        """The files of examples that fit what is learnt, its own one first."""
        return _LAYOUTS[self.learns]


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
