"""Passages as they are in the corpus, without a model that reads them."""

import re
from collections.abc import Iterator, Mapping, Sequence

from metrics import nq
from modeling.base import (
    LONG_ANSWER,
    PASSAGES,
    SPANS,
    ArticlePassage,
    BaselineQuestion,
    Corpus,
    Prediction,
    QuestionPage,
)
from modeling.examples import page_key
from modeling.options import check_names, parse_whole_number, require_corpus
from modeling.outputs import build_span_prediction
from modeling.retrieval import RETRIEVAL_OPTIONS, build_searcher

_TOP = 10
_MOST = 200  # QAMPARI reads no more (Q19)
_LOOKED = (200, 1_000)  # passages that match a title, the second time where the first is missing
_NUMBER = re.compile(r"\d+\Z")


class BestPassage:
    """Retrieval at 1 (as DPR@1, S52, with BM25): the best passage is the long answer.

    Option `top`: how many passages a prediction has; and those of retrieval.
    """

    key = "bm25"
    label = "Best passage (BM25)"
    version = "1"
    gives = frozenset({PASSAGES, LONG_ANSWER})
    _retrieval: tuple[str, ...] = ("encoder", "reranker", "candidates")

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        check_names(options, "top", *self._retrieval)
        self._corpus = build_searcher(corpus, options, self.label)
        self._top = parse_whole_number(options, "top", _TOP, most=_MOST)

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for question in asked:
            hits = tuple(self._corpus.search(question.question, self._top))
            if hits:
                yield Prediction(question.id, passages=hits, long_answer=hits[0].text)
            else:
                yield Prediction(question.id, problem="No passage fits the question.")


class BestDense(BestPassage):
    """The same by vectors; a sentence encoder's where the option `encoder` names no other."""

    key = "dense"
    label = "Best passage (dense)"
    _retrieval = RETRIEVAL_OPTIONS


class BestDpr(BestDense):
    """DPR@1 (S52)."""

    key = "dpr"
    label = "Best passage (DPR)"


class BestJpr(BestDense):
    """JPR@1 (S53): DPR's passages, reranked for questions with several answers."""

    key = "jpr"
    label = "Best passage (JPR)"


class FirstParagraph:
    """Natural Questions' first paragraph (N19): the first passage of the question's page.

    The page is the first of those given that the corpus has under this title.
    """

    key = "first-paragraph"
    label = "First paragraph of the page"
    version = "1"
    gives = frozenset({PASSAGES, LONG_ANSWER})

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        check_names(options)
        self._corpus = require_corpus(corpus, self.label)

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for question in asked:
            first = next(filter(None, map(self._first, question.pages)), None)
            if first:
                yield Prediction(question.id, passages=(first,), long_answer=first.text)
            elif question.pages:
                problem = "None of the question's pages is in the corpus."
                yield Prediction(question.id, problem=problem)
            else:
                yield Prediction(question.id, problem="The question comes without a page.")

    def _first(self, title: str) -> ArticlePassage | None:
        """Return the passage of the page with the lowest number, which its id ends with."""
        wanted = page_key(title)
        first = None
        for top in _LOOKED:
            of_page = [
                passage
                for passage in self._corpus.search(title.replace("_", " "), top)
                if page_key(passage.title) == wanted
            ]
            first = min(of_page, key=lambda passage: _number(passage.id), default=None)
            if first and _number(first.id) == 1:
                break
        return first


class FirstParagraphOnPage:
    """The same where questions have a page of their own: a place on it (N19).

    It is the first paragraph with words of those that no other box is around, if there is one, else
    of all; on a page without any there is no answer. It searches nothing.
    """

    key, label, version = FirstParagraph.key, FirstParagraph.label, "page-1"
    gives = frozenset({LONG_ANSWER, SPANS})

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        check_names(options)

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for question in asked:
            if question.page is None:
                yield Prediction(question.id, problem="The question comes without a page.")
            else:
                lead = _lead_of(question.page)
                yield build_span_prediction(question.id, lead, question.page)


def _lead_of(page: QuestionPage) -> nq.Prediction:
    paragraphs = [box for box in page.candidates if box.kind == "paragraph" and box.text]
    outermost = [box for box in paragraphs if box.top_level]
    lead = next(iter(outermost or paragraphs), None)
    return nq.NOTHING._replace(long=lead.span) if lead else nq.NOTHING


def _number(name: str) -> int:
    match = _NUMBER.search(name[-18:])
    return int(match[0]) if match else 0
