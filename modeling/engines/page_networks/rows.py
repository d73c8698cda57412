"""From words to what the networks read of them. Loads torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import torch

from modeling.engines.tokens import EncodedWords, Tokens

_LETTERS: Final = 16  # bytes that are read of a word

Tensors = dict[str, torch.Tensor]


def pad_words(rows: Sequence[EncodedWords], padding: int) -> torch.Tensor:
    """Return the numbers of tokens, (rows, tokens of the longest)."""
    width = max(1, *map(len, rows))
    return torch.tensor([row.ids + [padding] * (width - len(row)) for row in rows])


def pad_letters(rows: Sequence[EncodedWords]) -> torch.Tensor:
    """Return the bytes of tokens plus one, (rows, tokens of the longest, bytes of the longest)."""
    found = [[text.encode()[:_LETTERS] for text in row.letters] for row in rows]
    width = max(1, *map(len, rows))
    longest = max((len(text) for row in found for text in row), default=0) or 1
    letters = torch.zeros(len(rows), width, longest, dtype=torch.long)
    for number, row in enumerate(found):
        for place, text in enumerate(row):
            letters[number, place, : len(text)] = torch.tensor(list(text), dtype=torch.long) + 1
    return letters


def read_questions(tokens: Tokens, questions: Sequence[str], most: int) -> list[EncodedWords]:
    """Return the tokens of questions."""
    return tokens.encode_words([question.split() for question in questions], most)


def build_box_tensors(
    questions: Sequence[EncodedWords],
    boxes: Sequence[Sequence[EncodedWords]],
    places: Sequence[Sequence[int]],
    padding: int,
) -> Tensors:
    """Return what decomposable attention reads: questions, the boxes of each and their places."""
    return {
        "questions": pad_words(questions, padding),
        "boxes": pad_words([row for own in boxes for row in own], padding),
        "counts": torch.tensor([len(own) for own in boxes]),
        "places": torch.tensor([place for own in places for place in own]),
    }


def build_text_tensors(
    questions: Sequence[EncodedWords], texts: Sequence[EncodedWords], padding: int
) -> Tensors:
    """Return what the Document Reader reads: a text for each question."""
    return {
        "questions": pad_words(questions, padding),
        "question_letters": pad_letters(questions),
        "texts": pad_words(texts, padding),
        "text_letters": pad_letters(texts),
    }


def build_marked_tensors(
    questions: Sequence[EncodedWords],
    boxes: Sequence[Sequence[EncodedWords]],
    padding: int,
    unknown: int,
) -> Tensors:
    """Return what Document-QA reads: questions, and the boxes of each between two marks.

    A token of a box is one further on than in its row; the mark after a box follows its last token.
    """
    flat = [row for own in boxes for row in own]
    marked = [
        replace(row, ids=[unknown, *row.ids, unknown], letters=["", *row.letters, ""])
        for row in flat
    ]
    words = pad_words(marked, padding)
    marks = torch.zeros_like(words)
    for number, row in enumerate(marked):
        marks[number, 0], marks[number, len(row) - 1] = 1, 2
    return {
        "questions": pad_words(questions, padding),
        "question_letters": pad_letters(questions),
        "boxes": words,
        "box_letters": pad_letters(marked),
        "marks": marks,
        "counts": torch.tensor([len(own) for own in boxes]),
    }


def move_tensors(tensors: Tensors, device: Any) -> Tensors:
    """Return tensors on a device."""
    return {name: tensor.to(device) for name, tensor in tensors.items()}
