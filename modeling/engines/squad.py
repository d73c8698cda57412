"""A reader of SQuAD 2.0, by transformers: an answer is a span of the text, or there is none.

As ASQA's scorer runs it (S36): a long text is read in windows of 384 tokens, the question
included, which share 128 tokens; of the 20 best starts and ends of each window the best span of at
most 30 tokens is the answer, unless saying nothing is likelier (null threshold 0).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import transformers
from numpy.typing import NDArray

from modeling.engines.reference import Model
from modeling.engines.tokens import EncodedText
from modeling.weights import Weights

TOKENS: Final = 384
STRIDE: Final = 128
LONGEST: Final = 30  # tokens of an answer
BEST: Final = 20  # starts, and ends, that are looked at in a window

Floats = NDArray[np.float32]


class Window(NamedTuple):
    """Part of a text as it is read. places: first and last character of each of its tokens, None
    for tokens of the question and marks.
    """

    row: EncodedText
    places: Sequence[tuple[int, int] | None]


class _Answerer(Model):
    def __init__(self, weights: Weights) -> None:
        super().__init__(weights, transformers.AutoModelForQuestionAnswering)

    def read_answers(self, asked: Sequence[tuple[str, str]]) -> list[str]:
        read = [place for place, (_, text) in enumerate(asked) if text.strip()]
        windows = [self._windows(*asked[place]) for place in read]
        logits = iter(
            self.run_batches([part.row for each in windows for part in each], self._logits)
        )
        answers = [""] * len(asked)
        for place, parts in zip(read, windows, strict=True):
            answers[place] = choose_best_span(asked[place][1], parts, [next(logits) for _ in parts])
        return answers

    def _windows(self, question: str, text: str) -> list[Window]:
        rows = self.tokenizer.encode_windows(question.strip(), text, TOKENS, STRIDE)
        return [Window(row, places) for row, places in rows]

    def _logits(self, tensors: dict[str, Any]) -> list[tuple[Floats, Floats]]:
        out = self.model(**tensors)
        starts, ends = out.start_logits.cpu().numpy(), out.end_logits.cpu().numpy()
        return list(zip(starts, ends, strict=True))


def choose_best_span(
    text: str, windows: Sequence[Window], logits: Sequence[tuple[Floats, Floats]]
) -> str:
    """Return the best span of a text over all of its windows, "" where saying nothing is likelier.

    Saying nothing is worth what the first token, the mark before the question, gets as start and
    end, in the window where that is least.
    """
    nothing, score, answer = float("inf"), float("-inf"), ""
    for (_, places), (starts, ends) in zip(windows, logits, strict=True):
        nothing = min(nothing, float(starts[0] + ends[0]))
        for start in _highest(starts, len(places)):
            for end in _highest(ends, len(places)):
                first, last = places[start], places[end]
                if first is None or last is None or not start <= end < start + LONGEST:
                    continue
                if (value := float(starts[start] + ends[end])) > score:
                    score, answer = value, text[first[0] : last[1]]
    return answer if score >= nothing else ""


def _highest(logits: Floats, count: int) -> list[int]:
    return [int(place) for place in np.argsort(-logits[:count], kind="stable")[:BEST]]


answerer = _Answerer
