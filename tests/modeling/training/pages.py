"""Eight small pages for the eight questions, and what five annotators found on each."""

from metrics.nq import NqAnnotation
from modeling.page_texts import read_page_text
from modeling.training.examples import PageExample
from natural_questions.boxes import boxes_of
from natural_questions.own_pages import OwnPage
from natural_questions.prepared_pages import ParsedPage
from natural_questions.tokens import tokenise_html

_FILLER = "<p>" + "A ship sank there before there was a bridge. " * 10 + "</p>"
# Of each: the page, the number of its outermost box that answers, and the words in it, if any.
PAGES = [
    ("<p>It was built by many people.</p><p>Brunel built the tunnel.</p>", 1, "Brunel"),
    ("<h1>Bridge</h1><p>The bridge opened in 1894.</p><p>A ferry crossed it.</p>", 0, "1894"),
    (_FILLER + "<p>The river is 16 long.</p><p>Who?</p>", 1, "16"),
    (
        "<p>A ferry crossed the river.</p>"
        "<table><tr><td>long</td><td>10</td></tr><tr><td>deep</td><td>13</td></tr></table>",
        1,
        "13",
    ),
    ("<p>The ship sank.</p><p>Engineers were Barry and Jones.</p><p>Who?</p>", 1, ""),
    ("<p>The river is wide.</p><ul><li>tunnel</li><li>bridge</li></ul>", None, ""),
    ("<ul><li>trains: first 1869</li><li>walkers</li></ul><p>It was deep.</p>", 0, "1869"),
    (_FILLER + "<p>Walkers crossed it in 1843, Marc and Isambard too.</p>", 1, "1843"),
]


def parse_page(html):
    """Return a page that no database has."""
    tokens = list(tokenise_html(html))
    page = OwnPage(0)
    page.__dict__["_parsed"] = ParsedPage("", "", tokens, boxes_of({}, tokens))
    return page


def page_of(number):
    return parse_page(PAGES[number][0])


def example_of(number, question):
    """Two annotators found the answer, one its box alone, two nothing."""
    _, answering, words = PAGES[number]
    page = page_of(number)
    nothing = NqAnnotation(None, ())
    if answering is None:
        return PageExample(f"q{number}", question, read_page_text(page), (nothing,) * 5)
    box = [box for box in page.candidates if box.top_level][answering].span
    short = (page.find_words(words, box),) if words else ()
    found = NqAnnotation(box, short)
    annotations = (nothing, found, NqAnnotation(box, ()), found, nothing)
    return PageExample(f"q{number}", question, read_page_text(page), annotations)
