"""A dump that the real MediaWiki exports, against what that MediaWiki shows of the same pages."""

import os
import re
import subprocess

import pytest
import requests
from lxml.html import fromstring, tostring

from tests.wikipedia.live import wiki as real
from wikipedia.archives.dumps import DumpReader
from wikipedia.corpora.corpus import DumpSource
from wikipedia.corpora.wikitext import parse_wikitext
from wikipedia.html.extract import extract_article
from wikipedia.search.index import build_index
from wikipedia.search.searching import search_articles, search_passages

pytestmark = pytest.mark.mediawiki

WIKITEXT = """{{Box|opened=1911|length=84 m}}
'''Lantern Bridge''' (''the bridge'') is over the [[River Elm|Elm]].<ref>A {{Box}} source</ref>
It [https://lamps.example.org/ glows]; see [[Node.js]]s and [[Ida Marsh|'''Ida''' Marsh]].<!-- x -->

[[File:Bridge.png|thumb|A [[River Elm]] caption]]
== ''Later'' history &amp; lamps ==
{| class="wikitable"
|+ caption
| cell {{Box}}
{|
| inner
|}
|}
Oil, then gas<ref name="a" /> &ndash; and <nowiki>[[no link]] ''plain''</nowiki>.<br />
Light<sup>2</sup>.
* item [[one]]
: indented
<div>In a block</div>
=== Empty ===
{{Box}}
[[Category:Bridges]]
Unclosed ''emphasis and '''strength
and the end."""


@pytest.fixture(scope="module")
def export(mediawiki, tmp_path_factory):
    """The wiki's own export of the newest revisions."""
    folder = tmp_path_factory.getbasetemp()
    root = next(folder.glob("mediawiki*/root"))
    done = subprocess.run(
        ["php", root / "maintenance" / "dumpBackup.php", "--conf", root / "LocalSettings.php",
         "--current", "--quiet"],
        env=real._environment(root) | {"PATH": os.environ["PATH"]},
        capture_output=True,
        timeout=120,
        check=True,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("export") / "dump.xml"
    path.write_bytes(done.stdout)
    return path


def test_every_page_is_read(export):
    pages = {page.title: page for page in DumpReader(export)}
    assert {"Node.js", "AC/DC", "Who lit the lamps?", "Rock & Rill", "Élan d'Elm"} <= set(pages)
    assert pages["Template:Box"].namespace == 10
    assert pages["Bridge of Lanterns"].redirect.startswith("Lantern Bridge")
    assert pages["Lantern Bridge"].text == real.BRIDGE_2019


def test_it_is_searched(export, tmp_path):
    build_index(tmp_path / "i", DumpSource([export]))
    assert search_passages(tmp_path / "i", "electric lamps")[0].title == "Lantern Bridge"
    hit = search_articles(tmp_path / "i", "toll house").hits[0]
    assert (hit.title, hit.redirect_from) == ("Ferry House", "Toll House")


def test_the_words_are_those_that_mediawiki_shows(rivertown, mediawiki):
    """Text without tables and lists, word for word; ours may only lack what is left out."""
    shown = requests.post(
        mediawiki,
        data={
            "action": "parse", "format": "json", "formatversion": "2", "prop": "text",
            "contentmodel": "wikitext", "title": "Lantern Bridge", "text": WIKITEXT,
            "disableeditsection": "1", "disabletoc": "1",
        },
        timeout=30,
    ).json()["parse"]["text"]  # fmt: skip
    page = fromstring(shown)
    for left_out in page.xpath("//table|//figure|//div[contains(@class, 'thumb')]"):
        left_out.drop_tree()
    theirs = words(extract_article(tostring(page, encoding="unicode"), "Lantern Bridge").text)
    ours = words(" ".join(line.text for line in parse_wikitext(WIKITEXT, lists=True)))
    assert ours == theirs


def words(text):
    return re.findall(r"\w+", text)
