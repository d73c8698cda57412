"""Engines of Natural Questions' trained baselines: they read the boxes of a page (N22, N23)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from modeling.base import MissingModel
from modeling.engines.base import FoundWords
from modeling.engines.page_networks import rows
from modeling.engines.page_networks.decomposable_attention import DecomposableAttention
from modeling.engines.page_networks.doc_reader import DocReader
from modeling.engines.page_networks.document_qa import DocumentQA
from modeling.engines.page_networks.layers import WordModel
from modeling.engines.reference import Model
from modeling.engines.tokens import EncodedWords, settings_of
from modeling.weights import Weights

LONGEST: Final = 17  # words of a short answer of Document-QA

Floats = NDArray[np.float32]


class _PageNetwork(Model):
    """A network of these, with the tokenizer of its words. live: one that is in training."""

    def __init__(self, weights: Weights, kind: type[WordModel], live: Any = None) -> None:
        own = settings_of(weights.folder).get("model_type")
        if own != kind.config_class.model_type:
            raise MissingModel(
                f"The model {weights.name} has not been trained for “{weights.role}”. None is "
                "released: train it on a project's pages first (manage.py train, docs/models.md)."
            )
        super().__init__(weights, kind, live)
        self.tokens = int(self.model.config.tokens)

    def read_question(self, question: str) -> EncodedWords:
        """Return the tokens of a question."""
        return rows.read_questions(self.tokenizer, [question], self.tokens)[0]

    def run(self, tensors: rows.Tensors) -> Any:
        """Return what the network makes of tensors."""
        with torch.inference_mode():
            return self.model(**rows.move_tensors(tensors, self.device))


class _BoxScorer(_PageNetwork):
    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, DecomposableAttention, live)

    def score_boxes(self, question: str, boxes: Sequence[Sequence[str]]) -> list[float]:
        if not boxes:
            return []
        tensors = rows.build_box_tensors(
            [self.read_question(question)],
            [self.tokenizer.encode_words(boxes, self.tokens)],
            [range(len(boxes))],
            self.tokenizer.pad,
        )
        return [float(score) for score in self.run(tensors)]


class _ShortReader(_PageNetwork):
    """Its scores are logarithms of shares of all stretches of the text, 0 at most: sums of what the
    network gives, as in the code, cannot be compared between questions.
    """

    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, DocReader, live)

    def find_words(self, question: str, words: Sequence[str]) -> FoundWords | None:
        [text] = self.tokenizer.encode_words([words], self.tokens)
        if not text.ids:
            return None
        asked = [self.read_question(question)]
        scores = self.run(rows.build_text_tensors(asked, [text], self.tokenizer.pad))
        starts, ends = (side[0].float().log_softmax(0).cpu().numpy() for side in scores)
        return _find_best(0, text.places, starts, ends, len(words))


class _StretchReader(_PageNetwork):
    def __init__(self, weights: Weights, live: Any = None) -> None:
        super().__init__(weights, DocumentQA, live)

    def find_stretch(self, question: str, boxes: Sequence[Sequence[str]]) -> FoundWords | None:
        if not boxes:
            return None
        texts = self.tokenizer.encode_words(boxes, self.tokens)
        config = self.model.config
        starts, ends = self.run(
            rows.build_marked_tensors(
                [self.read_question(question)], [texts], config.pad_token_id, config.unk_token_id
            )
        )
        found = []
        for box, text in enumerate(texts):
            count = len(text)
            first, last = starts[box].cpu().numpy(), ends[box].cpu().numpy()
            found.append(FoundWords(box, None, float(first[0] + last[count + 1])))
            if count:
                inside = slice(1, count + 1)
                own = _find_best(box, text.places, first[inside], last[inside], LONGEST)
                found.append(own)
        return max(found, key=lambda one: one.score)


def _find_best(
    box: int, places: Sequence[int], starts: Floats, ends: Floats, longest: int
) -> FoundWords:
    """Return the first stretch of up to `longest` words with the highest sum of both scores."""
    words = np.array(places)
    scores = starts[:, None] + ends[None, :]
    fits = np.triu(words[None, :] - words[:, None] < longest)
    first, last = divmod(int(np.where(fits, scores, -np.inf).argmax()), len(places))
    return FoundWords(box, range(places[first], places[last] + 1), float(scores[first, last]))


boxscorer, shortreader, stretchreader = _BoxScorer, _ShortReader, _StretchReader
