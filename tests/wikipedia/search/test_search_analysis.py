"""How queries and titles become terms."""

import pytest

from wikipedia.search.analysis import _STEMMERS as STEMMED_NAMES
from wikipedia.search.analysis import (
    MAX_QUERY_TERMS,
    STOP_WORDS,
    build_analyser,
    exact_key,
    language_named,
    query_terms,
    terms_of,
)

ENGLISH = language_named("eng")
STEMMED = frozenset(STEMMED_NAMES)


def terms(query, language="eng"):
    return query_terms(query, language_named(language))


def test_words_are_stemmed_and_small_ones_dropped():
    assert terms("Who dug the harbours?") == ["dug", "harbour"]
    assert terms("harbour harbours HARBOUR") == ["harbour"]


def test_small_words_count_when_there_is_nothing_else():
    assert terms("it was the") == ["it", "was", "the"]
    assert terms("The Who") == ["the", "who"]


def test_every_stop_word_is_one():
    assert all(ENGLISH.content.analyze(word) == [] for word in STOP_WORDS)
    assert ENGLISH.content.analyze("WHAT") == []


def test_accents_and_ways_to_write_them_do_not_matter():
    composed, decomposed = "Malm\u00f6", "Malmo\u0308"
    assert terms(composed) == terms(decomposed) == terms("malmo") == ["malmo"]
    assert exact_key(composed) == exact_key(decomposed) == "malmo"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ('"ferry" AND (boat OR -lund)', ["ferri", "boat", "lund"]),  # and, or: stop words
        ("title:ferry^9~2 [a TO z]", ["titl", "ferri", "9", "2", "z"]),
        ("o'brien's", ["o", "brien"]),
        ("\x00ferry\x07\n", ["ferri"]),
        ("ferry\ud800boat", ["ferri", "boat"]),
        ("🚢", []),
        ("?!,;", []),
        ("", []),
    ],
)
def test_no_character_is_an_operator(query, found):
    assert terms(query) == found


def test_long_queries_are_cut():
    assert terms("a" * 10_000) == []
    assert len(terms(" ".join(f"w{n}" for n in range(5_000)))) == MAX_QUERY_TERMS


def test_other_languages_have_their_own_small_words_and_stems():
    assert terms("Wo waren die Häfen?", "deu") == ["haf"]
    assert terms("où sont les ports", "fra,eng")[-1] == "port"
    assert "les" not in terms("où sont les ports", "fra,eng")
    # English stop words are words elsewhere.
    assert "so" in terms("so him", "eus")


@pytest.mark.parametrize("key", sorted(STEMMED | {"", "hin", "jpn", "tha", "xyz"}))
def test_every_language_can_be_read(key):
    language = language_named(key)
    assert query_terms("Sound 1843", language)[-1] == "1843"


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("jpn", "東京タワー 1958", ["東京", "京タ", "タワ", "ワー", "東", "京", "1958"]),
        ("ja", "ﾀﾜｰ", ["タワ", "ワー"]),  # half the width, the same letters
        ("zho", "象", ["象"]),
        ("kor", "대한민국의", ["대한", "한민", "민국", "국의"]),
        ("tha", "เมืองหลวง", ["เมื", "มือ", "อง", "งห", "หล", "ลว", "วง"]),
    ],
)
def test_letters_that_nothing_separates_are_taken_in_pairs(language, text, found):
    assert terms(text, language) == found


def test_vowel_signs_do_not_cut_words():
    assert terms("हिन्दी की राजधानी", "hin") == ["हिन्दी", "की", "राजधानी"]
    hindi = language_named("hi")
    assert [terms for _, _, terms in hindi.locate_words("हिन्दी।")] == [("हिन्दी",)]


def test_the_turkish_capital_i_is_an_i():
    assert terms("İstanbul", "tur") == terms("istanbul", "tur") == ["istanbul"]


def test_words_are_marked_where_they_stand():
    text = "新しい東京 Tower"
    places = list(language_named("ja").locate_words(text))
    assert [text[start:end] for start, end, _ in places][-3:] == ["い東", "東京", "Tower"]
    assert places[-1][2] == ("tower",)
    assert build_analyser("ja").analyze("東京 Tower") == ["東京", "tower"]


def test_words_of_a_text_are_the_terms_of_the_index():
    text = "Ray's “Malmö” café-bar, no. 12½ — Ångström's AC/DC and well_known 東京"
    by_word = [term for word in ENGLISH.word.findall(text) for term in terms_of(word, ENGLISH)]
    assert by_word == ENGLISH.text.analyze(text)


@pytest.mark.parametrize(("one", "other"), [("か", "が"), ("กิน", "กัน"), ("가", "각")])
def test_signs_that_make_another_letter_make_another_title(one, other):
    assert exact_key(one) != exact_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("AC/DC", "ac dc"), ("Lund (band)", "lund band"), ("  The   Who ", "the who")],
)
def test_titles_are_compared_as_plain_words(one, other):
    assert exact_key(one) == exact_key(other)


def test_titles_keep_their_small_words():
    assert exact_key("The Who") != exact_key("Who")
    assert exact_key("!!!") == ""
