"""Which articles and passages come first, and how they are shown together."""

import json

import pytest

from wikipedia.search.index import (
    POINTER,
    ArticleDoc,
    Batch,
    IndexProblem,
    PassageDoc,
    build_index,
    read_info,
)
from wikipedia.search.searching import (
    ARTICLES_RANKED,
    check_index,
    search_articles,
    search_passages,
)


class Articles:
    """Articles given as (title, redirects, passages), or with a path before them."""

    kind = "zim"

    def __init__(self, *articles, language="eng", fingerprint="f"):
        self._articles = articles
        self.language, self.fingerprint, self.total = language, fingerprint, len(articles)

    def prepare(self, scratch, progress):
        return None

    def read(self, start, scratch):
        for position, (*paths, title, redirects, passages) in enumerate(self._articles):
            if position >= start:
                path = paths[0] if paths else title.replace(" ", "_")
                text = "\n".join(passages)
                yield Batch(
                    position,
                    ArticleDoc(path, title, redirects, passages[0] if passages else "", text),
                    [PassageDoc(f"{path}#{n}", path, title, t) for n, t in enumerate(passages, 1)],
                )


@pytest.fixture
def make(tmp_path):
    def made(*articles, **given):
        build_index(tmp_path / "x", Articles(*articles, **given))
        return tmp_path / "x"

    return made


FERRIES = [
    ("Ferry", ["Ferryboat", "Ferry boat"], ["A ferry is a boat that crosses water."]),
    (
        "Sound",
        [],
        [
            "The Sound lies between two coasts.",
            "The ferry across the Sound ended in 1999. The ferry had carried trains.",
            "The ferry froze in once.",
        ],
    ),
    ("The Who", [], ["A band."]),
    ("Who", ["W.H.O."], ["A question word, in which the who of it is asked. The who, the who."]),
    ("Lund (band)", [], ["They play."]),
    ("Lund", ["Malmö-Lund"], ["A town with a band."]),
]


def titles(folder, query, **given):
    return [hit.title for hit in search_articles(folder, query, **given).hits]


def test_passages_of_one_article_are_one_result_that_shows_the_best(make):
    found = search_articles(make(*FERRIES), "when did the ferry carry trains")
    assert [hit.title for hit in found.hits] == ["Sound", "Ferry"]
    text = "".join(text for text, _ in found.hits[0].snippet)
    assert "carried trains" in text
    assert ("trains", True) in found.hits[0].snippet
    assert found.total == 2


def test_a_good_passage_in_a_long_article_is_found(make):
    long = ["Nothing to see in this part of the long story."] * 60
    folder = make(
        ("Long story", [], [*long, "The lighthouse keeper of Sund was Ada Holm."]),
        ("Lighthouse", [], ["A lighthouse warns ships."]),
        ("Keeper", [], ["A keeper keeps."]),
    )
    assert titles(folder, "who was the lighthouse keeper of Sund")[0] == "Long story"


def test_a_whole_title_comes_first_and_is_marked(make):
    folder = make(*FERRIES)
    for query, title in (
        ("the who", "The Who"), ("who", "Who"), ("THE WHO?", "The Who"),
        ("lund", "Lund"), ("lund band", "Lund (band)"), ("Lund (band)", "Lund (band)"),
    ):  # fmt: skip
        hits = search_articles(folder, query).hits
        assert hits[0].title == title, query
        assert [hit.exact for hit in hits] == [True] + [False] * (len(hits) - 1)


def test_a_title_comes_before_a_redirect_of_the_same_words(make):
    folder = make(
        ("Mercury (planet)", ["Mercury"], ["Mercury Mercury Mercury."]), ("Mercury", [], ["Metal."])
    )
    hits = search_articles(folder, "mercury").hits
    assert [(hit.title, hit.exact) for hit in hits] == [
        ("Mercury", True), ("Mercury (planet)", True),
    ]  # fmt: skip


@pytest.mark.parametrize("query", ["ferryboat", "Ferry boat", "malmo-lund", "w h o"])
def test_a_redirect_finds_its_article_first_and_says_so(make, query):
    hit = search_articles(make(*FERRIES), query).hits[0]
    assert hit.exact
    assert hit.redirect_from is not None
    assert hit.title in ("Ferry", "Lund", "Who")


def test_a_title_beats_any_number_of_mentions(make):
    folder = make(
        ("Zebra", [], ["An animal."]),
        *((f"Herd {n}", [], ["Zebra zebra zebra zebra."] * 3) for n in range(150)),
    )
    assert search_articles(folder, "zebra").hits[0].title == "Zebra"
    assert "An animal" in search_articles(folder, "zebra").hits[0].snippet[0][0]


def test_pages_of_results_go_on_without_doubles(make):
    count = ARTICLES_RANKED + 45
    folder = make(*((f"Stone {n}", [], ["A stone " + "wall " * (n % 7)]) for n in range(count)))
    seen = [t for at in range(0, count + 20, 10) for t in titles(folder, "stone", offset=at)]
    assert len(seen) == len(set(seen)) == count
    assert search_articles(folder, "stone", offset=140).total == count
    assert titles(folder, "stone", limit=count) == seen


def test_the_same_query_gives_the_same_answer(make):
    folder = make(*FERRIES)
    assert search_articles(folder, "ferry sound") == search_articles(folder, "ferry sound")


def test_what_only_the_title_says_is_found_in_passages_too(make):
    folder = make(*FERRIES)
    assert search_passages(folder, "who of sound")[0].title == "Sound"
    assert search_passages(folder, "sound trains")[0].text.startswith("The ferry across")


def test_an_article_without_text_is_found_by_its_title(make):
    hit = search_articles(make(("Empty page", [], [])), "empty").hits[0]
    assert (hit.title, hit.snippet) == ("Empty page", ())


def test_languages_without_spaces(make):
    folder = make(
        ("東京タワー", [], ["東京タワーは1958年に建てられた。"]),
        ("大阪", [], ["大阪は町である。"]),
        language="jpn",
    )
    hit = search_articles(folder, "1958年 タワー").hits[0]
    assert hit.title == "東京タワー"
    assert ("1958", True) in hit.snippet
    assert search_articles(folder, "大阪").hits[0].exact


def test_an_index_of_another_version_says_what_to_do_and_is_built_again(make, tmp_path):
    folder = make(*FERRIES)
    pointer = folder / POINTER
    pointer.write_text(json.dumps(json.loads(pointer.read_text()) | {"format": 1}))
    assert "made by another version" in check_index(folder)
    with pytest.raises(IndexProblem, match="Build it again"):
        search_articles(folder, "ferry")
    assert read_info(folder) is None
    build_index(folder, Articles(*FERRIES))
    assert titles(folder, "ferry")[0] == "Ferry"
    assert check_index(folder) is None


def test_copies_of_an_article_under_two_paths_are_one_result(make):
    index = make(
        ("Ferry_old", "Ferry", [], ["A ferry crosses the sound."]),
        ("Ferry", "Ferry", [], ["A ferry crosses the sound, they say."]),
        ("Sound", "Sound", [], ["The sound has a ferry."]),
    )
    for query in ("ferry", "which ferry crosses the sound"):
        hits = search_articles(index, query).hits
        assert sorted(hit.path for hit in hits) == ["Ferry", "Sound"]
    pages = [search_articles(index, "ferry", limit=1, offset=n).hits for n in range(2)]
    assert [hit.path for [hit] in pages] == ["Ferry", "Sound"]


def test_articles_whose_titles_differ_in_case_are_two(make):
    index = make(("AIDS", [], ["About aids."]), ("Aids", [], ["About aids."]))
    assert len(search_articles(index, "aids").hits) == 2
