"""Natural Questions' trained baselines: they answer with places on the question's page (N22, N23).

Nobody released weights of them: they run on what was trained here.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from metrics import nq
from modeling import engines
from modeling.base import (
    ANSWERS,
    LONG_ANSWER,
    SPANS,
    BadOption,
    BaselineQuestion,
    Corpus,
    Prediction,
)
from modeling.baselines.weighted import WeightedBaseline
from modeling.outputs import build_span_prediction
from modeling.page_answers import answer_in_long, answer_with_box, answer_with_stretch
from modeling.page_texts import PageText, read_page_text

_NO_PAGE: Final = "The question comes without a page."
_NUMBER: Final = re.compile(r"-?[0-9]{1,6}(\.[0-9]{1,6})?", re.ASCII)
_NONE: Final = "none"
_DOCUMENT_QA: Final = "3"  # as the paper has it, for its own weights


class _PageBaseline(WeightedBaseline):
    """Option `threshold`: an answer whose score is lower is none; “none” gives every answer."""

    gives = frozenset({ANSWERS, LONG_ANSWER, SPANS})
    more = ("threshold",)
    threshold = _NONE

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        super().__init__(corpus, options)
        text = options.get("threshold", "").strip() or self.threshold
        if text != _NONE and not _NUMBER.fullmatch(text):
            raise BadOption(
                f"The option “threshold” is “{text[:40]}”. Set it to a number, such as 3 or -1.5, "
                f"or to {_NONE}."
            )
        self._least = None if text == _NONE else float(text)

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        return [self._predict(question) for question in asked]

    def _predict(self, question: BaselineQuestion) -> Prediction:
        if question.page is None:
            return Prediction(question.id, problem=_NO_PAGE)
        answer = self._answer(question.question, read_page_text(question.page))
        if self._least is not None and (answer.long_score or 0.0) < self._least:
            answer = nq.NOTHING._replace(
                long_score=answer.long_score, short_score=answer.short_score
            )
        return build_span_prediction(question.id, answer, question.page)

    def _answer(self, question: str, page: PageText) -> nq.Prediction:
        """Return the best answer on a page, whatever its score."""
        raise NotImplementedError


class DecAttDocReader(_PageBaseline):
    """Decomposable attention chooses the long answer, the Document Reader a short one in it (N23).

    The score of a long answer is above 0 where the model rather gives it than none.
    """

    key = "decatt-docreader"
    label = "DecAtt + DocReader"
    roles = ("decatt", "doc-reader")

    def _answer(self, question: str, page: PageText) -> nq.Prediction:
        scorer = engines.load_box_scorer(self._weights["decatt"])
        long = answer_with_box(scorer, question, page)
        return answer_in_long(
            engines.load_short_reader(self._weights["doc-reader"]), question, page, long
        )


class DocumentQA(_PageBaseline):
    """The best stretch of 16 boxes, short or a whole box (N22)."""

    key = "document-qa"
    label = "Document-QA"
    roles = ("document-qa",)
    threshold = _DOCUMENT_QA

    def _answer(self, question: str, page: PageText) -> nq.Prediction:
        reader = engines.load_stretch_reader(self._weights["document-qa"])
        return answer_with_stretch(reader, question, page)
