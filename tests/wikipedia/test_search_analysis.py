"""How queries and titles become terms."""

import pytest

from wikipedia.analysis import (
    MAX_QUERY_TERMS,
    STOP_WORDS,
    analyser,
    exact_key,
    language_named,
    query_terms,
    terms_of,
)

ENGLISH = language_named("eng")


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


def test_languages_without_spaces_are_read_by_character():
    assert terms("東京タワー 1958年", "jpn") == ["東", "京", "タ", "ワ", "ー", "1958", "年"]
    japanese = language_named("ja")
    words = [found[0] for found in japanese.word.finditer("東京 Tower")]
    assert words == ["東", "京", "Tower"]
    assert analyser("ja").analyze("東京 Tower") == ["東", "京", "tower"]


def test_words_of_a_text_are_the_terms_of_the_index():
    text = "Ray's “Malmö” café-bar, no. 12½ — Ångström's AC/DC and well_known 東京"
    by_word = [term for word in ENGLISH.word.findall(text) for term in terms_of(word, ENGLISH)]
    assert by_word == ENGLISH.text.analyze(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [("AC/DC", "ac dc"), ("Lund (band)", "lund band"), ("  The   Who ", "the who")],
)
def test_titles_are_compared_as_plain_words(one, other):
    assert exact_key(one) == exact_key(other)


def test_titles_keep_their_small_words():
    assert exact_key("The Who") != exact_key("Who")
    assert exact_key("!!!") == ""
