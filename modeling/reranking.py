"""Passages in a better order: by vectors, by a cross-encoder, or by JPR for several answers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Protocol

from modeling.base import ArticlePassage, Corpus
from modeling.inputs import JPR_TOKENS, jpr_inputs
from modeling.outputs import parse_jpr_places
from modeling.vectors.store import DPR
from modeling.weights import get_weights

if TYPE_CHECKING:
    from modeling.engines.base import Allowed, FusionGenerator

JPR_PASSAGES: Final = 10  # chosen by JPR; the others follow as they were found


class Order(Protocol):
    """A way to order the passages of a question. `version` changes when the order may."""

    @property
    def version(self) -> str: ...

    def rank_passages(
        self, question: str, passages: Sequence[ArticlePassage]
    ) -> list[ArticlePassage]: ...


class RerankedCorpus:
    """A corpus whose first `candidates` passages are put into another order."""

    def __init__(self, corpus: Corpus, order: Order, candidates: int) -> None:
        self.name = corpus.name
        self._corpus, self._order, self._candidates = corpus, order, candidates
        facts = [corpus.version, order.version, candidates]
        self.version = hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()

    def search(self, query: str, top: int) -> list[ArticlePassage]:
        """Return up to `top` passages, best first."""
        passages = self._corpus.search(query, max(top, self._candidates))
        head, tail = passages[: self._candidates], passages[self._candidates :]
        if len(head) > 1:
            head = self._order.rank_passages(query, head)
        return [*head, *tail][:top]


class NearVectors:
    """By the vectors of the question and of each passage, which is read when it is found.

    So there is nothing to be made of a corpus before. encoder: as in `modeling.vectors.store`.
    """

    def __init__(self, encoder: str) -> None:
        name = "" if encoder == DPR else encoder
        self._question = get_weights("question-encoder", name)
        self._passage = get_weights("passage-encoder", name)
        self.version = f"vectors {self._question.version} {self._passage.version}"

    def rank_passages(
        self, question: str, passages: Sequence[ArticlePassage]
    ) -> list[ArticlePassage]:
        """Return the passages, the one with the largest product first; equal ones as they were."""
        from modeling import engines  # loads the model

        (asked,) = engines.load_encoder(self._question).encode([question])
        read = engines.load_encoder(self._passage).encode(
            [passage.text for passage in passages], [passage.title for passage in passages]
        )
        return _by_score(passages, (read @ asked).tolist())


class CrossEncoder:
    """By a model that reads the question together with one passage (A88)."""

    def __init__(self) -> None:
        self._weights = get_weights("reranker")
        self.version = f"cross-encoder {self._weights.version}"

    def rank_passages(
        self, question: str, passages: Sequence[ArticlePassage]
    ) -> list[ArticlePassage]:
        """Return the passages, the one with the largest score first; equal ones as they were."""
        from modeling import engines  # loads the model

        scores = engines.load_scorer(self._weights).score_passages(question, passages)
        return _by_score(passages, scores)


def _by_score(passages: Sequence[ArticlePassage], scores: Sequence[float]) -> list[ArticlePassage]:
    scored = [replace(p, score=score) for p, score in zip(passages, scores, strict=True)]
    return sorted(scored, key=lambda passage: -passage.score)


class Jpr:
    """By a model that reads all passages and writes which to read, one after another (S53).

    It writes each place given those before it, so that the passages can hold different answers
    instead of the same one. What it may write is bounded to places, each once; it takes the best
    next token (the authors' search through trees is not part of it). Passages that it did not
    choose follow as they were found. A score is 1 for the first, 1/2 for the second, and so on.
    """

    def __init__(self) -> None:
        self._weights = get_weights("jpr")
        self.version = f"jpr {self._weights.version} {JPR_PASSAGES}"

    def rank_passages(
        self, question: str, passages: Sequence[ArticlePassage]
    ) -> list[ArticlePassage]:
        """Return the passages in the order that the model writes."""
        from modeling import engines  # loads the model

        engine, count = engines.load_fused_generator(self._weights), len(passages)
        chosen = choose_places(engine, jpr_inputs(question, passages))
        order = [place - 1 for place in chosen]
        order += [place for place in range(count) if place not in order]
        return [replace(passages[place], score=1 / n) for n, place in enumerate(order, 1)]


def choose_places(
    engine: FusionGenerator, texts: Sequence[str], tokens_in: int = JPR_TOKENS
) -> tuple[int, ...]:
    """Return the places, from 1, that the model writes for texts, one of each passage."""
    from modeling.engines.base import Limits

    count = len(texts)
    names = [engine.plain_tokens(str(place)) for place in range(1, count + 1)]
    wanted = min(JPR_PASSAGES, count)
    limits = Limits(tokens_in, wanted * max(map(len, names)) + 1)
    allowed = distinct_names(names, wanted, engine.end)
    (written,) = engine.generate([texts], limits, allowed)
    return parse_jpr_places(written.text, count)


def distinct_names(names: Sequence[Sequence[int]], wanted: int, end: int) -> Allowed:
    """Return what may be written so that it is `wanted` different names and then the end.

    The name of one may begin with the name of another ("1" and "12").
    """

    def allowed(tokens: Sequence[int]) -> list[int]:
        used, begun = _read(names, tokens[1:])  # the first one is the start token
        free = [name for place, name in enumerate(names) if place not in used]
        after = {name[len(begun)] for name in free if _longer(name, begun)} if begun else set()
        if not begun or begun in [list(name) for name in free]:
            done = len(used) + bool(begun)
            starts = {name[0] for name in free if list(name) != begun}
            after |= starts if done < wanted else {end}
        return sorted(after) or [end]

    return allowed


def _read(names: Sequence[Sequence[int]], tokens: Sequence[int]) -> tuple[set[int], list[int]]:
    """Return the places of the names that are finished, and the tokens of the last one."""
    used: set[int] = set()
    begun: list[int] = []
    for token in tokens:
        longer = [*begun, token]
        if begun and not any(list(name[: len(longer)]) == longer for name in names):
            used |= {place for place, name in enumerate(names) if list(name) == begun}
            longer = [token]
        begun = longer
    return used, begun


def _longer(name: Sequence[int], begun: Sequence[int]) -> bool:
    return len(name) > len(begun) and list(name[: len(begun)]) == list(begun)
