"""The likelihoods of spans, counted by hand, and batches of texts."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modeling.base import ArticlePassage
from modeling.engines import spans
from modeling.engines.tokens import MOST_TEXTS, EncodedPassage, batch_by_length

LOW = -1000.0


def page(*words, head=2):
    """Return a passage of these words, a token each, and its page after two other tokens."""
    places, start = [], 0
    for number, word in enumerate(words):
        places.append((start, start + len(word), number))
        start += len(word) + 1
    ids = list(range(head + len(words)))
    return ArticlePassage("1", "", " ".join(words)), EncodedPassage(
        ids, [0] * len(ids), head, places
    )


def numbers(*values):
    return np.array(values, dtype=np.float32)


def test_the_likelihoods_of_all_spans_of_all_passages_add_up_to_one():
    passages, pages = zip(page("in", "1843"), page("1869"), strict=True)
    starts = [numbers(9, 9, 0, math.log(4)), numbers(9, 9, math.log(2))]
    ends = [numbers(9, 9, LOW, 0), numbers(9, 9, math.log(2))]
    # “1843” 4, “in 1843” 1, “1869” 4; what stands before the text does not count.
    found = spans.choose_best_spans(passages, pages, starts, ends, None, 2)
    assert [(span.text, span.passage) for span in found] == [("1843", 0), ("1869", 1)]
    assert [span.likelihood for span in found] == pytest.approx([4 / 9, 4 / 9])


def test_a_reader_that_judges_passages_multiplies_both_likelihoods():
    passages, pages = zip(page("in", "1843"), page("1869"), strict=True)
    starts = [numbers(0, 0, 0, math.log(3)), numbers(0, 0, 5)]
    ends = [numbers(0, 0, LOW, 0), numbers(0, 0, 5)]
    found = spans.choose_best_spans(passages, pages, starts, ends, [math.log(3), 0.0], 2)
    assert [span.text for span in found] == ["1843", "1869"]
    assert [span.likelihood for span in found] == pytest.approx([3 / 4 * 3 / 4, 1 / 4])


def test_a_span_within_a_likelier_one_is_left_out_and_its_neighbour_stays():
    passage, read = page("a", "b", "c")
    starts, ends = numbers(0, 0, 5, 4, 3), numbers(0, 0, 0, 5, 6)
    found = spans.choose_best_spans([passage], [read], [starts], [ends], None, 9)
    assert [span.text for span in found] == ["a b c"]
    starts, ends = numbers(0, 0, 5, 0, 5), numbers(0, 0, 5, 0, 4)
    found = spans.choose_best_spans([passage], [read], [starts], [ends], None, 2)
    assert [span.text for span in found] == ["a", "c"]


def test_a_span_has_ten_tokens_at_most():
    passage, read = page(*"abcdefghijklmno")
    starts, ends = np.full(17, LOW, np.float32), np.full(17, LOW, np.float32)
    starts[2], ends[16], ends[11] = 0, 0, -1
    (span,) = spans.choose_best_spans([passage], [read], [starts], [ends], None, 1)
    assert span.text == "a b c d e f g h i j"


def test_a_span_is_widened_to_whole_words():
    passage = ArticlePassage("1", "", "the Brunels built")
    read = EncodedPassage([0] * 4, [0] * 4, 0, [(0, 3, 0), (4, 8, 1), (8, 11, 1), (12, 17, 2)])
    low = numbers(LOW, LOW, 0, LOW)
    (span,) = spans.choose_best_spans([passage], [read], [low], [low], None, 1)
    assert span.text == "Brunels"


def test_pages_of_which_no_text_was_read_have_no_spans():
    passage, read = page("1843")
    empty = EncodedPassage([0, 0], [0, 0], 2, [])
    vectors = [numbers(0, 0), numbers(0, 0, 0)]
    assert spans.choose_best_spans([passage], [empty], vectors[:1], vectors[:1], [1.0], 5) == []
    (span,) = spans.choose_best_spans(
        [passage, passage], [empty, read], vectors, vectors, [9.0, 0.0], 5
    )
    assert (span.passage, span.likelihood) == (1, pytest.approx(1))


@given(st.lists(st.integers(0, 50), max_size=60), st.integers(1, 200))
def test_batches_hold_every_text_once_and_no_more_tokens_than_they_may(lengths, tokens):
    cut = list(batch_by_length(lengths, tokens))
    assert sorted(place for batch in cut for place in batch) == list(range(len(lengths)))
    for batch in cut:
        assert len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= tokens


def test_a_batch_of_short_texts_is_bounded_too():
    assert [len(batch) for batch in batch_by_length([0] * 300, 8)] == [MOST_TEXTS, 300 - MOST_TEXTS]
