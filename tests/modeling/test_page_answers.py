"""From what models say of boxes to places on a page with scores (N22, N23)."""

import numpy as np
import pytest

from metrics import nq
from metrics.nq import NqSpan
from modeling.engines.base import FoundWords
from modeling.page_answers import (
    NOTHING,
    answer_in_long,
    answer_with_box,
    answer_with_stretch,
    choose_closest,
)
from modeling.page_texts import PageBox, PageText, list_outermost

BOXES = ["the mill was built in 1702", "a sluice gate feeds the wheel", "the wheel broke", ""]


def page_of(*texts):
    """Return a page whose boxes are these texts, between tags, without known bytes."""
    words, places, boxes = [], [], []
    at = 0
    for text in texts:
        start = at
        for word in text.split():
            at += 1
            words.append(word)
            places.append(at)
        at += 2
        boxes.append(PageBox("paragraph", True, NqSpan(-1, -1, start, at)))
    nowhere = (-1,) * len(words)
    return PageText(tuple(words), tuple(places), nowhere, nowhere, tuple(boxes))


PAGE = page_of(*BOXES)


class Scorer:
    """Gives scores in turn, and keeps the boxes that it is given."""

    def __init__(self, *scores):
        self.scores = list(scores)

    def score_boxes(self, question, boxes):
        self.boxes = [" ".join(words) for words in boxes]
        return self.scores[: len(boxes)]


class Reader:
    def __init__(self, found):
        self.found, self.read = found, None

    def find_words(self, question, words):
        self.read = " ".join(words)
        return self.found

    def find_stretch(self, question, boxes):
        self.read = [" ".join(words) for words in boxes]
        return self.found


def test_the_best_box_is_the_long_answer_with_its_score_also_below_no_answer():
    scorer = Scorer(-3.0, -0.5, -0.5)
    said = answer_with_box(scorer, "q", PAGE)
    assert scorer.boxes == BOXES[:3]  # the last one has no words
    assert said == nq.Prediction(PAGE.boxes[1].span, (), "none", -0.5, -0.5)


def test_of_many_boxes_the_first_fifty_are_scored():
    scorer = Scorer(*range(60))
    assert answer_with_box(scorer, "q", page_of(*["word"] * 60)).long_score == 49


def test_a_page_without_boxes_has_no_answer():
    assert answer_with_box(Scorer(), "q", page_of()) == NOTHING
    assert answer_with_stretch(Reader(None), "q", page_of()) == NOTHING
    assert answer_in_long(Reader(None), "q", PAGE, NOTHING) == NOTHING


def test_the_short_answer_is_where_it_stands_and_is_worth_less_than_the_long_one():
    long = nq.Prediction(PAGE.boxes[1].span, (), "none", 2.0)
    reader = Reader(FoundWords(0, range(1, 3), -0.25))
    said = answer_in_long(reader, "q", PAGE, long)
    assert reader.read == BOXES[1]
    assert said.short == (NqSpan(-1, -1, 10, 12),)
    assert [PAGE.words[place] for place in PAGE.find_words(said.short[0])] == ["sluice", "gate"]
    assert (said.long, said.long_score, said.short_score) == (long.long, 2.0, 1.75)


def test_a_long_answer_of_which_nothing_can_be_read_stays_alone():
    long = nq.Prediction(PAGE.boxes[1].span, (), "none", 2.0)
    assert answer_in_long(Reader(None), "q", PAGE, long) == long


@pytest.mark.parametrize(
    ("words", "short", "short_score"),
    [(range(0, 1), (NqSpan(-1, -1, 17, 18),), 4.0), (None, (), 4.0)],
)
def test_a_stretch_brings_its_box_and_a_whole_box_no_short_answer(words, short, short_score):
    reader = Reader(FoundWords(2, words, 4.0))
    said = answer_with_stretch(reader, "q", PAGE)
    assert reader.read == BOXES[:3]
    assert said == nq.Prediction(PAGE.boxes[2].span, short, "none", 4.0, short_score)


def test_the_closest_boxes_are_kept_in_the_order_of_the_page():
    texts = ["of other things", "the wheel turns", "of nothing else", "a wheel of the mill"]
    near = choose_closest("mill wheel", page_of(*texts), 2)
    assert [" ".join(near.words[p] for p in own) for _, own in list_outermost(near, 9)] == [
        "the wheel turns",
        "a wheel of the mill",
    ]


# --- The best stretch of scores -----------------------------------------------------------------


@pytest.mark.models
@pytest.mark.xdist_group("models")
def test_a_stretch_ends_after_it_begins_and_has_no_more_words_than_it_may():
    from modeling.engines.page_reading import _find_best

    starts = np.array([0.0, 0.0, 5.0, 1.0], dtype=np.float32)
    ends = np.array([9.0, 3.0, 0.0, 2.0], dtype=np.float32)
    # Tokens 1 and 2 are of one word; the best end is before the best start.
    assert _find_best(7, [0, 1, 1, 2], starts, ends, 9) == FoundWords(7, range(0, 1), 9.0)
    ends[0] = 0.0
    assert _find_best(7, [0, 1, 1, 2], starts, ends, 9) == FoundWords(7, range(1, 3), 7.0)
    assert _find_best(7, [0, 1, 1, 2], starts, ends, 1) == FoundWords(7, range(1, 2), 5.0)
