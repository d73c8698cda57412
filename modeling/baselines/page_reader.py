"""A reader that answers on the question's own page, as BERT-joint does (Alberti et al. 2019).

Natural Questions' authors released it beside the data. It reads the words of the outermost boxes;
the best stretch is the short answer, and the box that holds it the long one. Its models have no
part that says yes or no, so it never does.
"""

from collections.abc import Mapping, Sequence

from metrics import nq
from modeling import engines
from modeling.base import ANSWERS, LONG_ANSWER, SPANS, BaselineQuestion, Corpus, Prediction
from modeling.baselines.weighted import WeightedBaseline
from modeling.engines.base import AskedPage, PageAnswer, PageReader
from modeling.engines.pages import MOST_BOXES
from modeling.options import parse_whole_number
from modeling.outputs import build_span_prediction
from modeling.page_texts import PageText, list_outermost, read_page_text

_MOST_BOXES = 1_000
_NO_PAGE = "The question comes without a page."
# Where no box has words: with scores, as every other answer.
_NOTHING = nq.NOTHING._replace(long_score=0.0, short_score=0.0)


class PageSpanReader(WeightedBaseline):
    """The likeliest stretch of the question's page, and the outermost box around it (N24).

    Each answer has a score, which is above 0 where the model finds it likelier than no answer; the
    scorer looks for the best threshold. A stretch that is all of its box is a long answer without a
    short one. Option `boxes`: how many outermost boxes with words are read, from the first one.
    """

    key = "nq-reader"
    label = "Reader of pages (BERT-joint)"
    gives = frozenset({ANSWERS, LONG_ANSWER, SPANS})
    roles = ("nq-reader",)
    more = ("boxes",)

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        super().__init__(corpus, options)
        self._boxes = parse_whole_number(options, "boxes", MOST_BOXES, most=_MOST_BOXES)

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        read = [
            (question.question, read_page_text(question.page))
            for question in asked
            if question.page is not None
        ]
        reader = engines.load_page_reader(self._weights["nq-reader"])
        answers = iter(answer_on_pages(reader, read, self._boxes))
        return [
            Prediction(question.id, problem=_NO_PAGE)
            if question.page is None
            else build_span_prediction(question.id, next(answers), question.page)
            for question in asked
        ]


def answer_on_pages(
    reader: PageReader, asked: Sequence[tuple[str, PageText]], most_boxes: int = MOST_BOXES
) -> list[nq.Prediction]:
    """Return what a reader answers to questions on their pages, with scores, in order."""
    boxes = [list_outermost(page, most_boxes) for _, page in asked]
    pages = [
        AskedPage(
            question, page.words[: own[-1][1].stop] if own else (), [words for _, words in own]
        )
        for (question, page), own in zip(asked, boxes, strict=True)
    ]
    return [
        _NOTHING if answer is None else _build_answer(page, answer, own[answer.box][0].span)
        for (_, page), own, answer in zip(asked, boxes, reader.read_pages(pages), strict=True)
    ]


def _build_answer(page: PageText, answer: PageAnswer, box: nq.NqSpan) -> nq.Prediction:
    short = () if answer.whole else (page.span_of(answer.words),)
    return nq.Prediction(box, short, "none", answer.score, answer.score)
