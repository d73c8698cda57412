"""From what models say of the boxes of a page to places on it, with scores (N22, N23)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from annotation.contexts.choice import tfidf_similarities
from metrics import nq
from metrics.nq import NqSpan
from modeling.engines.base import BoxScorer, ShortReader, StretchReader
from modeling.page_texts import PageBox, PageText, list_outermost

# Boxes that are read: the first 50 in the code of decomposable attention, and the 16 that are
# closest to the question by TF-IDF for Document-QA.
MOST_SCORED: Final = 50
MOST_STRETCHED: Final = 16
# Where no box has words: with scores, as every other answer.
NOTHING: Final = nq.NOTHING._replace(long_score=0.0, short_score=0.0)


def answer_with_box(scorer: BoxScorer, question: str, page: PageText) -> nq.Prediction:
    """Return the best of the first boxes as the long answer, nothing where there is no box.

    Its score is above 0 where the model rather gives it than no answer. It is given in any case:
    the official scorer finds the threshold with the best F1.
    """
    boxes = list_outermost(page, MOST_SCORED)
    scores = scorer.score_boxes(question, [take_words(page, words) for _, words in boxes])
    if not scores:
        return NOTHING
    best = max(range(len(scores)), key=lambda place: scores[place])
    return nq.Prediction(boxes[best][0].span, (), "none", scores[best], scores[best])


def answer_in_long(
    reader: ShortReader, question: str, page: PageText, long: nq.Prediction
) -> nq.Prediction:
    """Return a long answer with the short one that is found in it.

    The score of the short one is that of the long one less what the reader doubts.
    """
    words = page.find_words(long.long) if long.long else range(0)
    found = reader.find_words(question, take_words(page, words)) if words else None
    if found is None or found.words is None:
        return long
    short = page.span_of(words[_slice(found.words)])
    return long._replace(short=(short,), short_score=(long.long_score or 0.0) + found.score)


def answer_with_stretch(reader: StretchReader, question: str, page: PageText) -> nq.Prediction:
    """Return a box as the long answer, or a short answer with its box; nothing without a box."""
    boxes = list_outermost(choose_closest(question, page, MOST_STRETCHED), MOST_STRETCHED)
    found = reader.find_stretch(question, [take_words(page, words) for _, words in boxes])
    if found is None:
        return NOTHING
    box, words = boxes[found.box]
    short: tuple[NqSpan, ...] = ()
    if found.words is not None:
        short = (page.span_of(words[_slice(found.words)]),)
    return nq.Prediction(box.span, short, "none", found.score, found.score)


def choose_closest(question: str, page: PageText, most: int) -> PageText:
    """Return a page with the outermost boxes closest to a question by TF-IDF, in their order."""
    boxes = list_outermost(page, len(page.boxes))
    if not boxes:
        return page
    texts = [" ".join(take_words(page, words)) for _, words in boxes]
    [scores] = tfidf_similarities([question], texts)
    best = sorted(range(len(boxes)), key=lambda place: (-scores[place], place))[:most]
    return keep_boxes(page, [boxes[place][0] for place in sorted(best)])


def keep_boxes(page: PageText, boxes: Sequence[PageBox]) -> PageText:
    """Return a page on which there are only these boxes."""
    return replace(page, boxes=tuple(boxes))


def take_words(page: PageText, places: range) -> Sequence[str]:
    """Return the words at places that follow each other."""
    return page.words[_slice(places)]


def _slice(places: range) -> slice:
    return slice(places.start, places.stop)
