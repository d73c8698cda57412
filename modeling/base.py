"""What a baseline is: questions go in, and for each one comes a prediction, in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple, Protocol, runtime_checkable

from metrics import nq
from metrics.nq import NqSpan

PASSAGES = "passages"
ANSWERS = "answers"
PAIRS = "pairs"
LONG_ANSWER = "long_answer"
SPANS = "spans"
VERDICTS = "verdicts"


@dataclass(frozen=True, slots=True)
class ArticlePassage:
    """A piece of an article. `path` is that of the article, where it is in a snapshot."""

    id: str
    title: str
    text: str
    score: float = 0.0
    path: str = ""


@dataclass(frozen=True, slots=True)
class ShortAnswer:
    """A short answer, other accepted forms of it, and the passage it is from, if that is known."""

    text: str
    aliases: tuple[str, ...] = ()
    passage: ArticlePassage | None = None
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class AnsweredDisambiguation:
    """A disambiguation: a question and its answers."""

    question: str
    answers: tuple[ShortAnswer, ...]


@dataclass(frozen=True, slots=True)
class PageCandidate:
    """A box of a page that can be a long answer.

    kind: "paragraph", "table", "row", "list" or "item"; text: its words, without tags; top_level:
    whether no other box is around it.
    """

    text: str
    kind: str
    span: NqSpan
    top_level: bool


class PageWord(NamedTuple):
    """A word of a page as it is written there, and where: one of the page's tokens."""

    text: str
    span: NqSpan


@dataclass(frozen=True, slots=True)
class CandidateAnswer:
    """An answer that people check, as they are shown it: its forms, and its evidence."""

    text: str
    aliases: tuple[str, ...] = ()
    evidence: tuple[ArticlePassage, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerVerdict:
    """What a baseline says of a candidate answer: one of `CORRECT`, `DOUBTFUL`, or "" for nothing
    that can be used; the sentence of its evidence that this rests on, "" for none; and how sure it
    is, from 0 to 1, None where it does not say.
    """

    text: str
    verdict: str
    sentence: str = ""
    title: str = ""
    score: float | None = None


CORRECT, DOUBTFUL = "correct", "doubtful"


class QuestionPage(Protocol):
    """The page that a question has of its own, which is read when something on it is asked for."""

    @property
    def candidates(self) -> Sequence[PageCandidate]:
        """Return its boxes, in the order of the page."""
        ...

    def words_at(self, span: NqSpan) -> str:
        """Return the words of a stretch, without tags; "" where the page has none there."""
        ...

    def list_words(self, span: NqSpan) -> Sequence[PageWord]:
        """Return each word of a stretch with its place; none where the page has none there."""
        ...

    def find_words(self, words: str, within: NqSpan) -> NqSpan | None:
        """Return where words stand first in a stretch, whole words only; None where they do not.

        White space does not count, and neither does what stands between words but tags.
        """
        ...


@dataclass(frozen=True, slots=True)
class BaselineQuestion:
    """A question for a baseline.

    disambiguations: the reference pairs, which only oracles may read; pages: titles of the articles
    that the question is about, the most important one first; knowledge: the pieces of evidence of
    the longest reference answer, for oracles as well; knowledge_of: which one that is
    (`scores.values.identify_text`); page: the one that it is answered on, where
    questions have a page of their own; as_list: what is asked for is a list of short answers, so
    that models that write a text write one; candidates: the answers that people check, where they
    do.
    """

    id: str
    question: str
    disambiguations: tuple[AnsweredDisambiguation, ...] = ()
    pages: tuple[str, ...] = ()
    knowledge: tuple[ArticlePassage, ...] = ()
    knowledge_of: str = ""
    page: QuestionPage | None = None
    as_list: bool = False
    candidates: tuple[CandidateAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a baseline says about one question.

    spans: where on the question's own page its answers are, with their scores, or that there is no
    answer; `answers` and `long_answer` are then the words there.
    tokens_in, tokens_out: what a language model read and wrote; cost: in the currency of the
    settings, None where no price is known; problem: a sentence that says why there is nothing;
    unread: one that says which part of it is missing, since the model's replies cannot be used;
    knowledge_of: whose knowledge it rests on, that of the question, where the model was given it.
    """

    id: str
    passages: tuple[ArticlePassage, ...] = ()
    answers: tuple[ShortAnswer, ...] = ()
    pairs: tuple[AnsweredDisambiguation, ...] = ()
    long_answer: str = ""
    spans: nq.Prediction | None = None
    verdicts: tuple[AnswerVerdict, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    cost: Decimal | None = None
    problem: str = ""
    unread: str = ""
    knowledge_of: str = ""


class Corpus(Protocol):
    """Passages that can be searched. `version` differs when its passages do."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def search(self, query: str, top: int) -> list[ArticlePassage]:
        """Return up to `top` passages for a question or a title, best first."""
        ...


class Baseline(Protocol):
    """An answerer of questions.

    version: changes when the same question may get another prediction; at most 40 characters.
    gives: which of "passages", "answers", "pairs", "long_answer", "spans" and "verdicts" its
    predictions can have.
    """

    @property
    def key(self) -> str: ...

    @property
    def label(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def gives(self) -> frozenset[str]: ...

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        """Give one prediction for each question, in order.

        What goes wrong with one question is a prediction with a `problem`. Raises MissingModel
        where no question can be answered, such as when a server refuses the key.
        """
        ...


@runtime_checkable
class ReadsPassages(Protocol):
    """A baseline whose model reads passages. passages_read: at most how many for a question."""

    passages_read: int


@runtime_checkable
class CopiesAnswers(Protocol):
    """A baseline that copies what is accepted for other questions of a split of the project."""

    copied_split: str


class MissingModel(Exception):
    """A baseline cannot run here.

    The sentence says what is missing (a package, weights, a setting, a corpus) and what to do.
    """


class BadOption(MissingModel):
    """An option of a baseline cannot be used. The sentence names it and says what is expected."""
