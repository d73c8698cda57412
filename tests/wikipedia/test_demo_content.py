"""The demo's articles, the archive made of them, its prompts and its guidelines."""

import datetime
import json
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from libzim.reader import Archive

import annotation
from wikipedia.archive import open_archive
from wikipedia.demo import build
from wikipedia.demo.build import IMAGES, DemoArticle, build_demo_zim, load_articles, page_html

ANNOTATION_DEMO = Path(annotation.__file__).parent / "demo"

AMBIGUITIES = {
    "event-references",
    "properties",
    "entity-references",
    "answer-types",
    "time-dependency",
    "multiple-sub-questions",
}
CLEAR = {"unambiguous", "unanswerable"}

# What an annotator can find for each prompt that is open: (article, words on its page).
PLAUSIBLE = {
    "demo-001": [
        ("Thames Tunnel", "25 March 1843"),
        ("Thames Tunnel", "7 December 1869"),
        ("Thames Tunnel", "27 April 2010"),
    ],
    "demo-002": [
        ("Millennium Bridge, London", "10 June 2000"),
        ("Millennium Bridge, London", "22 February 2002"),
        ("Gateshead Millennium Bridge", "17 September 2001"),
    ],
    "demo-003": [
        ("Grand National", "One For Arthur"),
        ("Grand National", "Derek Fox"),
        ("Grand National", "Lucinda Russell"),
        ("Grand National", "Rule The World"),
        ("Grand National", "Many Clouds"),
    ],
    "demo-004": [
        ("Mount Everest", "8,848 m"),
        ("Mount Everest", "8,844.43 m"),
        ("Mount Everest", "8,848.86 m"),
    ],
    "demo-005": [
        ("Frankenstein (1931 film)", "Colin Clive"),
        ("Frankenstein (1931 film)", "Boris Karloff"),
    ],
    "demo-006": [
        ("Isambard Kingdom Brunel", "9 April 1806"),
        ("Marc Isambard Brunel", "25 April 1769"),
    ],
    "demo-007": [
        ("FIFA World Cup", "Germany"),
        ("FIFA World Cup", "Spain"),
        ("FIFA World Cup", "Italy"),
        ("FIFA Women's World Cup", "United States"),
        ("FIFA Women's World Cup", "Japan"),
    ],
    "demo-008": [
        ("King Kong (1933 film)", "2 March 1933"),
        ("King Kong (1976 film)", "17 December 1976"),
        ("King Kong (2005 film)", "5 December 2005"),
    ],
    "demo-009": [("Forth Bridge", "57"), ("Forth Bridge", "73")],
    "demo-010": [
        ("Robert Louis Stevenson", "Edinburgh"),
        ("Robert Louis Stevenson", "13 November 1850"),
    ],
    "demo-011": [("Mount Everest", "Edmund Hillary"), ("Mount Everest", "Junko Tabei")],
    "demo-012": [("Apollo 13", "Jim Lovell"), ("Apollo 13 (film)", "Tom Hanks")],
    "demo-013": [
        ("Hallelujah (Leonard Cohen song)", "John Cale"),
        ("Hallelujah (Leonard Cohen song)", "Rufus Wainwright"),
    ],
    "demo-014": [
        ("Queensferry Crossing", "30 August 2017"),
        ("Queensferry Crossing", "4 September 2017"),
    ],
    "demo-015": [
        ("All Along the Watchtower", "Bob Dylan"),
        ("All Along the Watchtower", "The Jimi Hendrix Experience"),
        ("All Along the Watchtower", "Jimi Hendrix"),
    ],
    "demo-021": [("River Thames", "346 km"), ("River Thames", "369 km")],
    "demo-022": [("The Boat Race", "Oxford"), ("The Boat Race", "Cambridge")],
    "demo-023": [
        ("Wimbledon Championships", "Andy Murray"),
        ("Wimbledon Championships", "Serena Williams"),
    ],
    "demo-024": [("Georgia (country)", "Tbilisi"), ("Georgia (U.S. state)", "Atlanta")],
    "demo-025": [
        ("Bell Rock Lighthouse", "Robert Stevenson"),
        ("Bell Rock Lighthouse", "John Rennie"),
    ],
    "demo-026": [
        ("Treasure Island", "October 1881"),
        ("Treasure Island", "14 November 1883"),
    ],
    "demo-027": [("Tour de France", "Chris Froome"), ("Tour de France", "2016")],
}


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


@pytest.fixture(scope="module")
def questions():
    lines = (ANNOTATION_DEMO / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


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
    assert [a.title for a in opened.articles()] == [a.title for a in articles]
    assert len(list(opened.redirects())) == sum(len(a.redirects) for a in articles)
    assert opened.metadata().date.date() == datetime.date(2024, 1, 2)
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


# Prompts


def test_there_are_thirty_prompts_in_two_splits(questions):
    assert [q["id"] for q in questions] == [f"demo-{n:03d}" for n in range(1, 31)]
    assert len({q["question"].lower() for q in questions}) == 30
    assert Counter(q["split"] for q in questions) == {"dev": 20, "train": 10}
    for question in questions:
        assert set(question) <= {"id", "question", "split", "types", "answers"}


def test_prompts_cover_every_type_of_ambiguity(questions):
    types = Counter(name for question in questions for name in question["types"])
    assert set(types) == AMBIGUITIES | CLEAR
    assert types["unambiguous"] >= 4
    assert types["unanswerable"] >= 3
    for question in questions:
        clear = CLEAR & set(question["types"])
        assert not clear or len(question["types"]) == 1, question["id"]
        assert len(set(question["types"])) == len(question["types"]) > 0


def test_known_answers_are_on_some_page(questions, pages):
    for question in questions:
        if question["types"] == ["unanswerable"]:
            assert "answers" not in question
        if question["types"] == ["unambiguous"]:
            assert question["answers"]
        for answer in question.get("answers", []):
            assert any(answer in page.text for page in pages.values()), (question["id"], answer)


def test_every_open_prompt_has_several_answers_in_the_articles(questions, pages):
    opened = {q["id"] for q in questions if AMBIGUITIES & set(q["types"])}
    assert set(PLAUSIBLE) == opened
    for name, found in PLAUSIBLE.items():
        assert len({answer for _, answer in found}) >= 2, name
        for title, answer in found:
            assert answer in pages[title].text, (name, title, answer)


def test_prompts_are_written_as_people_type_them(questions):
    """Most lack the capital and the question mark, so that the display form matters."""
    texts = [question["question"] for question in questions]
    assert sum(text[0].islower() for text in texts) >= 15
    assert sum(not text.endswith("?") for text in texts) >= 15
    assert any(text[0].isupper() and text.endswith("?") for text in texts)


# Guidelines


@pytest.fixture(scope="module")
def guidelines():
    return (ANNOTATION_DEMO / "guidelines.md").read_text(encoding="utf-8")


def test_guidelines_have_the_four_tabs(guidelines):
    assert re.findall(r"^## (.*)$", guidelines, re.MULTILINE) == [
        "Overview",
        "Examples",
        "FAQ",
        "Bonuses",
    ]
    assert guidelines.startswith("## Overview\n")


def test_guidelines_do_not_work_a_prompt_of_the_demo(guidelines, questions):
    text = guidelines.lower()
    for question in questions:
        assert question["question"].lower().rstrip("?") not in text


def test_answers_in_the_guidelines_are_on_some_page(guidelines, pages):
    rows = re.findall(r"^\| [^|]+\? \| ([^|]+) \|$", guidelines, re.MULTILINE)
    singles = re.findall(r"Answer: \*\*(.+?)\*\*", guidelines)
    assert len(rows) >= 6
    assert len(singles) >= 2
    for answer in rows + singles:
        assert any(answer in page.text for page in pages.values()), answer


def test_guidelines_promise_no_amount(guidelines):
    bonuses = guidelines.partition("## Bonuses")[2]
    assert not re.search(r"\d|[$£€]", bonuses)
