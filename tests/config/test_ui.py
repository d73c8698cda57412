"""The filters every page uses."""

import pytest
from django.template import Context, Template

from config.templatetags.ui import opening, phrasings, spaced


@pytest.mark.parametrize(
    ("first", "rest", "shown"),
    [
        ("This has 10 words.", " Shorter is better.", "This has 10 words."),
        ("“J. R. Smith” is not there.", " It may be right.", "“J. R. Smith” is not there."),
        ("It kept 1.5 words.", " Look.", "It kept 1.5 words."),
        ("<b> is odd.", " Look.", "&lt;b&gt; is odd."),
    ],
)
def test_the_first_sentence_is_set_apart(first, rest, shown):
    assert opening(first + rest) == f"<strong>{shown}</strong>{rest}"


@pytest.mark.parametrize("text", ["One sentence only.", "", "“Never closed. And so on."])
def test_one_sentence_stays_as_it_is(text):
    assert opening(text) == text


def test_markup_in_one_sentence_is_text():
    assert opening("<i>alone</i>") == "&lt;i&gt;alone&lt;/i&gt;"


def test_stored_names_are_shown_as_words():
    assert spaced("assignment_taken") == "assignment taken"
    assert spaced("assignment:12") == "assignment 12"


def test_unindented_drops_only_what_lines_begin_with():
    page = Template("{% unindented %}<p>\n    a <i>b</i>\n\n  </p>{{ x }}{% endunindented %}")
    assert page.render(Context({"x": "<b>"})) == "<p>\na <i>b</i>\n</p>&lt;b&gt;"


def test_unindented_leaves_what_somebody_typed():
    page = Template(
        "{% unindented %}  <p>\n  <textarea>\n{{ x }}</textarea>\n  </p>{% endunindented %}"
    )
    typed = "one\n   two\n\n\tthree"
    shown = page.render(Context({"x": typed}))
    assert shown == f"  <p>\n<textarea>\n{typed}</textarea>\n</p>"


def test_several_phrasings_are_read_as_one_sentence():
    assert (
        phrasings("When did A open?|When was A opened?") == "When did A open? or When was A opened?"
    )
    assert phrasings("A?| B? ||C?") == "A? or B? or C?"
    assert phrasings("When?") == "When?"
    assert phrasings("|") == "|"
