"""From what a reader thinks of each token to the likeliest spans of all passages.

Source: Karpukhin et al. 2020, section 6.1, whose reader chooses a passage and a span in it. The
likelihood of a span is a share of all spans of up to ten tokens in all passages, so that one
threshold serves every question (Min et al. 2020, section 6.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from modeling.base import ArticlePassage
from modeling.engines.base import AnswerSpan
from modeling.engines.tokens import EncodedPassage

LONGEST: Final = 10  # tokens of a span

Numbers = NDArray[np.float64]


def choose_best_spans(
    passages: Sequence[ArticlePassage],
    pages: Sequence[EncodedPassage],
    starts: Sequence[NDArray[np.float32]],
    ends: Sequence[NDArray[np.float32]],
    relevance: Sequence[float] | None,
    top: int,
) -> list[AnswerSpan]:
    """Return up to `top` spans, the likeliest first, none of which lies within another.

    starts, ends: for each page, a number for each of its tokens; relevance: a number for each page,
    None for a reader that does not judge whole passages.
    """
    read = [number for number, page in enumerate(pages) if page.places]
    if not read:
        return []
    scores = [_scores(pages[number], starts[number], ends[number]) for number in read]
    if relevance is not None:
        judged = _shares(np.array([relevance[number] for number in read], dtype=np.float64))
        scores = [_shares(own) + share for own, share in zip(scores, judged, strict=True)]
    flat = _shares(np.concatenate([own.ravel() for own in scores]))
    first = np.cumsum([0, *(own.size for own in scores)])
    chosen: list[AnswerSpan] = []
    taken: list[tuple[int, int, int]] = []
    for place in np.argsort(-flat, kind="stable"):
        if len(chosen) == top or flat[place] == -np.inf:
            break
        which = int(np.searchsorted(first, place, side="right")) - 1
        start, length = divmod(int(place - first[which]), LONGEST)
        begin, end = _words(pages[read[which]], start, start + length)
        if any(which == other and _nested(begin, end, *span) for other, *span in taken):
            continue
        taken.append((which, begin, end))
        text = passages[read[which]].text
        spot = pages[read[which]].places
        answer = text[spot[begin][0] : spot[end][1]]
        chosen.append(AnswerSpan(answer, read[which], float(np.exp(flat[place]))))
    return chosen


def _scores(
    page: EncodedPassage, starts: NDArray[np.float32], ends: NDArray[np.float32]
) -> Numbers:
    """Return a number for each span: rows are first tokens, columns are lengths less one."""
    count = len(page.places)
    begin = starts[page.first : page.first + count].astype(np.float64)
    end = ends[page.first : page.first + count].astype(np.float64)
    padded = np.concatenate([end, np.full(LONGEST - 1, -np.inf)])
    scores: Numbers = begin[:, None] + np.lib.stride_tricks.sliding_window_view(padded, LONGEST)
    return scores


def _shares(scores: Numbers) -> Numbers:
    """Return the logarithms of the shares, which add up to 1."""
    high = scores.max()
    shares: Numbers = scores - (high + np.log(np.exp(scores - high).sum()))
    return shares


def _words(page: EncodedPassage, begin: int, end: int) -> tuple[int, int]:
    """Return the span extended to whole words."""
    words = [word for _, _, word in page.places]
    while begin > 0 and words[begin] is not None and words[begin - 1] == words[begin]:
        begin -= 1
    while end + 1 < len(words) and words[end] is not None and words[end + 1] == words[end]:
        end += 1
    return begin, end


def _nested(begin: int, end: int, other_begin: int, other_end: int) -> bool:
    inside = other_begin <= begin and end <= other_end
    return inside or (begin <= other_begin and other_end <= end)
