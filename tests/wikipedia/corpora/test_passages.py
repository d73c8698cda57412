import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikipedia.text.passages import PASSAGE_WORDS, cut_passages, ends_sentence


def sentence(length):
    return " ".join(["Word", *["word"] * (length - 2), "end."][-length:]).capitalize()


def sizes(*lengths):
    return [len(p.split()) for p in cut_passages([" ".join(sentence(n) for n in lengths)])]


def test_passages_end_with_sentences():
    assert sizes(*[30] * 7) == [90, 90, 30]
    assert sizes(10, 95, 20) == [10, 95, 20]  # nothing is cut that need not be


def test_only_a_sentence_longer_than_a_passage_is_cut():
    assert sizes(250) == [100, 100, 50]
    assert sizes(5, 150, 20) == [100, 75]


def test_a_passage_of_exactly_the_limit_is_whole():
    assert sizes(100, 100) == [100, 100]
    assert sizes(100) == [100]


@pytest.mark.parametrize(
    ("word", "following", "ends"),
    [
        ("end.", "The", True), ("end", "The", False), ("end?”", "He", True), ("end.)", "", True),
        ("Mr.", "Smith", False), ("J.", "Smith", False), ("U.S.", "Army", False),
        ("approx.", "five", False), ("etc.", "The", False), ("ended.", "then", False),
        ("1911.", "It", True), ("终。", "下", True), ("...", "", True), (".", "", True),
        ("3.", "The", True),
    ],
)  # fmt: skip
def test_where_sentences_end(word, following, ends):
    assert ends_sentence(word, following) is ends


words = st.text(min_size=1, max_size=6) | st.sampled_from(
    ["a.", "b", "c!", "Mr.", "d?”", "J.", "."]
)


@given(st.lists(st.lists(words, max_size=260).map(" ".join), max_size=6))
def test_no_word_is_lost_or_moved_and_none_is_too_long(texts):
    cut = list(cut_passages(texts))
    assert " ".join(cut).split() == " ".join(texts).split()
    assert all(0 < len(p.split()) <= PASSAGE_WORDS for p in cut)


@given(st.lists(st.integers(1, 100), min_size=1, max_size=30))
def test_no_sentence_that_fits_is_cut(lengths):
    cut = list(cut_passages([" ".join(sentence(n) for n in lengths)]))
    assert all(p.lower().endswith("end.") for p in cut)


def test_a_very_long_text_takes_time_in_proportion():
    began = time.process_time()
    assert sum(1 for _ in cut_passages(["word " * 1_000_000])) == 10_000
    assert time.process_time() - began < 20
