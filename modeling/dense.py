"""A snapshot searched by vectors: passages whose meaning is near that of the question."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from modeling.base import ArticlePassage, MissingModel
from modeling.vectors.store import question_weights, require_vectors, vectors_dir
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import IndexProblem
from wikipedia.search.stored import passages_at

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from modeling.vectors.nearest import NearestIndex


class DenseCorpus:
    """The passages of a snapshot by one encoder. Making it loads neither weights nor vectors.

    version: 16 hexadecimal digits that change with the passages, with the weights that read
    passages or questions, and with the kind of index.
    """

    def __init__(self, name: str, version: str, encoder: str) -> None:
        self.name, self._encoder = name, encoder
        self._weights = question_weights(encoder)
        self._info = info = require_vectors(name, encoder)
        facts = [version, encoder, self._weights.version, info.weights, info.kind]
        self.version = hashlib.blake2b(repr(facts).encode(), digest_size=8).hexdigest()

    def search(self, query: str, top: int) -> list[ArticlePassage]:
        """Return up to `top` passages, the one with the largest inner product first."""
        from modeling import engines  # loads the model

        vector = engines.load_encoder(self._weights).encode([query])[0]
        folder = vectors_dir(self.name, self._encoder) / self._info.folder
        try:
            opened = _opened(self._info.kind, folder)
            if opened.size != len(vector):
                raise MissingModel(
                    f"The encoder {self._encoder} gives a question {len(vector)} numbers, and the "
                    f"passages of “{self.name}” have {opened.size}. Use two that belong together."
                )
            numbers, scores = opened.search(vector, top)
            places = passages_at(index_dir(self.name), self._info.passages, numbers)
        except (IndexProblem, OSError, RuntimeError) as problem:  # made anew, or deleted
            raise MissingModel(f"The vectors of “{self.name}” cannot be read: {problem}") from None
        return [
            ArticlePassage(place.id, place.title, place.text, score, place.path)
            for place, score in zip(places, scores, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _OpenedVectors:
    nearest: NearestIndex
    places: NDArray[np.uint64]
    size: int

    def search(self, vector: NDArray[np.float32], top: int) -> tuple[list[int], list[float]]:
        """Return places of passages, and their scores."""
        pairs = self.nearest.search(vector, top)
        return [int(self.places[number]) for number, _ in pairs], [score for _, score in pairs]


@lru_cache(maxsize=2)  # a process answers for one snapshot, seldom for two
def _opened(kind: str, folder: Path) -> _OpenedVectors:
    import numpy as np

    from modeling.vectors.building import PLACES
    from modeling.vectors.nearest import NearestIndex

    nearest = NearestIndex(kind, folder)
    return _OpenedVectors(nearest, np.memmap(folder / PLACES, np.uint64, "r"), nearest.size)
