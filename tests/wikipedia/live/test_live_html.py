"""MediaWiki's HTML: which links are articles of the wiki, and what a snippet says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.growth import growth
from wikipedia.providers.http import is_loopback, seconds_of
from wikipedia.providers.wikihtml import Site, bring_home, redirect_target, snippet_of

WIKIPEDIA = Site(
    name="Wikipedia",
    language="en",
    licence="CC BY-SA",
    articles="https://en.wikipedia.org/wiki/$1",
    script="https://en.wikipedia.org/w/index.php",
    hosts={"en.wikipedia.org": "https", "upload.wikimedia.org": "https"},
    namespaces=frozenset({"file", "talk", "user_talk", "wikipedia", "wp"}),
)
PLAIN = Site(
    name="Plain",
    language="en",
    licence="",
    articles="http://wiki.test:8080/index.php?title=$1",
    script="http://wiki.test:8080/index.php",
    hosts={"wiki.test:8080": "http"},
    namespaces=frozenset({"file"}),
)


def M(text):
    return f'<span class="searchmatch">{text}</span>'


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://en.wikipedia.org/wiki/River_Elm", ("River_Elm", "")),
        ("http://en.wikipedia.org/wiki/AC/DC#Name", ("AC/DC", "Name")),
        ("https://en.wikipedia.org/wiki/C%2B%2B", ("C++", "")),
        ("https://en.wikipedia.org/wiki/Who%3F", ("Who?", "")),
        ("https://en.wikipedia.org/wiki/Star_Wars:_A_New_Hope", ("Star_Wars:_A_New_Hope", "")),
        ("https://en.wikipedia.org/w/index.php?title=River+Elm&redirect=no", ("River_Elm", "")),
        ("https://en.wikipedia.org/w/index.php?title=X&action=edit&redlink=1", None),
        ("https://en.wikipedia.org/w/index.php?title=X&oldid=4", None),
        ("https://en.wikipedia.org/wiki/File:A.png", None),
        ("https://en.wikipedia.org/wiki/WP:NPOV", None),
        ("https://en.wikipedia.org/wiki/user_talk:Ann", None),
        ("https://en.wikipedia.org/wiki/", None),
        ("https://en.wikipedia.org/", None),
        ("https://de.wikipedia.org/wiki/Elm", None),
        ("https://en.wikipedia.org.evil.example/wiki/Elm", None),
        ("javascript:alert(1)", None),
        ("http://[broken", None),
    ],
)
def test_which_addresses_are_articles(address, found):
    assert WIKIPEDIA.path_of(address) == found


def test_a_wiki_without_short_addresses():
    assert PLAIN.address_of("River_Elm", 7) == (
        "http://wiki.test:8080/index.php?title=River_Elm&oldid=7"
    )
    assert PLAIN.path_of("http://wiki.test:8080/index.php?title=River_Elm") == ("River_Elm", "")
    assert PLAIN.path_of("http://wiki.test:8080/index.php?title=File:A.png") is None


def test_links_and_pictures_are_brought_into_one_form():
    home = bring_home(
        '<p><a href="/wiki/River_Elm#Source">elm</a> <a href="#here">here</a>'
        '<a href="//en.wikipedia.org/wiki/AC/DC">band</a>'
        '<a href="/w/index.php?title=New&action=edit&redlink=1">red</a>'
        '<a href="https://example.org/x?y=1&z=2">out</a> <a name="old">anchor</a>'
        '<img src="//upload.wikimedia.org/a%20b.png?3"><img src="/images/c.png"></p>',
        WIKIPEDIA,
        "Lantern_Bridge",
    )
    assert 'href="/wiki/River_Elm#Source"' in home
    assert 'href="#here"' in home
    assert 'href="/wiki/AC/DC"' in home
    assert "<a>red</a>" in home
    assert 'href="https://example.org/x?y=1&amp;z=2"' in home
    assert 'src="https://upload.wikimedia.org/a%20b.png?3"' in home
    assert 'src="https://en.wikipedia.org/images/c.png"' in home


def test_the_target_of_a_redirect():
    page = (
        '<div class="mw-parser-output"><div class="redirectMsg"><p>Redirect to:</p>'
        '<ul class="redirectText"><li><a href="/wiki/River_Elm#Mouth">x</a></li></ul></div></div>'
    )
    assert redirect_target(page, WIKIPEDIA) == "River_Elm"
    assert redirect_target(page.replace("/wiki/River", "/wiki/File:"), WIKIPEDIA) is None
    assert redirect_target("<p>the class redirectMsg is for redirects</p>", WIKIPEDIA) is None


@pytest.mark.parametrize(
    ("source", "segments"),
    [
        ("", ()),
        ("plain &amp; simple &lt;3", (("plain & simple <3", False),)),
        (f"the {M('lamps')} burn", (("the ", False), ("lamps", True), (" burn", False))),
        (
            "the <span class='searchmatch'>lamps</span>",
            (("the ", False), ("lamps", True)),
        ),
        (f"{M('gas')} {M('lamps')}", (("gas", True), (" ", False), ("lamps", True))),
        (
            f"see [[Lantern {M('Bridge')}]]s",
            (("see Lantern ", False), ("Bridge", True), ("s", False)),
        ),
        (f"see [[{M('Bridge')}|the span]]", (("see ", False), ("the span", False))),
        (f"[[Ida Marsh|Mayor {M('Marsh')}]]", (("Mayor ", False), ("Marsh", True))),
        ("&#039;&#039;&#039;Elm&#039;&#039;&#039; is a river", (("Elm is a river", False),)),
        (f"{{{{Box|a={M('lamp')}}}}} The {M('lamp')}", (("The ", False), ("lamp", True))),
        (f"open {{{{Box|{M('lamp')}", (("open Box|", False), ("lamp", True))),
        (f"a&lt;ref name=x&gt;{M('Register')}&lt;/ref&gt; b", (("a b", False),)),
        ("[[Category:Bridges]] [[File:A.png|thumb|A lamp]] text", (("text", False),)),
        ("#REDIRECT [[River Elm]]", (("River Elm", False),)),
        ("== History ==\n* one\n* two", (("History one two", False),)),
        ("{| class=wikitable\n|-\n! Year !! Lamps\n|}", (("class=wikitable Year Lamps", False),)),
        ("&lt;script&gt;alert(1)&lt;/script&gt;", (("<script>alert(1)</script>", False),)),
        ("<script>alert(1)</script>", (("alert(1)", False),)),
    ],
)
def test_snippets_are_plain_text(source, segments):
    joined = []
    for text, matched in snippet_of(source):
        if joined and joined[-1][1] == matched:
            joined[-1] = (joined[-1][0] + text, matched)
        else:
            joined.append((text, matched))
    wanted = []
    for text, matched in segments:
        if wanted and wanted[-1][1] == matched:
            wanted[-1] = (wanted[-1][0] + text, matched)
        else:
            wanted.append((text, matched))
    assert joined == wanted


@pytest.mark.parametrize("piece", ["<ref>", "<span class=", "[http://", "[[a|", "{{", "<!--"])
def test_a_snippet_takes_time_in_proportion(piece):
    assert growth(snippet_of, lambda size: piece * size, 1_500) < 8


@given(st.text(alphabet="ab[]{}|'<>&;#=!*\n/\ue000\ue001" + '"', max_size=80))
def test_any_snippet_gives_segments(source):
    for text, matched in snippet_of(source + M(source)):
        assert text
        assert isinstance(matched, bool)
        assert "\ue000" not in text
        assert "\ue001" not in text


@given(st.text(max_size=60))
def test_any_html_comes_home(source):
    assert isinstance(bring_home(source, WIKIPEDIA, "X"), str)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("", None),
        ("soon", None),
        ("-5", None),
        ("0", 0.0),
        ("120", 120.0),
        (" 3.5 ", 3.5),
        ("Fri, 31 Dec 1999 23:59:59 GMT", 0.0),
        ("9" * 30, None),
    ],
)
def test_retry_after(header, seconds):
    assert seconds_of(header) == seconds


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("http://127.0.0.1:8093/api.php", True),
        ("http://localhost/api.php", True),
        ("http://[::1]/api.php", True),
        ("http://127.0.0.1.evil.example/api.php", False),
        ("https://en.wikipedia.org/w/api.php", False),
        ("http://10.0.0.1/api.php", False),
        ("http://[broken", False),
    ],
)
def test_which_wikis_are_on_this_machine(address, here):
    assert is_loopback(address) is here
