"""Batches of pages for Natural Questions' trained baselines (N22, N23). Loads torch.

What is accepted is that of the first annotation that can be used, as the code released with the
paper has it: a question to learn from has one there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import torch

from metrics.nq import NqAnnotation, same_span
from modeling.engines.page_networks import rows
from modeling.engines.page_reading import LONGEST
from modeling.engines.tokens import EncodedWords, Tokens
from modeling.page_answers import (
    MOST_SCORED,
    MOST_STRETCHED,
    choose_closest,
    keep_boxes,
    take_words,
)
from modeling.page_texts import PageBox, PageText, list_outermost
from modeling.training.examples import PageExample
from modeling.training.reasons import NO_ANSWER, NO_PAGE
from modeling.training.recipe_kinds import Recipe
from modeling.training.tensors import Batch, ExampleRow

NO_ANSWER_LABEL: Final = 0


class Aim(NamedTuple):
    """What is to be found: the words that are read, and the tokens of the answer among them.

    first, last: tokens of the short answer; -1 where the whole box is the answer.
    """

    words: range
    first: int
    last: int


class BoxBatches:
    """From rows to questions with all boxes that are scored, for decomposable attention.

    `labels`: (questions), the place of the right box from 1 on, 0 for no answer; `weights`: of
    each question, less for those without an answer.
    """

    def __init__(self, tokens: Tokens, recipe: Recipe) -> None:
        self._tokens, self._recipe = tokens, recipe

    def keep(self, examples: Sequence[PageExample]) -> tuple[list[PageExample], Counter[str]]:
        """Return the examples with a box that has words, and how many are left out."""
        return _keep(examples, lambda each: NO_PAGE if not list_outermost(each.page, 1) else each)

    def __call__(self, batch: Sequence[ExampleRow]) -> Batch:
        read, labels = [], []
        for example, _ in batch:
            boxes = list_outermost(example.page, MOST_SCORED)
            read.append(_encode(self._tokens, example.page, boxes, self._recipe))
            labels.append(_label([box for box, _ in boxes], example.annotations))
        weights = [1.0 if label else self._recipe.null_weight for label in labels]
        made: Batch = rows.build_box_tensors(
            _questions(self._tokens, batch, self._recipe),
            read,
            [range(len(own)) for own in read],
            self._tokens.pad,
        )
        return made | {
            "labels": torch.tensor(labels),
            "weights": torch.tensor(weights),
            "items": torch.tensor(len(batch)),
        }


class TextBatches:
    """From rows to questions with their long answers, for the Document Reader.

    `firsts`, `lasts`: (questions), the first and the last token of the short answer.
    """

    def __init__(self, tokens: Tokens, recipe: Recipe) -> None:
        self._tokens, self._recipe = tokens, recipe

    def keep(self, examples: Sequence[PageExample]) -> tuple[list[PageExample], Counter[str]]:
        """Return the examples with a short answer in what is read, and how many are left out."""
        return _keep(examples, lambda each: each if self._find(each) else NO_ANSWER)

    def __call__(self, batch: Sequence[ExampleRow]) -> Batch:
        aims = [self._find(row.example) for row in batch]
        found = [aim for aim in aims if aim is not None]
        words = [
            take_words(row.example.page, aim.words) for row, aim in zip(batch, found, strict=True)
        ]
        made: Batch = rows.build_text_tensors(
            _questions(self._tokens, batch, self._recipe),
            self._tokens.encode_words(words, self._recipe.tokens_in),
            self._tokens.pad,
        )
        return made | _ends(found) | {"items": torch.tensor(len(batch))}

    def _find(self, example: PageExample) -> Aim | None:
        for annotation in example.annotations:
            if annotation.long and annotation.short:
                words = example.page.find_words(annotation.long)
                aim = _aim(self._tokens, example.page, words, annotation, self._recipe, len(words))
                if aim and aim.first >= 0:
                    return aim
        return None


class StretchBatches:
    """From rows to questions with the right box and some others, for Document-QA.

    The right box is the first of each question; `firsts`, `lasts`: (questions), the first and the
    last token of the answer in it, those of the marks for a box as a whole.
    """

    def __init__(self, tokens: Tokens, recipe: Recipe, unknown: int) -> None:
        self._tokens, self._recipe, self._unknown = tokens, recipe, unknown

    def keep(self, examples: Sequence[PageExample]) -> tuple[list[PageExample], Counter[str]]:
        """Return the examples with an answer, their pages with the boxes that can be drawn.

        Those are the right box, then the other ones that are closest to the question.
        """
        return _keep(examples, self._choose)

    def __call__(self, batch: Sequence[ExampleRow]) -> Batch:
        read, aims = [], []
        for example, draws in batch:
            right, *others = list_outermost(example.page, MOST_STRETCHED)
            others = draws.sample(others, min(self._recipe.negatives, len(others)))
            read.append(_encode(self._tokens, example.page, [right, *others], self._recipe))
            aim = self._find(example, right[1], right[0])
            assert aim is not None  # `keep` left the others out
            whole = Aim(right[1], 0, len(read[-1][0]) + 1)
            aims.append(whole if aim.first < 0 else Aim(aim.words, aim.first + 1, aim.last + 1))
        made: Batch = rows.build_marked_tensors(
            _questions(self._tokens, batch, self._recipe), read, self._tokens.pad, self._unknown
        )
        return made | _ends(aims) | {"items": torch.tensor(len(batch))}

    def _choose(self, example: PageExample) -> PageExample | str:
        for box, words in list_outermost(example.page, len(example.page.boxes)):
            if self._find(example, words, box):
                near = choose_closest(example.question, example.page, MOST_STRETCHED)
                others = [other for other in near.boxes if other != box]
                chosen = [box, *others][:MOST_STRETCHED]
                return replace(example, page=keep_boxes(example.page, chosen))
        return NO_ANSWER

    def _find(self, example: PageExample, words: range, box: PageBox) -> Aim | None:
        """Return the shortest answer of those who answer with this box, None without any."""
        own = [
            _aim(self._tokens, example.page, words, each, self._recipe, LONGEST)
            for each in example.annotations
            if each.long and same_span(box.span, each.long)
        ]
        aims = [aim for aim in own if aim is not None]
        return min(aims, key=lambda aim: (aim.first < 0, aim.last - aim.first), default=None)


def _keep(
    examples: Sequence[PageExample], choose: Callable[[PageExample], PageExample | str]
) -> tuple[list[PageExample], Counter[str]]:
    kept: list[PageExample] = []
    left_out: Counter[str] = Counter()
    for example in examples:
        chosen = choose(example)
        if isinstance(chosen, str):
            left_out[chosen] += 1
        else:
            kept.append(chosen)
    return kept, left_out


def _label(boxes: Sequence[PageBox], annotations: Sequence[NqAnnotation]) -> int:
    """Return the place of the box of the first annotation, 0 where it is none of these."""
    long = annotations[0].long
    for place, box in enumerate(boxes, 1):
        if long and same_span(box.span, long):
            return place
    return NO_ANSWER_LABEL


def _aim(
    tokens: Tokens,
    page: PageText,
    words: range,
    annotation: NqAnnotation,
    recipe: Recipe,
    longest: int,
) -> Aim | None:
    """Return the shortest short answer among words, the whole where there is none.

    None where the short answers are not among the tokens that are read.
    """
    if not annotation.short:
        return Aim(words, -1, -1)
    [row] = tokens.encode_words([take_words(page, words)], recipe.tokens_in)
    found = []
    for span in annotation.short:
        inside = page.find_words(span)
        own = [number for number, place in enumerate(row.places) if words.start + place in inside]
        whole = own and inside[-1] - words.start <= row.places[-1]
        if whole and len(inside) <= longest:
            found.append(Aim(words, own[0], own[-1]))
    return min(found, key=lambda aim: aim.last - aim.first, default=None)


def _encode(
    tokens: Tokens, page: PageText, boxes: Sequence[tuple[PageBox, range]], recipe: Recipe
) -> list[EncodedWords]:
    return tokens.encode_words([take_words(page, words) for _, words in boxes], recipe.tokens_in)


def _questions(tokens: Tokens, batch: Sequence[ExampleRow], recipe: Recipe) -> list[EncodedWords]:
    questions = [row.example.question for row in batch]
    return rows.read_questions(tokens, questions, recipe.tokens_in)


def _ends(aims: Sequence[Aim]) -> dict[str, Any]:
    return {
        "firsts": torch.tensor([aim.first for aim in aims]),
        "lasts": torch.tensor([aim.last for aim in aims]),
    }
