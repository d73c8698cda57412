"""Between texts and tokens, and how many texts go through a model at once. Loads no torch.

What cannot be read whole is cut at the end; the marks that a tokenizer adds stay.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from modeling.base import ArticlePassage, MissingModel
from modeling.weights import Weights

DPR_TOKENS: Final = 256  # Karpukhin et al. 2020
LONGEST: Final = 512  # what BERTs read
MOST_TEXTS: Final = 256  # in one batch
# The vocabulary's own marks, which are no part of what was written. A separator is part of it.
_MARKS: Final = ("bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id", "mask_token_id")


@dataclass(frozen=True, slots=True)
class EncodedText:
    """The tokens of one input. types: to which of two texts each belongs, where a model asks."""

    ids: list[int]
    types: list[int]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class EncodedPassage(EncodedText):
    """A question with a passage, for a reader.

    first: where the tokens of the passage's text begin; places: for each of these its first and
    last character in the text, and the number of its word.
    """

    first: int
    places: list[tuple[int, int, int | None]]


@dataclass(frozen=True, slots=True)
class PageWindow(EncodedText):
    """A question with a part of a page.

    words: for each token the place of its word on the page, None for tokens of the question, marks,
    and words that the edge of the window may cut.
    """

    words: list[int | None]


@dataclass(frozen=True, slots=True)
class EncodedWords:
    """The tokens of a row of words.

    places: the place of the word that each token is of; letters: what it is of that word.
    """

    ids: list[int]
    places: list[int]
    letters: list[str]

    def __len__(self) -> int:
        return len(self.ids)


class Tokens:
    """The tokenizer of a model."""

    def __init__(self, weights: Weights) -> None:
        import transformers

        transformers.utils.logging.disable_progress_bar()
        self._tokenizer = load_pretrained(transformers.AutoTokenizer, weights)
        if not self._tokenizer.is_fast:
            raise MissingModel(
                f"The model {weights.name} has a tokenizer that cannot say which characters a "
                "token is of. Save it again with its tokenizer.json."
            )
        self.config: dict[str, Any] = settings_of(weights.folder)
        self.has_types = "token_type_ids" in self._tokenizer.model_input_names
        self.pad = int(self._tokenizer.pad_token_id or 0)
        self._marks = {getattr(self._tokenizer, mark) for mark in _MARKS} - {None}

    @property
    def end(self) -> int:
        """The token that ends what a decoder writes."""
        return int(self._tokenizer.eos_token_id)

    def readable_tokens(self, tokens: int) -> int:
        """Return how many tokens can be read, at most `tokens`."""
        positions = self.config.get("max_position_embeddings")
        if positions is None:  # T5 can read any number
            return tokens
        return min(tokens, int(positions), int(self._tokenizer.model_max_length))

    def encode(
        self, texts: Sequence[str], tokens: int, seconds: Sequence[str] | None = None
    ) -> list[EncodedText]:
        """Return the tokens of each text, or of each pair of a text and a second one."""
        if not texts:
            return []
        rows = self._tokenizer(
            list(texts),
            None if seconds is None else list(seconds),
            truncation=True,
            max_length=self.readable_tokens(tokens),
            return_token_type_ids=True,
        )
        return [
            EncodedText(ids, types)
            for ids, types in zip(rows["input_ids"], rows["token_type_ids"], strict=True)
        ]

    def encode_plain(self, texts: Sequence[str]) -> list[Any]:
        """Return the encodings of texts without marks, with the places of their tokens.

        They are parts of inputs and may be of any length: whoever joins them cuts the whole, so
        the tokenizer is not to warn of a length that no model will see.
        """
        if not texts:
            return []
        rows = self._tokenizer(list(texts), add_special_tokens=False, verbose=False)
        return list(rows.encodings)

    def encode_words(self, rows: Sequence[Sequence[str]], tokens: int) -> list[EncodedWords]:
        """Return the tokens of rows of words without marks, with the word of each token."""
        split = self._tokenizer.backend_tokenizer
        split.no_truncation()
        split.no_padding()
        encoded = split.encode_batch(
            [list(row) for row in rows], is_pretokenized=True, add_special_tokens=False
        )
        return [_words(row, one, tokens) for row, one in zip(rows, encoded, strict=True)]

    def encode_passages(
        self, question: str, passages: Sequence[ArticlePassage], tokens: int
    ) -> list[EncodedPassage]:
        """Return the question with each passage, for a reader that takes two texts."""
        if not passages:
            return []
        heads = [f"{passage.title}. " if passage.title else "" for passage in passages]
        rows = self._tokenizer(
            [question] * len(passages),
            [head + passage.text for head, passage in zip(heads, passages, strict=True)],
            truncation=True,
            max_length=self.readable_tokens(tokens),
        )
        return [_page(row, len(head)) for row, head in zip(rows.encodings, heads, strict=True)]

    def encode_windows(
        self, question: str, text: str, tokens: int, stride: int
    ) -> list[tuple[EncodedText, list[tuple[int, int] | None]]]:
        """Return a question with each part of a text, `stride` tokens of which parts share.

        With the place in the text of each token, None for those of the question and marks. A
        question is cut to 64 tokens.
        """
        limit = self.readable_tokens(tokens)
        question, _ = self._cut_question(question)
        return [
            (
                EncodedText(list(row.ids), list(row.type_ids)),
                [
                    offset if part == 1 else None
                    for part, offset in zip(row.sequence_ids, row.offsets, strict=True)
                ],
            )
            for row in self._overlap(question, text, limit, min(stride, limit // 3))
        ]

    def encode_page(
        self, question: str, words: Sequence[str], tokens: int, step: int
    ) -> list[PageWindow]:
        """Return a question with each part of a page, which begin `step` tokens apart.

        Or less, where a model reads so few tokens that parts would share less than two thirds. A
        question is cut to 64 tokens.
        """
        if not words:
            return []
        limit = self.readable_tokens(tokens)
        question, asked = self._cut_question(question)
        room = limit - asked - int(self._tokenizer.num_special_tokens_to_add(pair=True))
        step = max(min(step, room // 3), 1)
        starts = [0, *accumulate(len(word) + 1 for word in words)]
        rows = self._overlap(question, " ".join(words), limit, room - step)
        windows = []
        for number, row in enumerate(rows):
            places = [
                bisect_right(starts, end - 1) - 1 if part == 1 and end > start else None
                for part, (start, end) in zip(row.sequence_ids, row.offsets, strict=True)
            ]
            own = [place for place in places if place is not None]
            cut = {*own[:1]} if number else set()
            cut |= {*own[-1:]} if number + 1 < len(rows) else set()
            whole = [None if place in cut else place for place in places]
            windows.append(PageWindow(list(row.ids), list(row.type_ids), whole))
        return windows

    def _cut_question(self, question: str) -> tuple[str, int]:
        """Return a question of at most 64 tokens, and how many it has."""
        asked = self._tokenizer(question, add_special_tokens=False, truncation=True, max_length=64)
        ids = asked["input_ids"]
        if len(ids) < 64:
            return question, len(ids)
        cut = self._tokenizer.decode(ids)
        again = self._tokenizer(cut, add_special_tokens=False, truncation=True, max_length=96)
        return cut, len(again["input_ids"])  # what is read again may be other tokens

    def _overlap(self, question: str, text: str, limit: int, shared: int) -> list[Any]:
        """Return the encodings of a question with each part of a text."""
        rows = self._tokenizer(
            question,
            text,
            truncation="only_second",
            max_length=limit,
            stride=shared,
            return_overflowing_tokens=True,
        )
        return list(rows.encodings)

    def dpr_pages(
        self, question: str, passages: Sequence[ArticlePassage], tokens: int
    ) -> list[EncodedPassage]:
        """Return question, title and text for DPR's reader, with marks after the first two only."""
        heads = self.encode([question] * len(passages), tokens, [one.title for one in passages])
        limit = self.readable_tokens(tokens)
        pages = []
        for head, row in zip(heads, self.encode_plain([one.text for one in passages]), strict=True):
            ids = (head.ids + row.ids)[:limit]
            count = len(ids) - len(head)
            places = [
                (start, end, word)
                for (start, end), word in zip(row.offsets[:count], row.word_ids, strict=False)
            ]
            pages.append(EncodedPassage(ids, [0] * len(ids), len(head), places))
        return pages

    def token_names(self, ids: Sequence[int]) -> list[str]:
        """Return tokens as the vocabulary writes them."""
        return list(self._tokenizer.convert_ids_to_tokens(list(ids)))

    def token_ids(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of tokens of the vocabulary."""
        return list(self._tokenizer.convert_tokens_to_ids(list(names)))

    def decode_tokens(self, ids: Sequence[int]) -> str:
        """Return what tokens say, without the vocabulary's own marks."""
        said = [token for token in ids if token not in self._marks]
        return str(self._tokenizer.decode(said, clean_up_tokenization_spaces=False)).strip()


def _words(words: Sequence[str], row: Any, tokens: int) -> EncodedWords:
    places = list(row.word_ids[:tokens])
    letters = [
        words[place][start:end]
        for place, (start, end) in zip(places, row.offsets[:tokens], strict=True)
    ]
    return EncodedWords(list(row.ids[:tokens]), places, letters)


def _page(row: Any, head: int) -> EncodedPassage:
    """Return the page of an encoding whose second text begins with `head` characters of title."""
    inside = [
        number
        for number, (part, (start, end)) in enumerate(
            zip(row.sequence_ids, row.offsets, strict=True)
        )
        if part == 1 and start >= head and end > start
    ]
    places = [
        (row.offsets[number][0] - head, row.offsets[number][1] - head, row.word_ids[number])
        for number in inside
    ]
    return EncodedPassage(row.ids, row.type_ids, inside[0] if inside else len(row.ids), places)


@dataclass(frozen=True, slots=True)
class Pooling:
    """How an encoder makes one vector of a text.

    dpr: "question" or "passage" for DPR's two encoders, else ""; first: by the first token, else
    by the mean of all; unit: at length 1; tokens: how many are read.
    """

    dpr: str
    first: bool
    unit: bool
    tokens: int

    def encode_texts(
        self, tokenizer: Tokens, texts: Sequence[str], titles: Sequence[str] | None
    ) -> list[EncodedText]:
        """Return the tokens of texts, which may have titles."""
        if not self.dpr:
            if titles is not None:
                texts = [" ".join(parts) for parts in zip(titles, texts, strict=True)]
            return tokenizer.encode(texts, self.tokens)
        # DPR's authors had no types, and transformers' tokenizer for it gives some.
        first, second = (texts, None) if titles is None else (titles, texts)
        rows = tokenizer.encode(first, self.tokens, second)
        return [EncodedText(row.ids, [0] * len(row)) for row in rows]


def is_dpr(weights: Weights) -> bool:
    """Return whether the weights are of one of DPR's three models."""
    return settings_of(weights.folder).get("model_type") == "dpr"


def read_pooling(weights: Weights) -> Pooling:
    """Return how these weights encode, by the files that sentence-transformers saves."""
    if is_dpr(weights):
        named = " ".join(map(str, settings_of(weights.folder).get("architectures") or ()))
        passage = "Context" in named or (not named and weights.role == "passage-encoder")
        return Pooling("passage" if passage else "question", False, False, DPR_TOKENS)
    folder = weights.folder
    first = settings_of(folder, "1_Pooling/config.json").get("pooling_mode_cls_token") is True
    modules = (folder / "modules.json").read_text() if (folder / "modules.json").exists() else ""
    most = settings_of(folder, "sentence_bert_config.json").get("max_seq_length")
    return Pooling("", first, "Normalize" in modules, most if isinstance(most, int) else LONGEST)


def batch_by_length(lengths: Sequence[int], tokens: int) -> Iterator[list[int]]:
    """Give the places of texts of similar length, the longest first.

    A batch has `tokens` tokens at most, those that pad it included, and at least one text. None is
    shorter than half of the longest: to pad it would cost as much as to read it in a batch apart.
    """
    batch: list[int] = []
    order = sorted(range(len(lengths)), key=lambda place: -lengths[place])
    for place in order:
        longest = lengths[batch[0]] if batch else 0
        full = longest * (len(batch) + 1) > tokens or len(batch) == MOST_TEXTS
        if batch and (full or 2 * lengths[place] < longest):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def settings_of(folder: Path, name: str = "config.json") -> dict[str, Any]:
    """Return what a file of a model says, nothing where it is missing or of another shape."""
    try:
        content = json.loads((folder / name).read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def load_pretrained(kind: Any, weights: Weights, **options: Any) -> Any:
    """Return what `from_pretrained` of transformers reads from the folder of the weights.

    Raises MissingModel where its files cannot be read. None of their code is run.
    """
    try:
        return kind.from_pretrained(weights.folder, local_files_only=True, **options)
    except Exception as error:  # those of the libraries, and of their formats, have no common class
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise MissingModel(
            f"The model {weights.name} cannot be used for “{weights.role}”: {reason[:300]}"
        ) from error
