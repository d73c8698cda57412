"""Quotes found again: the right place where there is one, and never a wrong one silently."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wikipedia.quotes.anchoring import MAX_EDITED_CHARACTERS, Selector, State, anchor_quote
from wikipedia.text.distance import best_ends, edit_distance, similarity_at_start
from wikipedia.text.folding import fold_text, fold_without_spaces, fold_words

# Letters outside the first 65,536, marks that combine and marks that cannot, other scripts.
_VOCABULARY = (
    "the tunnel opened again in 1843 1869 on and bridge Zürich 😀 👩\u200d🚀 q\u0307 x\u0301 한국"
    " 𝔸𝔹 naïve Ωmega “quoted” 1930–45 it's"
)
WORDS = st.sampled_from(_VOCABULARY.split())
LINES = st.lists(st.lists(WORDS, min_size=3, max_size=12).map(" ".join), min_size=1, max_size=12)
TEXTS = LINES.map(lambda lines: unicodedata.normalize("NFC", "\n".join(lines)))
ANYTHING = st.text(st.characters(codec="utf-8"), max_size=80)


def quoted(text, start, end):
    """The selector of a place, as it is stored."""
    return Selector(text[start:end], text[max(0, start - 32) : start], text[end : end + 32], start)


@st.composite
def quotes(draw):
    """A text and a quote of it, whole words."""
    text = draw(TEXTS)
    edges = [0, *(at + 1 for at, letter in enumerate(text) if letter in " \n"), len(text) + 1]
    first = draw(st.integers(0, len(edges) - 2))
    last = draw(st.integers(first + 1, min(len(edges) - 1, first + 8)))
    return text, quoted(text, edges[first], edges[last] - 1)


def numbered(lines):
    """Lines that can be told apart by what stands around their words."""
    return [f"Number {at} of them says {line} and ends {at}." for at, line in enumerate(lines)]


@given(quotes())
def test_in_the_same_text_it_is_where_it_was(case):
    text, quote = case
    found = anchor_quote(text, quote)
    assert (found.state, found.score) == (State.EXACT, 1.0)
    assert (found.start, found.end) == (quote.start, quote.start + len(quote.exact))


@given(quotes(), LINES, LINES)
def test_text_added_around_does_not_hide_it(case, above, below):
    text, quote = case
    # What is added does not touch its surroundings, which then stand there whole.
    assume(quote.start >= 32)
    assume(len(text) - quote.start - len(quote.exact) >= 32)
    new = "\n".join([*above, text, *below])
    found = anchor_quote(new, quote)
    assert found.state in (State.EXACT, State.MOVED)
    # A line break is a space to a quote: what was added may hold the same words in other lines.
    line, exact, prefix, suffix = (
        words.replace("\n", " ") for words in (new, quote.exact, quote.prefix, quote.suffix)
    )
    assert line[found.start : found.end] == exact
    assert line[: found.start].endswith(prefix)
    assert line.startswith(suffix, found.end)


@given(st.data(), LINES)
def test_of_repeated_phrases_the_right_one(data, lines):
    phrase = "it opened again"
    lines = [f"Year {1800 + at * 7}: {phrase} after {at * 11} days." for at in range(12)] + lines
    text = unicodedata.normalize("NFC", "\n".join(lines))
    number = data.draw(st.integers(0, 11))
    start = text.index(phrase, text.index(f"Year {1800 + number * 7}:"))
    quote = quoted(text, start, start + len(phrase))
    gone = data.draw(st.sets(st.integers(0, 11).filter(lambda each: abs(each - number) > 1)))
    new = "\n".join(line for at, line in enumerate(text.split("\n")) if at not in gone)
    found = anchor_quote(new, quote)
    assert found.start == new.index(phrase, new.index(f"Year {1800 + number * 7}:"))
    assert found.end == found.start + len(phrase)


@given(LINES, st.data())
def test_an_edit_inside_keeps_the_place(lines, data):
    text = unicodedata.normalize("NFC", "\n".join(numbered(lines)))
    line = data.draw(st.sampled_from(text.split("\n")))
    words = line.partition(" says ")[2].rpartition(" and ends ")[0]
    assume(len(words) >= 12)
    assume(text.count(words) == 1)
    start = text.index(line) + line.index(words)
    at = data.draw(st.integers(1, len(words) - 2))
    edit = data.draw(st.sampled_from(["", "x", "ab", "😀"]))
    changed = words[:at] + edit + words[at + 1 :]
    assume(fold_words(changed) != fold_words(words))
    new = text[:start] + changed + text[start + len(words) :]
    found = anchor_quote(new, quoted(text, start, start + len(words)))
    assert found.state == State.CHANGED
    assert found.score > 0.7
    overlap = min(found.end, start + len(changed)) - max(found.start, start)
    assert overlap >= len(changed) - 4


@given(quotes(), st.lists(st.tuples(st.integers(0, 400), ANYTHING), max_size=6))
def test_after_any_edits_what_is_called_the_same_is_the_same(case, edits):
    text, quote = case
    for at, piece in edits:
        text = text[:at] + piece + text[at + len(piece) // 2 :]
    text = unicodedata.normalize("NFC", text)
    found = anchor_quote(text, quote)
    if found.state == State.LOST:
        assert found.start is found.end is None
        return
    assert 0 <= found.start < found.end <= len(text)
    assert 0 < found.score <= 1
    same = fold_text(text[found.start : found.end]).text == fold_words(quote.exact)
    assert same == (found.state in (State.EXACT, State.MOVED))
    if found.state == State.EXACT:
        assert found.start == quote.start


@given(ANYTHING, ANYTHING, ANYTHING, ANYTHING, st.none() | st.integers(-9, 10**6))
def test_it_never_raises(text, exact, prefix, suffix, start):
    found = anchor_quote(text, Selector(exact, prefix, suffix, start))
    assert (found.start is None) == (found.state == State.LOST)


def test_words_taken_out_are_lost():
    text = "\n".join(numbered(["trains came in 1869", "carts never came", "walkers paid"]))
    start = text.index("carts never came")
    quote = quoted(text, start, start + len("carts never came"))
    gone = text.replace(text.split("\n")[1] + "\n", "")
    assert anchor_quote(gone, quote).state == State.LOST
    assert anchor_quote("", quote).state == State.LOST


def test_a_short_word_between_other_words_is_not_believed():
    text = "It was closed in 1995 for repairs. Trains came in 1869 to London."
    start = text.index("1869")
    new = "In the year 1869 the Suez Canal was opened, far from here."
    assert anchor_quote(new, quoted(text, start, start + 4)).state == State.LOST


def test_long_words_are_believed_anywhere():
    words = "the first tunnel that was dug under a navigable river"
    text = f"Before it there was none: it was {words}, and it took eighteen years."
    start = text.index(words)
    new = f"Brunel's work – people came to see {words} – is open."
    found = anchor_quote(new, quoted(text, start, start + len(words)))
    assert (found.state, new[found.start : found.end]) == (State.MOVED, words)
    assert found.score < 0.8


def test_the_edited_original_is_better_than_the_same_words_elsewhere():
    text = "It opened on 25 March 1843 to people on foot.\nA plaque of 1975 stands there."
    start = text.index("25 March 1843")
    new = text.replace("25 March", "26 March") + "\nCompare: 25 March 1843 was a Saturday."
    found = anchor_quote(new, quoted(text, start, start + 13))
    assert (found.state, new[found.start : found.end]) == (State.CHANGED, "26 March 1843")


def test_a_replaced_last_word_is_taken_whole():
    text = "The tunnel was opened to walkers in spring, and to trains later."
    words = "opened to walkers in spring"
    start = text.index(words)
    new = text.replace("spring", "autumn")
    found = anchor_quote(new, quoted(text, start, start + len(words)))
    assert new[found.start : found.end] == "opened to walkers in autumn"


def test_typography_is_no_change():
    text = "It was “open” in 1930-45 again."
    quote = quoted(text, 7, 24)
    new = 'Note. It was "open" in 1930–45 again.'
    assert anchor_quote(new, quote).state == State.MOVED


def test_what_stands_equally_everywhere_is_the_nearest():
    text = "\n".join(["the same line every time"] * 40)
    start = text.index("same", 400)
    new = "added above\n" + text
    found = anchor_quote(new, quoted(text, start, start + 4))
    assert abs(found.start - start) <= 25


def test_a_quote_too_long_to_compare_is_found_whole_or_lost():
    words = "abc def " * (MAX_EDITED_CHARACTERS // 7)
    quote = Selector(words.strip(), "", "", 0)
    assert anchor_quote("x " + words, quote).state == State.MOVED
    assert anchor_quote("x " + words[5:], quote).state == State.LOST


# --- what it is made of --------------------------------------------------------------------------

SHORT = st.text("ab😀", max_size=8)


def plain_distance(one, other):
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        new = [i]
        for j, right in enumerate(other, 1):
            new.append(min(row[j] + 1, new[-1] + 1, row[j - 1] + (left != right)))
        row = new
    return row[-1]


@given(SHORT, SHORT)
def test_the_distance_is_the_textbook_one(one, other):
    assert edit_distance(one, other) == plain_distance(one, other)


@given(SHORT.filter(bool), SHORT)
def test_the_nearest_piece_of_a_text(pattern, text):
    each = [
        min(plain_distance(pattern, text[low:high]) for low in range(high + 1))
        for high in range(len(text) + 1)
    ]
    least = min(each)
    assert best_ends(pattern, text) == (
        least,
        [at for at, value in enumerate(each) if value == least],
    )
    prefix = min(plain_distance(pattern, text[:high]) for high in range(len(text) + 1))
    assert similarity_at_start(pattern, text) == pytest.approx(1 - prefix / len(pattern))


@given(st.text("ab –\u200b\u00ad\n😀", max_size=16))
def test_folded_places_are_places_of_the_text(text):
    for folded in (fold_text(text), fold_without_spaces(text)):
        for at, letter in enumerate(folded.text):
            start, end = folded.original_span(at, at + 1)
            assert end == start + 1
            assert fold_text(text[start]).text == letter
    kept = [at for at, letter in enumerate(text) if letter not in "\u200b\u00ad"]
    assert [fold_text(text).folded_position(at) for at in kept] == list(range(len(kept)))


@pytest.mark.parametrize(
    ("copied", "folded"),
    [
        ("It closed[3] in[a] 1995[citation needed].", "It closed in 1995."),
        ("see[note 2] here[when?]", "see here"),
        ("[sic] and a[1] [2]", "[sic] and a"),
        ("array[1000000]", "array[1000000]"),
    ],
)
def test_footnote_marks_as_they_are_copied(copied, folded):
    assert fold_words(copied, marks=False) == folded
