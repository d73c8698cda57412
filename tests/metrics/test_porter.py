"""Stems: the examples of Porter's paper, and equality with NLTK's stemmer."""

import gzip
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.porter import stem_word

ENDINGS = re.findall(
    "[a-z]+",
    "ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness "
    "fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al ance "
    "ence er ic able ible ant ement ment ent ion sion ou ism ate iti ous ive ize y ies ied eed ed "
    "ing s ss sses e ll at bl iz",
)
WORD = st.text(alphabet="aeiouybcdlstwxz1", max_size=7)
BUILT = st.tuples(WORD, st.lists(st.sampled_from(ENDINGS), max_size=4)).map(
    lambda parts: parts[0] + "".join(parts[1])
)
ASCII = st.text(alphabet=st.characters(max_codepoint=127), max_size=12)


@pytest.fixture(scope="module")
def nltk_stem():
    """NLTK's stemmer in the mode that rouge-score uses."""
    porter = pytest.importorskip("nltk.stem.porter", reason="nltk is not installed")
    return porter.PorterStemmer().stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("ties", "tie"),  # four letters: NLTK keeps the e
        ("cats", "cat"),
        ("agreed", "agre"),
        ("feed", "feed"),
        ("plastered", "plaster"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("filing", "file"),
        ("happy", "happi"),
        ("enjoy", "enjoy"),  # y after a vowel stays
        ("relational", "relat"),
        ("vietnamization", "vietnam"),
        ("apology", "apolog"),
        ("hopefully", "hope"),
        ("radically", "radic"),
        ("triplicate", "triplic"),
        ("adoption", "adopt"),
        ("replacement", "replac"),
        ("rate", "rate"),
        ("controlling", "control"),
        ("skies", "sky"),
        ("innings", "inning"),
        ("dying", "die"),
        ("SYZYGY", "syzygi"),
        ("1990s", "1990"),
        ("as", "as"),
        ("", ""),
    ],
)
def test_stem(word, expected):
    assert stem_word(word) == expected


@settings(max_examples=1500, deadline=None)
@given(st.one_of(BUILT, ASCII))
def test_stems_are_those_of_nltk(nltk_stem, word):
    assert stem_word(word) == nltk_stem(word)


@given(st.text(max_size=20))
def test_any_text_has_a_stem(word):
    assert len(stem_word(word)) <= len(word.lower()) + 1


@pytest.mark.realdata
def test_every_word_of_the_data_has_the_stem_that_nltk_gives_it(realdata, nltk_stem):
    words = set()
    files = [
        path
        for folder in ("ambignq", "asqa", "nq_open", "qampari", "nltk_data", "reference")
        for path in (realdata / folder).rglob("*.*")
        if path.suffix in (".json", ".jsonl", ".gz", ".tab")
    ]
    for path in files:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        words.update(re.findall("[a-z0-9]+", data.decode().lower()))
    assert len(words) > 80_000
    wrong = {word: stem_word(word) for word in words if stem_word(word) != nltk_stem(word)}
    assert not wrong
