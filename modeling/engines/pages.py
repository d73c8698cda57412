"""A page in windows, and the best stretch of it: what engines of readers of pages share.

Source: the code that Natural Questions' authors released for BERT-joint (Alberti et al. 2019):
windows of 512 tokens, the question included, begin 128 tokens apart; a short answer has 30 tokens
at most; a stretch is worth what its first token gets as a start and its last one as an end, less
what the first mark gets as both.

Ours: a stretch lies in one box; every stretch is looked at, not only those of the best starts
and ends; and a whole box, however long, is a stretch too, since that is how a long answer without a
short one is learnt. Loads no torch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from modeling.engines.base import AskedPage, PageAnswer
from modeling.engines.tokens import LONGEST, PageWindow, Tokens

STEP: Final = 128  # tokens from one window to the next
LONGEST_SHORT: Final = 30  # tokens of a short answer
MOST_BOXES: Final = 48  # of a page that are read

Number = TypeVar("Number", np.float64, np.int64)
Floats = NDArray[np.float32]
Logits = tuple[Floats, Floats]  # of one window: each token as a start, and as an end
Read = Callable[[Sequence[PageWindow]], Sequence[Logits]]
# A stretch of a window: its score, its words, and its box.
Stretch = tuple[float, range, int]


def read_pages(tokens: Tokens, asked: Sequence[AskedPage], read: Read) -> list[PageAnswer | None]:
    """Return the best stretch of each page, from what a model thinks of all windows."""
    windows = [tokens.encode_page(one.question, one.words, LONGEST, STEP) for one in asked]
    logits = iter(read([window for own in windows for window in own]))
    return [
        choose_stretch(own, [next(logits) for _ in own], one.boxes)
        for one, own in zip(asked, windows, strict=True)
    ]


def choose_stretch(
    windows: Sequence[PageWindow], logits: Sequence[Logits], boxes: Sequence[range]
) -> PageAnswer | None:
    """Return the best stretch over all windows, the first of equal ones; None where there is none.

    Of a whole box and a part of it that are worth as much, the box is taken.
    """
    best: Stretch | None = None
    for window, (starts, ends) in zip(windows, logits, strict=True):
        nothing = float(starts[0]) + float(ends[0])
        for score, words, box in _list_stretches(window, starts, ends, boxes):
            if best is None or score - nothing > best[0]:
                best = score - nothing, words, box
    if best is None:
        return None
    score, words, box = best
    return PageAnswer(words, box, words == boxes[box], score)


def _list_stretches(
    window: PageWindow, starts: Floats, ends: Floats, boxes: Sequence[range]
) -> Iterator[Stretch]:
    """Give the whole boxes of a window, and the best of all other stretches."""
    own = [place for place, word in enumerate(window.words) if word is not None]
    if not own:
        return
    words = [word for word in window.words if word is not None]
    lasts = {word: place for place, word in enumerate(words)}
    firsts = {word: len(words) - 1 - place for place, word in enumerate(reversed(words))}
    begin = starts[own].astype(np.float64)
    end = ends[own].astype(np.float64)
    for number, box in enumerate(boxes):
        if box[0] in firsts and box[-1] in lasts:
            yield float(begin[firsts[box[0]]] + end[lasts[box[-1]]]), box, number
    inside = np.array(_number_boxes(words, boxes), dtype=np.int64)
    scores = begin[:, None] + _following(end, -np.inf)
    scores[(inside[:, None] != _following(inside, -1)) | (inside[:, None] < 0)] = -np.inf
    first, length = divmod(int(scores.argmax()), LONGEST_SHORT)
    if scores[first, length] > -np.inf:
        stretch = range(words[first], words[first + length] + 1)
        yield float(scores[first, length]), stretch, int(inside[first])


def _number_boxes(words: Sequence[int], boxes: Sequence[range]) -> list[int]:
    """Return the number of the box of each word, -1 for none. Words and boxes are in order."""
    numbers, box = [], 0
    for word in words:
        while box < len(boxes) and boxes[box].stop <= word:
            box += 1
        numbers.append(box if box < len(boxes) and word in boxes[box] else -1)
    return numbers


def _following(values: NDArray[Number], beyond: float) -> NDArray[Number]:
    """Return for each value the next ones from itself on, as many as a short answer has tokens."""
    padded = np.concatenate([values, np.full(LONGEST_SHORT - 1, beyond, dtype=values.dtype)])
    return np.lib.stride_tricks.sliding_window_view(padded, LONGEST_SHORT)
