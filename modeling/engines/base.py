"""What engines do with weights: texts go in, and texts, vectors or scores come out, in order.

`modeling.engines.reference` does it with transformers, `modeling.engines.fast` with CTranslate2 and
onnxruntime. Baselines know only these protocols. An engine sorts texts by length into batches, so
callers give it many at once. Texts that are too long are cut at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from modeling.base import ArticlePassage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from modeling.llm import Completion, Message

# From the tokens written so far (the start token included) to the tokens that may come next.
Allowed = Callable[[Sequence[int]], list[int]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one generation: tokens read, tokens written, and beams (1 is greedy)."""

    tokens_in: int
    tokens_out: int
    beams: int = 1


@dataclass(frozen=True, slots=True)
class GeneratedText:
    """What a generator wrote for one input; special tokens of the vocabulary's own are left out."""

    text: str
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """A stretch of a passage as an answer. likelihood: 0 to 1, over all spans of a question."""

    text: str
    passage: int
    likelihood: float


@dataclass(frozen=True, slots=True)
class AskedPage:
    """A question with the words of a page. boxes: their places in words, in the order of these."""

    question: str
    words: Sequence[str]
    boxes: Sequence[range]


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """A stretch of a page as an answer.

    words: the places of its words; box: the number of the box that holds it; whole: whether it is
    all of that box; score: how much better it is than no answer, above 0 where it is better.
    """

    words: range
    box: int
    whole: bool
    score: float


class FoundWords(NamedTuple):
    """Words of one of several boxes as an answer.

    box: its place; words: their places in it, None for the whole box; score: a larger
    one is better, also between questions.
    """

    box: int
    words: range | None
    score: float


class Generator(Protocol):
    """An encoder-decoder: BART or T5."""

    def generate(self, inputs: Sequence[str], limits: Limits) -> list[GeneratedText]:
        """Return what is written for each input."""
        ...


class Continuer(Protocol):
    """An encoder-decoder that adds answers to one that is known."""

    def continue_answers(
        self, inputs: Sequence[str], answers: Sequence[str], limits: Limits
    ) -> list[GeneratedText]:
        """Return what is written for each input: its answer, alone or before others.

        Between answers is a separator, as `modeling.outputs.parse_separated_answers` reads it; the
        answer that is given is never made longer. limits.tokens_out: it included.
        """
        ...


class FusionGenerator(Protocol):
    """An encoder-decoder whose decoder reads several encoded inputs at once (FiD, JPR)."""

    @property
    def end(self) -> int:
        """The token that ends what is written; `allowed` offers it where it may stop."""
        ...

    def plain_tokens(self, text: str) -> list[int]:
        """Return the tokens of a text, without marks at its ends."""
        ...

    def generate(
        self, inputs: Sequence[Sequence[str]], limits: Limits, allowed: Allowed | None = None
    ) -> list[GeneratedText]:
        """Return one text for each list of inputs; limits.tokens_in is for each input."""
        ...


class Encoder(Protocol):
    """An encoder of texts into vectors, whose inner product says how near two texts are."""

    @property
    def size(self) -> int: ...

    def encode(
        self, texts: Sequence[str], titles: Sequence[str] | None = None
    ) -> NDArray[np.float32]:
        """Return an array of shape (texts, size)."""
        ...


class Scorer(Protocol):
    """A cross-encoder: it reads a question together with a passage."""

    def score_passages(self, question: str, passages: Sequence[ArticlePassage]) -> list[float]:
        """Return a number for each passage; a larger one fits better."""
        ...


class ExtractiveReader(Protocol):
    """An extractive reader."""

    def find_spans(
        self, question: str, passages: Sequence[ArticlePassage], top: int
    ) -> list[AnswerSpan]:
        """Return up to `top` spans of all passages, the likeliest first."""
        ...


class Answerer(Protocol):
    """A reader of SQuAD 2.0: one question, one text, and perhaps no answer."""

    def read_answers(self, asked: Sequence[tuple[str, str]]) -> list[str]:
        """Return an answer for each question and text, "" where the text has none."""
        ...


class Entailer(Protocol):
    """A model of natural language inference."""

    def score_entailments(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return how surely the hypothesis, second, follows from the premise: from 0 to 1 each.

        What a pair gets may depend a little on those it is read with.
        """
        ...


class PageReader(Protocol):
    """A reader of whole pages: where on each the answer is, with a score."""

    def read_pages(self, asked: Sequence[AskedPage]) -> list[PageAnswer | None]:
        """Return the best stretch of each page, None where none of its words is in a box."""
        ...


class Classifier(Protocol):
    """A classifier of texts into two classes."""

    def predict_likelihoods(self, texts: Sequence[str]) -> list[float]:
        """Return how likely each text is of the second class, from 0 to 1."""
        ...


class BoxScorer(Protocol):
    """A model that says how well each box of a page answers a question as a whole."""

    def score_boxes(self, question: str, boxes: Sequence[Sequence[str]]) -> list[float]:
        """Return a number for each box, given as words; no answer is worth 0."""
        ...


class ShortReader(Protocol):
    """A model that finds the short answer in a long one."""

    def find_words(self, question: str, words: Sequence[str]) -> FoundWords | None:
        """Return the best stretch of words, None where nothing of them can be read.

        Its score is the logarithm of its share of all stretches, 0 at most.
        """
        ...


class StretchReader(Protocol):
    """A model that finds a short answer in one of several boxes, or a whole box."""

    def find_stretch(self, question: str, boxes: Sequence[Sequence[str]]) -> FoundWords | None:
        """Return the best answer in boxes, given as words; None where there is no box."""
        ...


class Talker(Protocol):
    """A language model of this process."""

    def write_reply(self, messages: Sequence[Message], most_tokens: int) -> Completion:
        """Return what the model says to the messages."""
        ...
