"""The demo's articles and the archive made of them."""

import datetime
import re
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest
from libzim.reader import Archive

from wikipedia.archives.zim import open_archive
from wikipedia.demo import build
from wikipedia.demo.build import IMAGES, DemoArticle, build_demo_zim, load_articles, page_html


class Page(HTMLParser):
    """What the tests ask of a page: its words, links, pictures, headings, and sound nesting."""

    def __init__(self, markup):
        super().__init__()
        self.words, self.links, self.images, self.ids = [], [], [], []
        self.tags, self.attributes, self.open = Counter(), Counter(), []
        self.tables = Counter()
        self.feed(markup)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags[tag] += 1
        self.attributes.update(attrs.keys())
        if tag == "a":
            self.links.append(attrs["href"])
        if tag == "img":
            self.images.append(attrs)
        if tag == "table":
            self.tables[attrs["class"]] += 1
        if "id" in attrs:
            self.ids.append(attrs["id"])
        if tag not in {"img", "br", "meta"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.extend(data.split())

    @property
    def text(self):
        return " ".join(self.words)


@pytest.fixture(scope="module")
def articles():
    return load_articles()


@pytest.fixture(scope="module")
def pages(articles):
    return {article.title: Page(article.body) for article in articles}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    path = tmp_path_factory.mktemp("demo") / "demo.zim"
    build_demo_zim(path)
    return Archive(path)


# Articles


def test_there_are_enough_articles_tables_and_boxes(articles, pages):
    assert len(articles) >= 42
    assert sum(page.tables["wikitable"] for page in pages.values()) >= 10
    assert sum(page.tables["infobox"] for page in pages.values()) >= 15
    assert sum(bool(article.redirects) for article in articles) >= 10


def test_every_article_is_short_but_says_something(pages):
    lengths = {title: len(page.words) for title, page in pages.items()}
    assert {t: n for t, n in lengths.items() if not 120 <= n <= 450} == {}


def test_every_link_leads_to_an_article_or_another_name_of_one(articles, pages):
    anchors = {article.path: set(Page(page_html(article)).ids) for article in articles}
    names = {build.path_of(n): a.path for a in articles for n in (a.title, *a.redirects)}
    dead = []
    for title, page in pages.items():
        for link in page.links:
            path, _, anchor = unquote(link).partition("#")
            if path not in names or (anchor and anchor not in anchors[names[path]]):
                dead.append(f"{title}: {link}")
    assert dead == []


def test_articles_are_linked_densely_and_none_is_alone(articles, pages):
    names = {build.path_of(n): a.title for a in articles for n in (a.title, *a.redirects)}
    incoming = Counter(
        names[unquote(link).partition("#")[0]]
        for title, page in pages.items()
        for link in set(page.links)
        if names[unquote(link).partition("#")[0]] != title
    )
    assert sum(incoming.values()) >= 3 * len(articles)
    assert [article.title for article in articles if incoming[article.title] == 0] == []


def test_every_picture_is_there_described_and_used(pages):
    used = set()
    for page in pages.values():
        for image in page.images:
            assert image["alt"]
            assert int(image["width"]) > 0 < int(image["height"])
            used.add(image["src"])
    assert used == {f"images/{file.name}" for file in IMAGES.iterdir() if file.suffix != ".py"}
    assert len(used) >= 4


def test_the_markup_is_plain(pages):
    """Nothing that a reader would have to take out, and headings that begin below the title."""
    allowed = {
        "a",
        "b",
        "br",
        "caption",
        "h2",
        "h3",
        "i",
        "img",
        "li",
        "p",
        "table",
        "tbody",
        "td",
        "th",
        "tr",
        "ul",
    }
    attributes = {"alt", "class", "colspan", "height", "href", "scope", "src", "width"}
    for title, page in pages.items():
        assert set(page.tags) <= allowed, title
        assert set(page.attributes) <= attributes, title


def test_headings_of_a_page_have_ids_of_their_own(articles):
    for article in articles:
        ids = Page(page_html(article)).ids
        assert len(ids) == len(set(ids)), article.title


def test_a_heading_id_is_its_text_without_markup():
    page = page_html(DemoArticle("A & B", (), '<h2>Say <i>"hm"</i> &amp; go</h2>\n'))
    assert '<h2 id="Say_&quot;hm&quot;_&amp;_go">Say <i>"hm"</i> &amp; go</h2>' in page
    assert "<title>A &amp; B</title>" in page
    assert "<h1>A &amp; B</h1>" in page


# Reading the files


def write(folder, name, text):
    (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("A.html", "<p>a</p>\n", "A.html has no header"),
        ("A.html", "<!--\ntitle: A\nauthor: me\n-->\n", 'the header line "author: me"'),
        ("A.html", "<!--\ntitle A\n-->\n", 'the header line "title A"'),
        ("B.html", "<!--\ntitle: A b\n-->\n", "Name the file A_b.html"),
        ("A.html", "<!--\nredirects: B\n-->\n", 'A.html has the title ""'),
        ("A.html", "<!--\ntitle: A\nredirects: B | A\n-->\n", '"A" is used twice'),
    ],
)
def test_a_faulty_article_is_named(tmp_path, name, text, sentence):
    write(tmp_path, name, text)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        load_articles(tmp_path)


def test_two_articles_cannot_share_a_name(tmp_path):
    write(tmp_path, "A.html", "<!--\ntitle: A\nredirects: C d\n-->\n")
    write(tmp_path, "B.html", "<!--\ntitle: B\nredirects: C_d\n-->\n")
    with pytest.raises(ValueError, match='"C_d" is used twice: by "A" and by "B"'):
        load_articles(tmp_path)


def test_an_empty_folder_is_an_incomplete_installation(tmp_path):
    with pytest.raises(ValueError, match="holds no articles"):
        load_articles(tmp_path)


def test_an_article_is_read_as_written(tmp_path):
    write(tmp_path, "A_b.html", "<!--\ntitle: A b\nredirects: C | D e\n-->\n<p>x</p>\n")
    [article] = load_articles(tmp_path)
    assert article == DemoArticle("A b", ("C", "D e"), "<p>x</p>\n")
    assert article.path == "A_b"


# The archive


def test_the_archive_holds_every_article_as_a_whole_page(archive, articles):
    assert archive.check()
    assert archive.has_new_namespace_scheme
    assert archive.article_count == len(articles)
    for article in articles:
        entry = archive.get_entry_by_path(article.path)
        assert entry.title == article.title
        assert entry.get_item().mimetype == "text/html"
        page = bytes(entry.get_item().content).decode()
        assert page == page_html(article)
        assert Page(page).text.startswith(f"{article.title} {article.title}")


def test_other_names_lead_to_their_article(archive, articles):
    for article in articles:
        for name in article.redirects:
            entry = archive.get_entry_by_path(build.path_of(name))
            assert entry.is_redirect
            assert entry.title == name
            assert entry.get_redirect_entry().path == article.path


def test_pictures_are_in_the_archive_byte_for_byte(archive):
    types = {".svg": "image/svg+xml", ".png": "image/png"}
    for file in IMAGES.iterdir():
        item = archive.get_entry_by_path(f"images/{file.name}").get_item()
        assert bytes(item.content) == file.read_bytes()
        assert item.mimetype == types[file.suffix]


def test_the_archive_describes_itself(archive, articles):
    metadata = {key: archive.get_metadata(key).decode() for key in archive.metadata_keys}
    del metadata["Counter"]
    assert metadata == {
        "Name": "ambit_demo_en",
        "Title": "Ambit demo encyclopedia",
        "Description": f"{len(articles)} short articles written for trying out Ambit",
        "Language": "eng",
        "Date": "2024-01-02",
        "Creator": "The Ambit authors",
        "Publisher": "Ambit",
        "License": "Apache-2.0",
        "Scraper": "ambit wikipedia.demo.build",
    }
    assert archive.main_entry.get_item().path == "Thames_Tunnel"


def test_the_application_reads_it_like_any_other_archive(tmp_path, articles):
    path = tmp_path / "new folder" / "demo.zim"
    build_demo_zim(path)
    opened = open_archive(path)
    assert [a.title for a in opened.iterate_articles()] == [a.title for a in articles]
    assert len(list(opened.iterate_redirects())) == sum(len(a.redirects) for a in articles)
    assert opened.read_metadata().date.date() == datetime.date(2024, 1, 2)
    assert opened.read("Brunel's tunnel").path == "Thames_Tunnel"
    assert opened.read("Øresund_Bridge").title == "Øresund Bridge"


def test_two_builds_differ_only_in_their_identifier(tmp_path):
    first, second = tmp_path / "1.zim", tmp_path / "2.zim"
    build_demo_zim(first)
    build_demo_zim(second)
    one, two = Archive(first), Archive(second)
    assert one.uuid != two.uuid
    assert one.all_entry_count == two.all_entry_count
    for number in range(one.all_entry_count):
        a, b = one._get_entry_by_id(number), two._get_entry_by_id(number)
        assert (a.path, a.title, a.is_redirect) == (b.path, b.title, b.is_redirect)
        if not a.is_redirect and not a.path.startswith("title/"):
            assert bytes(a.get_item().content) == bytes(b.get_item().content), a.path


def test_a_new_build_replaces_the_old_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "demo.zim"
    path.write_bytes(b"old")
    build_demo_zim(path)
    assert Archive(path).check()
    assert list(tmp_path.iterdir()) == [path]


def test_a_build_that_fails_keeps_the_old_archive(tmp_path, monkeypatch):
    path = tmp_path / "demo.zim"
    path.write_bytes(b"old")

    def fail_late():
        raise OSError("disk full")

    monkeypatch.setattr(build, "_images", fail_late)
    with pytest.raises(OSError, match="disk full"):
        build_demo_zim(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
