import bz2
import re
import tracemalloc

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.wikipedia.archives.xmldumps import FOOT, HEAD, page, revision, write_dump
from wikipedia.archives import dumps
from wikipedia.archives.dumps import DumpReader, dump_files, read_site
from wikipedia.search.index import IndexProblem

PAGES = [
    page(1, "Ferry", "A '''ferry''' & a <b>boat</b>."),
    page(2, "Ferryboat", "#REDIRECT [[Ferry]]", redirect="Ferry"),
    page(3, "Talk:Ferry", "Hello", ns=1),
    page(4, "Élan 😀", "Une équipe."),
]


@pytest.mark.parametrize("name", ["d.xml", "d.xml.gz", "d.xml.bz2"])
def test_pages_in_order_from_every_packing(tmp_path, name):
    reader = DumpReader(write_dump(tmp_path / name, PAGES))
    pages = list(reader)
    assert [(p.id, p.title, p.namespace, p.redirect) for p in pages] == [
        ("1", "Ferry", 0, None),
        ("2", "Ferryboat", 0, "Ferry"),
        ("3", "Talk:Ferry", 1, None),
        ("4", "Élan 😀", 0, None),
    ]
    assert pages[0].text == "A '''ferry''' & a <b>boat</b>."
    assert reader.pages == 4
    assert reader.site.language == "en"
    assert reader.site.namespace_names(6, 14) == {"file", "image", "category", "datei", "kategorie"}


def test_the_newest_of_several_revisions_counts(tmp_path):
    history = (
        "<page><title>A</title><ns>0</ns><id>1</id>"
        + revision(2, "new", moment="2018-01-01")
        + revision(1, "old", moment="2016-01-01")
        + "</page>"
    )
    assert [p.text for p in DumpReader(write_dump(tmp_path / "d.xml", [history]))] == ["new"]


def test_old_dumps_name_neither_namespace_nor_redirect(tmp_path):
    pages = [
        page(1, "Datei:A.jpg", "x", ns=None),
        page(2, "Star: a film", "x", ns=None),
        page(3, "Boat", "#redirect [[Ferry boat#Now|b]]", ns=None),
        page(4, "Barke", "#WEITERLEITUNG: [[Ferry_boat]]", ns=None),
        page(5, "List", "# [[one]]", ns=None),
    ]
    found = list(DumpReader(write_dump(tmp_path / "d.xml", pages)))
    assert [p.namespace for p in found] == [6, 0, 0, 0, 0]
    assert [p.redirect for p in found] == [None, None, "Ferry boat", "Ferry boat", None]


def refused(path):
    with pytest.raises(IndexProblem) as problem:
        list(DumpReader(path))
    return str(problem.value)


@pytest.mark.parametrize("name", ["d.xml", "d.xml.gz", "d.xml.bz2"])
def test_a_file_cut_short_says_how_far_it_goes(tmp_path, name):
    path = write_dump(tmp_path / name, PAGES * 50, per_stream=20)
    path.write_bytes(path.read_bytes()[:-60])
    said = refused(path)
    assert re.search(r"ends in the middle, after page \d+ \(byte [\d,]+\)", said), said
    assert "run the command again" in said


def test_streams_missing_at_the_end_are_noticed(tmp_path):
    path = tmp_path / "d.xml.bz2"
    path.write_bytes(bz2.compress(HEAD.encode()) + bz2.compress(PAGES[0].encode()))
    assert "after page 1 " in refused(path)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (HEAD + PAGES[0] + "<page><title>A</titel></page>" + FOOT, "after page 1 .*mismatched"),
        (HEAD + PAGES[0] + "<page>&nbsp;</page>" + FOOT, "undefined entity"),
        (HEAD + "\x01" + FOOT, "not valid XML"),
        ("<html><p>x</p></html>", "begins with <html>"),
        ("not xml", "not valid XML"),
        ("", "is empty"),
        ('<!DOCTYPE m SYSTEM "file:///etc/passwd">' + HEAD + FOOT, "document type"),
        (
            '<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
            + HEAD + "<page><title>&b;</title></page>" + FOOT,
            "document type",
        ),
        (HEAD + "<a>" * 50 + FOOT, "nest deeper"),
    ],
)  # fmt: skip
def test_what_is_no_dump_is_refused(tmp_path, content, says):
    path = tmp_path / "d.xml"
    path.write_text(content, "utf-8")
    assert re.search(says, refused(path))


def test_damaged_bzip2_is_refused(tmp_path):
    path = write_dump(tmp_path / "d.xml.bz2", PAGES)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert "d.xml.bz2" in refused(path)


def test_no_file(tmp_path):
    assert "There is no file" in refused(tmp_path / "none.xml")


def test_an_endless_tag_is_refused_before_memory_is_full(tmp_path, monkeypatch):
    monkeypatch.setattr(dumps, "_MAX_TAG_BYTES", 3 << 20)
    path = tmp_path / "d.xml"
    path.write_text(HEAD + "<page a='" + "x" * (12 << 20))
    assert "a tag does not end" in refused(path)


def test_a_page_too_long_is_left_out_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(dumps, "MAX_PAGE_CHARACTERS", 1_000_000)
    pages = [page(1, "Long", "word " * 1_000_000), page(2, "Short", "word")]
    reader = DumpReader(write_dump(tmp_path / "d.xml", pages))
    tracemalloc.start()
    assert [(p.title, p.text) for p in reader] == [("Long", ""), ("Short", "word")]
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert reader.left_out == 1


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=50).filter(
            lambda t: "\ufffe" not in t and "\uffff" not in t
        ),
        min_size=1, max_size=8,
    )
)  # fmt: skip
def test_any_text_arrives_as_it_was(tmp_path, texts):
    path = write_dump(tmp_path / "d.xml.bz2", [page(n, "T", t) for n, t in enumerate(texts)])
    assert [p.text for p in DumpReader(path)] == texts


def test_parts_are_found_by_pattern_in_their_order(tmp_path):
    names = ["d10.xml", "d2.xml", "d1.xml"]
    for name in names:
        write_dump(tmp_path / name, PAGES)
    assert [p.name for p in dump_files([str(tmp_path / "d*.xml")])] == [
        "d1.xml",
        "d2.xml",
        "d10.xml",
    ]
    assert [p.name for p in dump_files([str(tmp_path / n) for n in names])] == names
    with pytest.raises(IndexProblem, match="No file matches"):
        dump_files([str(tmp_path / "e*.xml")])
    with pytest.raises(IndexProblem, match="named twice"):
        dump_files([str(tmp_path / "d1.xml"), str(tmp_path / "d1.xml")])


def test_the_site_is_read_without_the_pages(tmp_path):
    path = tmp_path / "d.xml"
    path.write_text(HEAD + PAGES[0] + "<broken")
    assert read_site(path).language == "en"
