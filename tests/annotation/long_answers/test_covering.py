"""Which short answers a text has: exactly as STR-EM counts, shown at their place."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotation.contexts.inputs import Disambiguation
from annotation.long_answers.covering import evaluate_coverage, place_of
from annotation.long_answers.response import Wording
from metrics.asqa import AsqaPair, first_present, str_em
from metrics.text import normalise_text, normalised_places

# Letters that grow or change in lower case, marks, articles, punctuation, spaces of all kinds.
_AWKWARD = "aeitnhTHE İIıΣςſßﬁÅé\u0301日本٣.,;:-–'\"“”!?()\t\n\u00a0\u2028\u200b😀👩🏽"
awkward = st.text(alphabet=_AWKWARD, max_size=40)


def disambiguation(*answers, position=0):
    return Disambiguation(position, "Which one?", tuple(answers))


def one(text, *answers, said=()):
    (found,) = evaluate_coverage(text, [disambiguation(*answers)], said)
    return found


@pytest.mark.parametrize(
    ("text", "answers", "state", "shown"),
    [
        ("It opened on 25 March 1843.", ["25 March 1843"], "found", "25 March 1843"),
        (
            "It opened on March 25, 1843!",
            ["25 March 1843", "March 25, 1843"],
            "found",
            "March 25, 1843",
        ),
        ("THE   beatles sang.", ["The Beatles"], "found", "beatles"),
        ("It was U.S.A. then.", ["USA"], "found", "U.S.A"),
        ("Pi is 3.14 or so.", ["314"], "found", "3.14"),
        ("Ça dit : « Beyoncé »", ["beyoncé"], "found", "Beyoncé"),
        ("😀😀 İzmir, then 7 December", ["7 December"], "found", "7 December"),
        ("Σίσυφος pushed", ["ΣΊΣΥΦΟΣ"], "found", "Σίσυφος"),
        ("It opened in 1843.", ["25 March 1843"], "missing", ""),
        ("the four seasons", ["4 seasons"], "missing", ""),
        # Composed and decomposed letters are two texts to the scorer, and so here.
        (unicodedata.normalize("NFD", "Beyoncé"), ["Beyoncé"], "missing", ""),
        ("1990–91", ["1990-91"], "missing", ""),
        ("", ["1843"], "missing", ""),
    ],
)
def test_a_short_answer_is_found_as_the_score_finds_it(text, answers, state, shown):
    found = one(text, *answers)
    assert found.state == state
    assert (str_em([AsqaPair("Which one?", answers)], text) == 100) == (state == "found")
    if state == "found":
        assert text[found.start : found.end] == shown


class TestInsideWords:
    def test_it_counts_and_says_so(self):
        found = one("They left the party.", "art")
        assert (found.state, found.inside_word) == ("found", True)
        assert (found.start, found.end) == (15, 18)

    def test_a_whole_word_comes_first(self):
        text = "They left the party for art."
        found = one(text, "art")
        assert (found.inside_word, text[found.start : found.end]) == (False, "art")
        assert found.start > text.index("party")

    def test_the_first_accepted_form_counts_as_in_the_score(self):
        found = one("Party of Art", "art", "Art")
        assert found.words == "art"

    def test_articles_and_punctuation_are_no_letters_of_a_word(self):
        assert not one("“The Who” played", "Who").inside_word


def test_a_form_that_is_nothing_to_the_score_is_found_without_a_place():
    found = one("Anything", "The")
    assert (found.state, found.start, found.end) == ("found", None, None)
    assert one("", "The").state == "found"


class TestInOtherWords:
    TEXT = "The work has a quartet of seasons, and seasons again."

    def test_marked_words_say_it(self):
        found = one(self.TEXT, "four seasons", said=[Wording(0, "a quartet of seasons")])
        assert (found.state, found.words) == ("said", "a quartet of seasons")
        assert self.TEXT[found.start : found.end] == "a quartet of seasons"

    def test_of_several_places_the_nearest_counts(self):
        last = self.TEXT.rindex("seasons")
        found = one(self.TEXT, "four", said=[Wording(0, "seasons", last - 2)])
        assert found.start == last
        assert one(self.TEXT, "four", said=[Wording(0, "seasons", 0)]).start < last

    def test_words_that_were_edited_away_say_nothing(self):
        found = one(self.TEXT, "four", said=[Wording(0, "a quintet")])
        assert (found.state, found.gone) == ("missing", "a quintet")

    def test_what_is_there_needs_no_other_words(self):
        assert one(self.TEXT, "seasons", said=[Wording(0, "a quartet")]).state == "found"

    def test_words_of_another_reading_do_not_count(self):
        assert one(self.TEXT, "four", said=[Wording(1, "a quartet")]).state == "missing"


def test_readings_keep_their_order():
    text = "First 1843, then 1869."
    found = evaluate_coverage(
        text,
        [
            disambiguation("1869"),
            disambiguation("1900", position=1),
            disambiguation("1843", position=2),
        ],
    )
    assert [each.state for each in found] == ["found", "missing", "found"]
    assert [each.disambiguation.number for each in found] == [1, 2, 3]


@given(awkward)
def test_places_are_those_of_the_normal_form(text):
    normal, places = normalised_places(text)
    assert normal == normalise_text(text)
    assert len(places) == len(normal)
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)


@given(awkward, st.lists(st.text(alphabet=_AWKWARD, max_size=6), min_size=1, max_size=3))
@example(text="\u039f\u03a3", answers=["\u03c2"])
def test_the_tick_is_the_score(text, answers):
    pair = AsqaPair("Which one?", answers)
    (which,) = first_present([pair], text)
    found = one(text, *answers)
    assert (found.state == "found") == (which is not None) == (str_em([pair], text) == 100)
    if found.state == "found" and found.start is not None:
        wanted = normalise_text(found.words)
        assert wanted in normalise_text(text)
        shown = text[found.start : found.end]
        # What is selected holds every character of the form that normalisation leaves. A capital
        # sigma is lower as its neighbours in the text have it, which the selection has lost.
        kept = [c for c in shown.casefold() if not c.isspace()]
        assert all(c in kept for c in wanted.casefold() if not c.isspace())


@given(awkward, st.text(alphabet=_AWKWARD, min_size=1, max_size=4), st.integers(0, 60))
def test_a_place_is_one_where_the_words_stand(text, words, near):
    place = place_of(words, text, near)
    if place is None:
        assert words not in text
    else:
        assert text[place[0] : place[1]] == words
