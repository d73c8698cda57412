"""The part of a text that is shown under a result."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from wikipedia.search.analysis import language_named
from wikipedia.search.snippets import SNIPPET_CHARACTERS, build_snippet

ENGLISH = language_named("eng")
FILLER = "Nothing of interest stands here at all. "


def shown(text, *terms, **weights):
    return build_snippet(text, dict.fromkeys(terms, 1.0) | weights, ENGLISH)


def plain(segments):
    return "".join(text for text, _ in segments)


def marked(segments):
    return [text for text, matched in segments if matched]


def test_words_are_marked_as_they_stand():
    found = shown("The Harbours of Lund.", "harbour", "lund")
    assert found == (
        ("The ", False), ("Harbours", True), (" of ", False), ("Lund", True), (".", False),
    )  # fmt: skip


def test_the_stretch_with_most_of_the_words_is_shown_from_its_sentence():
    text = f"A ferry. {FILLER * 10}The ferry crosses the sound at noon. {FILLER * 10}"
    found = shown(text, "ferri", "sound", "noon")
    assert plain(found).startswith("…The ferry crosses the sound at noon.")
    assert plain(found).endswith("…")
    assert marked(found) == ["ferry", "sound", "noon"]


def test_a_snippet_begins_with_a_sentence_that_shows_nearly_as_much():
    start = "It was built by Dr. J. Smith of St. Ives in the year 1765 with many hands, "
    text = f"{FILLER * 10}{start}and its harbour froze. {FILLER * 10}"
    assert plain(shown(text, "harbour", "froze")).startswith(f"…{start}and its harbour froze.")


def test_a_match_too_far_from_its_sentence_begins_at_a_word():
    text = f"It begins {'and goes on ' * 40}until the harbour froze at last."
    found = plain(shown(text, "harbour", "froze"))
    assert not found.startswith("It begins")
    assert "harbour froze" in found


def test_pairs_of_letters_that_overlap_are_marked_once():
    japanese = language_named("ja")
    found = build_snippet("新しい東京都。", {"東京": 1.0, "京都": 1.0}, japanese)
    assert found == (("新しい", False), ("東京都", True), ("。", False))


def test_a_rare_word_outweighs_common_ones():
    text = f"Boat and boat and ship. {FILLER * 10}It froze. {FILLER * 10}"
    assert marked(shown(text, boat=0.1, ship=0.1, froze=5.0)) == ["froze"]
    assert marked(shown(text, boat=5.0, ship=5.0, froze=0.1)) == ["Boat", "boat", "ship"]


def test_without_a_match_it_is_the_beginning():
    assert shown("Short.", "ferri") == (("Short.", False),)
    [(text, matched)] = shown(FILLER * 20, "ferri")
    assert not matched
    assert text.startswith("Nothing of interest")
    assert text.endswith("…")
    assert shown("", "ferri") == ()


def test_html_stays_text():
    assert plain(shown("<script>ferry</script> & <b>boat</b>", "ferri")) == (
        "<script>ferry</script> & <b>boat</b>"
    )


@given(
    text=st.text(max_size=2_000)
    | st.lists(st.sampled_from(["ferry", "boat.", "é" * 30, "x" * 300, "東京", "\n"])).map(" ".join)
)
def test_a_snippet_is_a_short_piece_of_its_text(text):
    found = shown(text, "ferri", "boat", "x")
    assert all(piece for piece, _ in found)
    whole = plain(found)
    assert whole.removeprefix("…").removesuffix("…") in text
    assert len(whole) <= SNIPPET_CHARACTERS + 2
    assert all(a[1] or b[1] for a, b in pairwise(found))
