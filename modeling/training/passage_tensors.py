"""Batches of questions with passages as tensors: for readers, encoders and rerankers. Loads torch.

Each question has one of its positives, and some of its negatives, drawn anew in each epoch.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import torch

from metrics.retrieval import tokenise_and_join
from metrics.text import normalise_text, normalised_places
from modeling.base import ArticlePassage
from modeling.engines.reference import pad_rows
from modeling.engines.spans import LONGEST as LONGEST_SPAN
from modeling.engines.tokens import EncodedPassage, Pooling, Tokens
from modeling.training.examples import PassageExample
from modeling.training.recipes import Recipe
from modeling.training.tensors import Batch, ExampleRow

MOST_SPANS: Final = 10  # of a passage, as DPR's code has
NOT_IN_PASSAGES = "not_in_passages"


class SpanBatches:
    """From rows of passage examples to passages with the places of answers in some of them.

    Each question has one passage with an answer, which comes first, and some without. `counts`:
    (questions), how many passages each has; `inside`: (passages, tokens), which tokens are of a
    passage's text; `begins`, `ends`: (questions, spans) in its first passage, -1 for none.
    """

    def __init__(self, tokens: Tokens, recipe: Recipe, *, dpr: bool) -> None:
        self._tokens, self._recipe = tokens, recipe
        self._encode = tokens.dpr_pages if dpr else tokens.encode_passages

    def __call__(self, rows: Sequence[ExampleRow]) -> Batch:
        pages: list[EncodedPassage] = []
        counts, spans = [], []
        for example, draws in rows:
            chosen = [draws.choice(example.positives)]
            chosen += _some(example.negatives, self._recipe.negatives, draws)
            own = self._encode(example.question, chosen, self._recipe.tokens_in)
            spans.append(find_answer_spans(own[0], chosen[0].text, example.answers))
            counts.append(len(own))
            pages += own
        batch: Batch = pad_rows(self._tokens, pages)
        inside = torch.zeros_like(batch["input_ids"], dtype=torch.bool)
        for number, page in enumerate(pages):
            inside[number, page.first : page.first + len(page.places)] = True
        widest = max(map(len, spans))
        places = torch.full((2, len(rows), widest), -1)
        for number, own_spans in enumerate(spans):
            for spot, (begin, end) in enumerate(own_spans):
                places[0, number, spot], places[1, number, spot] = begin, end
        batch |= {"inside": inside, "counts": torch.tensor(counts)}
        return batch | {"begins": places[0], "ends": places[1], "items": torch.tensor(len(rows))}

    def keep_answered(
        self, examples: Sequence[PassageExample]
    ) -> tuple[list[PassageExample], Counter[str]]:
        """Return the examples with positives in which a span is read, and how many are left out.

        An answer can stand after what a model reads of a passage, or be longer than a span.
        """
        kept: list[PassageExample] = []
        left_out: Counter[str] = Counter()
        for example in examples:
            pages = self._encode(example.question, example.positives, self._recipe.tokens_in)
            usable = tuple(
                passage
                for passage, page in zip(example.positives, pages, strict=True)
                if find_answer_spans(page, passage.text, example.answers)
            )
            if usable:
                kept.append(replace(example, positives=usable))
            else:
                left_out[NOT_IN_PASSAGES] += 1
        return kept, left_out


def find_answer_spans(
    page: EncodedPassage, text: str, answers: Sequence[Sequence[str]]
) -> list[tuple[int, int]]:
    """Return the first and the last token of each place where a form of an answer stands.

    Places are of whole words, of up to ten tokens, and at most ten of them.
    """
    normal, origins = normalised_places(text)
    padded = f" {normal} "
    found: dict[tuple[int, int], None] = {}
    for form in dict.fromkeys(normalise_text(form) for forms in answers for form in forms):
        start = padded.find(f" {form} ") if form else -1
        while start >= 0:
            span = _token_span(page, origins[start], origins[start + len(form) - 1])
            if span and span[1] - span[0] < LONGEST_SPAN:
                found.setdefault(span)
            start = padded.find(f" {form} ", start + 1)
    return sorted(found)[:MOST_SPANS]


def _token_span(page: EncodedPassage, begin: int, end: int) -> tuple[int, int] | None:
    """Return the tokens that hold the characters from `begin` to `end`, None where it was cut."""
    own = [
        page.first + number
        for number, (first, after, _) in enumerate(page.places)
        if first <= end and after > begin
    ]
    whole = page.places and page.places[-1][1] > end
    return (own[0], own[-1]) if own and whole else None


def _some(
    passages: Sequence[ArticlePassage], count: int, draws: random.Random
) -> list[ArticlePassage]:
    return draws.sample(list(passages), min(count, len(passages)))


class EmbeddedBatches:
    """From rows of passage examples to questions and all passages that they are compared with.

    `targets`: (questions), the place of each one's passage; `masked`: (questions, passages), those
    that hold an accepted form of its answers too, and so are no passages without an answer.
    """

    def __init__(self, tokens: Tokens, recipe: Recipe, pooling: Pooling) -> None:
        self._tokens, self._recipe, self._pooling = tokens, recipe, pooling

    def __call__(self, rows: Sequence[ExampleRow]) -> Batch:
        positives = [row.draws.choice(row.example.positives) for row in rows]
        passages = list(positives)
        for row in rows:
            passages += _some(row.example.negatives, self._recipe.negatives, row.draws)
        masked = [
            [
                place != own and (passage.id == positives[own].id or holds_answer(passage, row))
                for place, passage in enumerate(passages)
            ]
            for own, row in enumerate(row.example for row in rows)
        ]
        read: Callable[..., Any] = self._pooling.encode_texts
        texts, titles = [one.text for one in passages], [one.title for one in passages]
        questions = read(self._tokens, [row.example.question for row in rows], None)
        return {
            "questions": pad_rows(self._tokens, questions),
            "passages": pad_rows(self._tokens, read(self._tokens, texts, titles)),
            "targets": torch.arange(len(rows)),
            "masked": torch.tensor(masked),
            "items": torch.tensor(len(rows)),
        }


def holds_answer(passage: ArticlePassage, example: PassageExample) -> bool:
    """Return whether an accepted form of an answer stands in the text of a passage."""
    text = f" {tokenise_and_join(passage.text)} "
    forms = (tokenise_and_join(form) for forms in example.answers for form in forms)
    return any(f" {form} " in text for form in forms if form)


class RankedBatches:
    """From rows of passage examples to pairs of a question and a passage; `labels`: (pairs)."""

    def __init__(self, tokens: Tokens, recipe: Recipe) -> None:
        self._tokens, self._recipe = tokens, recipe

    def __call__(self, rows: Sequence[ExampleRow]) -> Batch:
        pairs: list[tuple[str, ArticlePassage, float]] = []
        for example, draws in rows:
            pairs.append((example.question, draws.choice(example.positives), 1.0))
            others = _some(example.negatives, self._recipe.negatives, draws)
            pairs += [(example.question, other, 0.0) for other in others]
        questions = [question for question, _, _ in pairs]
        texts = [f"{passage.title} {passage.text}" for _, passage, _ in pairs]
        encoded = self._tokens.encode(questions, self._recipe.tokens_in, texts)
        batch: Batch = pad_rows(self._tokens, encoded)
        batch["labels"] = torch.tensor([label for _, _, label in pairs])
        return batch | {"items": torch.tensor(len(pairs))}
