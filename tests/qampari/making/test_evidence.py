"""Sentences of a page that may show an answer, and what their words say."""

import pytest

from qampari.making.evidence import ReadPage, find_windows, list_names
from qampari.making.judging import WordsJudge
from qampari.making.queries import Triple
from qampari.making.verdicts import TripleJudge
from tests.qampari.making.graphs import relation
from wikipedia.articles.reader import render_article
from wikipedia.articles.sentences import find_links, list_sentences
from wikipedia.articles.stored_articles import PAGES
from wikipedia.html.page import SourcePage
from wikipedia.wikidata.graph import NamedEntity

CROSSES = relation(177)
BRIDGE = NamedEntity(1, 0, "Castle Bridge", ("Old Bridge", "CB"), "Castle Bridge", None)
RIVER = NamedEntity(2, 0, "Aldwater", ("The Ald", "Ald"), "Aldwater (river)", None)
ACROSS = Triple(CROSSES, 1, 2)
BRIDGE_PAGE = """
<table class="infobox"><tr><th>Crosses</th><td>Aldwater</td></tr></table>
<p>Castle Bridge is old. Dr. Hall built it in stone. It has three arches over the <a
href="Aldwater_(river)">river</a>. Aldwaterside is near. Boats on the Aldwater pass below.</p>
<ul><li>The Ald was crossed by a ferry before.</li></ul>
"""
RIVER_PAGE = "<p>It runs from the hills. Five bridges, the Old Bridge among them, cross it.</p>"


def read(title, html):
    page = SourcePage(
        path="_".join(title.split()), title=title, html=html, redirect_from=None, page_id=1,
        rev_id=7, rev_timestamp=None, retrieved_at=None, url=f"https://example.org/{title}",
    )  # fmt: skip
    article = render_article(page, page_url=lambda path: PAGES + path, asset_url=str)
    return ReadPage(article, page.path, page.rev_id, page.url)


class Pages:
    snapshot = "small"

    def __init__(self, **html):
        self.html, self.asked = html, []

    def find_page(self, title):
        self.asked.append(title)
        return read(title, self.html[title]) if title in self.html else None


def windows_of(*entities, **html):
    return list(find_windows(Pages(**html), ACROSS, {each.id: each for each in entities}))


def both_pages():
    return windows_of(
        BRIDGE, RIVER, **{"Castle Bridge": BRIDGE_PAGE, "Aldwater (river)": RIVER_PAGE}
    )


def test_sentences_of_running_text_alone_and_linked_ones_first():
    said = [(one.last_sentence, one.found, one.linked, one.of_item) for one in both_pages()]
    assert said == [
        ("It has three arches over the river.", "Aldwater", True, True),
        ("Boats on the Aldwater pass below.", "Aldwater", False, True),
        ("The Ald was crossed by a ferry before.", "The Ald", False, True),
        ("Five bridges, the Old Bridge among them, cross it.", "Old Bridge", False, False),
    ]


def test_a_window_has_two_sentences_of_its_paragraph_before():
    first, second, third, other = both_pages()
    assert first.text.startswith("Castle Bridge is old. Dr. Hall built it in stone. It has")
    assert second.text.startswith("It has three arches over the river. Aldwaterside is near.")
    assert third.text == third.last_sentence
    assert (
        other.text == "It runs from the hills. Five bridges, the Old Bridge among them, cross it."
    )
    page = read("Castle Bridge", BRIDGE_PAGE)
    for one in (first, second, third):
        assert page.article.text[one.start : one.end] == one.text
        assert (one.revision, one.path) == (7, "Castle_Bridge")


def test_short_aliases_stand_for_too_much():
    assert list_names(BRIDGE) == ["Castle Bridge", "Old Bridge"]
    assert windows_of(BRIDGE, RIVER, **{"Aldwater (river)": "<p>CB crosses it.</p>"}) == []


def test_what_has_no_page_or_no_name_has_no_evidence():
    assert windows_of(BRIDGE) == []
    assert windows_of(BRIDGE, RIVER) == []


def test_a_name_within_a_longer_one_is_another_thing():
    html = (
        "<p>Near it is the <a href='Ald_Tunnel'>Ald Tunnel</a>. Below the Ald Tunnel it is "
        "dark. The Ald runs above the Ald Tunnel.</p>"
    )
    (window,) = windows_of(BRIDGE, RIVER, **{"Castle Bridge": html})
    assert window.last_sentence == "The Ald runs above the Ald Tunnel."


def test_links_are_known_by_their_words():
    page = read("Castle Bridge", BRIDGE_PAGE)
    assert find_links(page.article)["Aldwater_(river)"] == {"river"}
    assert len(list(list_sentences(page.article))) == 6


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("Castle Bridge crosses the Aldwater.", True),
        ("It spans the Aldwater.", True),
        ("It does not cross the Aldwater.", False),
        ("It stands near the Aldwater.", False),
        ("Wingspan of the Aldwater birds.", False),
        ("The Ald Crossing Company: the Ald.", True),
    ],
)
def test_the_words_of_a_sentence_show_a_relation(sentence, shown):
    own = ACROSS._replace(relation=relation(177, cues=("cross", "span")))
    (window,) = windows_of(BRIDGE, RIVER, **{"Castle Bridge": f"<p>{sentence}</p>"})
    assert WordsJudge().score_windows(own, "", [window]) == [float(shown)]


class Numbers:
    """A judge that knows the score of each sentence."""

    key, version = "numbers", "1"

    def __init__(self, **scores):
        self.scores, self.calls = scores, 0

    def score_windows(self, triple, statement, windows):
        self.calls += 1
        assert statement == "Castle Bridge has relation 177 to Aldwater."
        return [self.scores[one.last_sentence.split()[0]] for one in windows]


@pytest.mark.parametrize(
    ("scores", "sentence", "score", "supported"),
    [
        ({"It": 0.6, "Boats": 0.9, "The": 0.1, "Five": 0.2}, "Boats", 0.9, True),
        ({"It": 0.4, "Boats": 0.5, "The": 0.5, "Five": 0.2}, "Boats", 0.5, True),
        ({"It": 0.4, "Boats": 0.3, "The": 0.2, "Five": 0.45}, "Five", 0.45, False),
    ],
)
def test_the_sentence_that_shows_it_best_is_the_proof(scores, sentence, score, supported):
    pages = Pages(**{"Castle Bridge": BRIDGE_PAGE, "Aldwater (river)": RIVER_PAGE})
    judge = Numbers(**scores)
    judging = TripleJudge(pages, judge, 0.5)
    entities = {1: BRIDGE, 2: RIVER}
    verdict = judging.find_verdict(ACROSS, entities)
    assert (verdict.window.last_sentence.split()[0], verdict.score) == (sentence, score)
    assert judging.is_supported(ACROSS, entities) is supported
    assert (judge.calls, judging.sentences, len(judging)) == (1, 4, 1)


def test_without_a_sentence_there_is_no_evidence_at_any_threshold():
    judging = TripleJudge(Pages(), Numbers(), 0.0)
    assert not judging.is_supported(ACROSS, {1: BRIDGE, 2: RIVER})
