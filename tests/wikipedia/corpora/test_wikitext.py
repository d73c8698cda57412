import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growth import growth
from wikipedia.corpora.corpus import leads_to_others
from wikipedia.corpora.wikitext import WikitextLine, parse_wikitext


def text(wikitext, **kw):
    return [line.text for line in parse_wikitext(wikitext, **kw)]


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("'''Ray''' was a ''[[singer (music)|singer]]''.", "Ray was a singer."),
        ("A [[cat]], [[dog]]s and [[:Category:Pets]].", "A cat, dogs and Category:Pets."),
        ("It'''s it''''s", "Its it's"),
        ("A {{nope|b|{{c|[[d]]}}}} e", "A e"),
        ("A ({{IPA|x}}; born {{circa|1930}}) e", "A (born c. 1930) e"),
        ("{{convert|5|km|mi}}, {{convert|5|to|7|km}}, {{cvt|5|-|7|kg}}", "5 km, 5 to 7 km, 5–7 kg"),
        ("{{lang|fr|mot}} {{nowrap|a b}} {{frac|3|1|2}} {{As of|1}}", "mot a b 3 1/2 As of 1"),
        ("{{quote|text=x|Words said.}}", "Words said."),
        ("a<ref>b</ref> c<ref name=d /> e<REF name='f'>{{g}} [[h]]</REF>.", "a c e."),
        ("a<!-- b --> c", "a c"),
        ("a <math>x^2 {{b}}</math> c", "a c"),
        ("a<br>b<br/>c", ["a", "b", "c"]),
        ("a <span style='x'>b</span> <sup>2</sup>", "a b 2"),
        ("<nowiki>[[a]] {{b}} <c></nowiki>", "[[a]] {{b}} <c>"),
        ("a &amp; &lt;ref&gt; &nbsp; b", "a & <ref> b"),
        ("[http://x.org the site] [http://x.org] http://x.org", "the site http://x.org"),
        ("[[File:a.jpg|thumb|A [[b]] [http://c d] {{e}}]]f", "f"),
        ("[[Category:A]] [[de:B]] c", "c"),
        ("a __NOTOC__ b", "a b"),
        ("{|\n! a\n|-\n| b || {{c}}\n{|\n| d\n|}\n|}\ne", "e"),
        ("<table><tr><td>a</td></tr></table>b", "b"),
        ("<ref>x</references> y</ref>a <ce>H</center>2</ce>b <ce >c</CE >d", "a b d"),
        ("<gallery>\nFile:a.jpg|b\n</gallery>c", "c"),
        ("{{Infobox\n| a = {{b}}\n|}}\nc", "c"),
        ("a {{{1|b}}} c", "a c"),
        ("----\na", "a"),
        ("", []),
    ],
)  # fmt: skip
def test_what_a_reader_sees(wikitext, shown):
    assert text(wikitext) == ([shown] if isinstance(shown, str) else shown)


def test_headings_and_lists():
    wikitext = "a\n== B ==\n* c [[d]]\n# e\n:f\n=== ''G'' ===\nh"
    assert list(parse_wikitext(wikitext)) == [
        WikitextLine(0, "a"),
        WikitextLine(2, "B"),
        WikitextLine(3, "G"),
        WikitextLine(0, "h"),
    ]
    assert text(wikitext, lists=True) == ["a", "B", "c d", "e", "f", "G", "h"]


def test_names_of_namespaces_are_the_wikis():
    assert text("[[Datei:a.jpg|b]] c", hidden=frozenset(["datei"])) == ["c"]


@pytest.mark.parametrize(
    ("wikitext", "shown"),
    [
        ("{{a|b\nc", ["a|b", "c"]),
        ("[[a b", ["a b"]),
        ("a }} b ]] c", ["a b c"]),
        ("{{a [[b}} c", ["c"]),
        ("<ref>a b", ["a b"]),
        ("<!-- a", []),
        ("a\n{|\n| b\nc", ["a", "c"]),
        ("'''a", ["a"]),
        ("a < b > c", ["a < b > c"]),
    ],
)
def test_what_is_not_closed_loses_little(wikitext, shown):
    assert text(wikitext) == shown


HOSTILE = [
    "{{", "{{a|", "[[", "[[a|b ", "'''''a", "{|\n|", "<ref>", "<div>", "<!--", "[http://a ", "=",
    "= ", "&", "<a ", " ", "( ", "\n", ":", "\n ", "}}", "{{a|[[b|<ref>{|", "<nowiki>{{</nowiki>",
    "<x><x><x>[[{{x}}", "{", "}", "<ref ", "<ref></ref ", "|}", "\n|}", "{{nowrap|x", "[", "__A",
    "((", "{{ ", "{{template: ", "disambiguation ", "</ref>", "''", "]]", "&lt;", "[[a:",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_pages_take_time_in_proportion(piece):
    """A square of these lengths would take hours; the limit is a hundred times what is needed."""
    page = piece * (400_000 // len(piece))
    began = time.process_time()
    page += "}}" * 20_000 + "]]" * 20_000
    for _ in parse_wikitext(page):
        pass
    leads_to_others(page, frozenset(["a"]))
    assert time.process_time() - began < 20


@pytest.mark.parametrize("start", ["<", "</", "<a "])
def test_a_tag_without_an_end_is_read_once(start):
    assert (
        growth(lambda page: list(parse_wikitext(page)), lambda size: start + "a" * size, 3_000) < 8
    )


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(HOSTILE) | st.text(max_size=8), max_size=60).map("".join))
def test_any_text_is_read(page):
    for line in parse_wikitext(page, lists=True):
        assert line.text == " ".join(line.text.split()) != ""


@given(
    st.lists(
        st.from_regex(r"[A-Za-zäöü中][A-Za-zäöü中😀]{0,8}", fullmatch=True), min_size=1, max_size=50
    )
)
def test_plain_words_stay_as_they_are(words):
    assert text(" ".join(words)) == [" ".join(words)]
