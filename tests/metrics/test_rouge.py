"""ROUGE: small cases by hand, and equality with the rouge-score package to the last bit."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.rouge import rouge_1, rouge_l, rouge_lsum, tokenise_and_stem

FEW_WORDS = st.lists(
    st.sampled_from(["a", "b", "c", "d", "runs", "running", "fly", "1", "é", "-"]), max_size=14
)
SENTENCES = st.lists(FEW_WORDS.map(" ".join), max_size=4)
ANY = st.lists(st.text(max_size=40), max_size=4)


@pytest.fixture(scope="module")
def official():
    """Return rouge-score's (precision, recall, F1) of two texts, by type."""
    scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is not installed")
    rouge = scorer.RougeScorer(["rouge1", "rougeL", "rougeLsum"], use_stemmer=True)
    return lambda reference, candidate: {
        name: (score.precision, score.recall, score.fmeasure)
        for name, score in rouge.score(reference, candidate).items()
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cats' running, 3.5 times", "the cat run 3 5 time"),
        ("Flies fly as of 1990s", "fli fly as of 1990"),  # three letters are not stemmed
        ("café Å", "caf"),
        ("\u212a", "k"),  # the Kelvin sign is a k in lower case
        ("one\u2028two_three\ud800", "one two three"),
        ("…", ""),
    ],
)
def test_tokens(text, expected):
    assert " ".join(tokenise_and_stem(text)) == expected


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # a b and c d are both found, in different sentences of the candidate
        (["a b c d"], ["a b x", "c d y"], (4 / 6, 4 / 4)),
        # united over sentences, but a token counts as often as the candidate has it
        (["a b", "a c"], ["a"], (1 / 1, 1 / 4)),
        # order counts within a sentence
        (["a b"], ["b a"], (1 / 2, 1 / 2)),
        (["a b"], ["b", "a"], (2 / 2, 2 / 2)),
        # "a" and "b" are equally long: the end of the reference is dropped, so b is taken, and
        # the second sentence still finds its a
        (["b a", "a"], ["a b"], (2 / 2, 2 / 3)),
        # a newline ends a sentence
        (["a b"], ["b\na"], (2 / 2, 2 / 2)),
        ([], ["a"], (0, 0)),
        (["?"], ["a"], (0, 0)),
        (["a"], [""], (0, 0)),
    ],
)
def test_rouge_lsum(reference, candidate, expected, official):
    score = rouge_lsum(reference, candidate)
    assert (score.precision, score.recall) == expected
    assert score == official("\n".join(reference), "\n".join(candidate))["rougeLsum"]


@pytest.mark.parametrize(
    ("reference", "candidate", "l", "one"),
    [
        ("a b c d", "a c b d", (3 / 4, 3 / 4, 3 / 4), (1, 1, 1)),
        ("a a b", "a b b b", (2 / 4, 2 / 3, 4 / 7), (2 / 4, 2 / 3, 4 / 7)),
        ("a", "b", (0, 0, 0), (0, 0, 0)),
        ("", "b", (0, 0, 0), (0, 0, 0)),
        ("a", "", (0, 0, 0), (0, 0, 0)),
    ],
)
def test_rouge_l_and_1(reference, candidate, l, one):  # noqa: E741  (the metric's name)
    assert rouge_l(reference, candidate) == pytest.approx(l)
    assert rouge_1(reference, candidate) == pytest.approx(one)


@settings(max_examples=600, deadline=None)
@given(st.one_of(st.tuples(SENTENCES, SENTENCES), st.tuples(ANY, ANY)))
def test_every_number_is_that_of_rouge_score(official, pair):
    reference, candidate = pair
    whole = "\n".join(reference), "\n".join(candidate)
    expected = official(*whole)
    assert rouge_lsum(*pair) == expected["rougeLsum"]
    assert rouge_l(*whole) == expected["rougeL"]
    assert rouge_1(*whole) == expected["rouge1"]


@given(ANY, ANY)
def test_bounds(reference, candidate):
    score = rouge_lsum(reference, candidate)
    assert all(0 <= value <= 1 for value in score)
    itself = rouge_lsum(reference, reference)
    assert itself.f1 == (1.0 if any(tokenise_and_stem(sentence) for sentence in reference) else 0.0)


@given(SENTENCES, SENTENCES, st.randoms(use_true_random=False))
def test_the_order_of_the_candidates_sentences_does_not_matter(reference, candidate, random):
    shuffled = random.sample(candidate, len(candidate))
    assert rouge_lsum(reference, shuffled) == rouge_lsum(reference, candidate)


def test_texts_longer_than_any_machine_word(official):
    first, second = [f"w{i} w{i % 7}" for i in range(400)], [f"w{i}" for i in range(0, 400, 2)]
    score = rouge_lsum(first, second)
    assert (score.precision, score.recall) == (200 / 200, 200 / 800)  # w0 to w6 count once, too
    whole = " ".join(first), " ".join(second)
    assert rouge_l(*whole) == official(*whole)["rougeL"]
