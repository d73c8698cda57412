"""The best stretch of a page by what a model thinks of each token of its windows."""

import numpy as np
import pytest

from modeling.engines.base import PageAnswer
from modeling.engines.pages import LONGEST_SHORT, choose_stretch
from modeling.engines.tokens import PageWindow

QUESTION = 2  # a mark and a question before the words of each window
BOXES = [range(3), range(4, 6), range(6, 50)]  # word 3 is in none


def window(*words):
    return PageWindow([0] * (QUESTION + len(words)), [0] * (QUESTION + len(words)),
                      [None] * QUESTION + list(words))  # fmt: skip


def logits(part, **by_place):
    """Zeros but for what is named: s3=2.0 is the start at word 3, e4=1.0 the end at word 4."""
    rows = {"s": np.zeros(len(part), dtype=np.float32), "e": np.zeros(len(part), dtype=np.float32)}
    for name, value in by_place.items():
        place = 0 if name[1:] == "nothing" else part.words.index(int(name[1:]))
        rows[name[0]][place] = value
    return rows["s"], rows["e"]


PAGE = window(*range(8))


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({"s1": 3, "e2": 2}, (range(1, 3), 0, False, 5)),
        ({"s1": 3, "e2": 2, "snothing": 4, "enothing": 4}, (range(1, 3), 0, False, -3)),
        ({"s2": 3, "e1": 9}, (range(2), 0, False, 9)),  # nothing ends before it begins
        ({"s2": 3, "e4": 3, "e2": 1}, (range(2, 3), 0, False, 4)),  # nor goes from box to box
        ({"s3": 9, "e3": 9, "s1": 1}, (range(1, 2), 0, False, 1)),  # nor is outside of boxes
        ({"s0": 3, "e2": 3}, (range(3), 0, True, 6)),
        ({"s4": 3, "e5": 3}, (range(4, 6), 1, True, 6)),
        ({"s4": 3, "e5": 3, "e4": 3.5}, (range(4, 5), 1, False, 6.5)),
    ],
)
def test_of_a_window(given, answer):
    assert choose_stretch([PAGE], [logits(PAGE, **given)], BOXES) == PageAnswer(*answer)


def test_a_short_answer_has_thirty_tokens_at_most_and_a_whole_box_any_number():
    part = window(*range(6, 50))
    whole = logits(part, s6=5, e49=5)
    assert choose_stretch([part], [whole], BOXES) == PageAnswer(range(6, 50), 2, True, 10)
    for words, longest in ((range(7, 7 + LONGEST_SHORT), True), (range(7, 49), False)):
        given = logits(part, **{"s7": 5, f"e{words[-1]}": 5})
        found = choose_stretch([part], [given], BOXES)
        assert (found.words == words, found.score) == (longest, 10 if longest else 5)


def test_windows_are_compared_by_how_much_better_than_nothing_each_is():
    first, second = window(0, 1), window(1, 2)
    rows = [logits(first, s1=9, e1=9, snothing=8, enothing=8), logits(second, s1=2, e1=2)]
    assert choose_stretch([first, second], rows, BOXES) == PageAnswer(range(1, 2), 0, False, 4)
    same = [logits(first, s1=2, e1=2), logits(second, s2=2, e2=2)]
    assert choose_stretch([first, second], same, BOXES).words == range(1, 2)


def test_words_of_several_tokens_are_whole():
    part = window(0, 0, 0, 1, 2)
    starts, ends = logits(part)
    starts[QUESTION + 1], ends[QUESTION + 2] = 3, 3  # begins in the middle of the first word
    assert choose_stretch([part], [(starts, ends)], BOXES).words == range(1)


def test_a_page_without_words_in_boxes_has_no_answer():
    assert choose_stretch([], [], []) is None
    assert choose_stretch([window(3)], [logits(window(3), s3=9)], BOXES) is None
    assert choose_stretch([window()], [logits(window())], BOXES) is None
