"""Did you mean."""

import pytest

from tests.wikipedia.search.test_search_ranking import Articles
from wikipedia.search.index import build_index
from wikipedia.search.searching import search_articles

TEXTS = [
    ("Ray Charles", ["Ray Charles was a singer from Georgia.", "Charles played the piano."]),
    ("Harbour of Lund", ["The harbour was dug.", "Passengers wait for the passenger ferry."]),
    ("Chapel", ["A chalet is no chapel.", "Chapels are small churches."]),
    ("Government", ["The government of Georgia."]),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("suggest") / "x"
    build_index(made, Articles(*((title, [], passages) for title, passages in TEXTS)))
    return made


def meant(folder, query):
    return search_articles(folder, query).suggestion


@pytest.mark.parametrize(
    ("query", "better"),
    [
        ("chalres", "charles"),  # letters that changed places
        ("Ray Chalres", "Ray Charles"),
        ("harbor of Lund", "harbour of Lund"),
        ("goverment", "government"),
        ("govermnent of georgia", "government of georgia"),
        ("passanger ferry", "passenger ferry"),
        ("Raay Chrles, pianno?", "Ray Charles, piano?"),
        ("who was rya chalres", "who was rya charles"),  # too short to guess
    ],
)
def test_a_word_that_is_nowhere_is_replaced_by_the_nearest(folder, query, better):
    assert meant(folder, query) == better


@pytest.mark.parametrize(
    "query",
    [
        "ray charles",  # all is known
        "harbours",  # another form of a known word
        "xyzzy",  # like nothing
        "1756",  # numbers are never corrected
        "b4rbour",
        "the of was",
        "lunt",  # four letters: "lund" is meant, see below
        "東京",
        "",
        "?!",
        "qqqq wwww zzzz vvvv",  # nothing of it is known: no guess at a whole sentence
        "\x00\ud800",
    ],
)
def test_nothing_is_suggested_without_reason(folder, query):
    expected = {"lunt": "lund"}.get(query, "")
    assert meant(folder, query) == expected


def test_what_is_suggested_finds_something(folder):
    assert search_articles(folder, "goverment").total == 0
    assert search_articles(folder, meant(folder, "goverment")).hits[0].title == "Government"


def test_the_rest_of_the_query_decides_between_equals(tmp_path):
    build_index(
        tmp_path / "x",
        Articles(
            ("Boats", [], ["A sailer sails a boat."] * 5),
            ("Clothes", [], ["A tailor sews a coat."]),
        ),
    )
    assert meant(tmp_path / "x", "tailer coat") == "tailor coat"
    assert meant(tmp_path / "x", "bailer") == "sailer"  # the more frequent


def test_a_long_query_takes_no_time(folder):
    assert meant(folder, "chalres " * 2_000) == ""
    assert meant(folder, "a" * 10_000) == ""
