"""Windows of pages as tensors, for readers of pages. Loads torch.

As in the code that was released for BERT-joint: each window that holds all of the answer is read,
and a share of those that do not, which teach to answer nothing. Which of these, the seed decides.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from metrics import nq
from modeling.engines.pages import MOST_BOXES, STEP
from modeling.engines.reference import pad_rows
from modeling.engines.tokens import PageWindow, Tokens
from modeling.page_texts import PageBox, PageText, list_outermost
from modeling.training.examples import PageExample
from modeling.training.reasons import NO_WINDOW
from modeling.training.recipe_kinds import Recipe
from modeling.training.tensors import Batch, ExampleRow


@dataclass(frozen=True, slots=True)
class LearntWindow:
    """A window with the first and the last token of the answer, 0 and 0 where it holds none.

    id: that of the question.
    """

    id: str
    window: PageWindow
    first: int
    last: int


class PageBatches:
    """From rows of windows to tensors; `begins`, `ends`: (windows), the tokens of answers."""

    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def __call__(self, rows: Sequence[ExampleRow]) -> Batch:
        learnt: list[LearntWindow] = [row.example for row in rows]
        batch: Batch = pad_rows(self._tokens, [one.window for one in learnt])
        batch["begins"] = torch.tensor([one.first for one in learnt])
        batch["ends"] = torch.tensor([one.last for one in learnt])
        batch["items"] = torch.tensor(len(learnt))
        return batch


def cut_windows(
    tokens: Tokens, recipe: Recipe, examples: Sequence[PageExample], seed: int
) -> tuple[list[LearntWindow], Counter[str]]:
    """Return the windows that are learnt from, and how many pages have none of them."""
    kept: list[LearntWindow] = []
    left_out: Counter[str] = Counter()
    for example in examples:
        own = list(_keep_windows(tokens, recipe, example, seed))
        kept += own
        left_out[NO_WINDOW] += not own
    return kept, +left_out


def _keep_windows(
    tokens: Tokens, recipe: Recipe, example: PageExample, seed: int
) -> Iterator[LearntWindow]:
    boxes = list_outermost(example.page, MOST_BOXES)
    target = find_target(example, boxes)
    if not boxes or (target is None and any(each.long for each in example.annotations)):
        return  # an answer that no window can hold: to learn that there is none would be wrong
    words = example.page.words[: boxes[-1][1].stop]
    draws = random.Random(f"{seed} {example.id}")  # noqa: S311
    for window in tokens.encode_page(example.question, words, recipe.tokens_in, STEP):
        drawn = draws.random() < recipe.null_windows
        first, last = locate_words(window, target)
        if last or drawn:
            yield LearntWindow(example.id, window, first, last)


def find_target(example: PageExample, boxes: Sequence[tuple[PageBox, range]]) -> range | None:
    """Return the words that are learnt as the answer of a page, None where there are none.

    They are those from the first to the last short answer of the first annotation that has some,
    by where its long answer stands; else all of the first long answer that is one of the boxes.
    """
    found = [(each.long, each) for each in example.annotations if each.long]
    found.sort(key=lambda pair: (pair[0].start_token, pair[0].start_byte))
    for _, annotation in found:
        words = _join_short(example.page, annotation)
        if words and any(words[0] in own and words[-1] in own for _, own in boxes):
            return words
    for long, annotation in found:
        own = [words for box, words in boxes if nq.same_span(box.span, long)]
        if own and not annotation.short:
            return own[0]
    return None


def _join_short(page: PageText, annotation: nq.NqAnnotation) -> range | None:
    places = [page.find_words(span) for span in annotation.short]
    if not places or not all(places):
        return None
    return range(min(one.start for one in places), max(one.stop for one in places))


def locate_words(window: PageWindow, words: range | None) -> tuple[int, int]:
    """Return the first and the last token of words, 0 and 0 where a window does not hold all."""
    if words is None or words[0] not in window.words or words[-1] not in window.words:
        return 0, 0
    first = window.words.index(words[0])
    return first, len(window.words) - 1 - window.words[::-1].index(words[-1])
