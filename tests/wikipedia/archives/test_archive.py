import pytest

from tests.wikipedia.archives.zims import write_zim
from wikipedia.archives.zim import ArchiveError, EntryMissing, open_archive


def test_articles_come_in_a_stable_order_from_anywhere(zim):
    archive = open_archive(zim)
    everything = list(archive.iterate_articles())
    assert {a.path for a in everything} == {"Ferry_of_Lund", "Harbour_of_Lund", "AC/DC"}
    positions = [a.position for a in everything]
    assert positions == sorted(positions)
    assert list(archive.iterate_articles(positions[1])) == everything[1:]


def test_redirects_lead_to_the_article(zim):
    archive = open_archive(zim)
    assert [(r.title, r.target) for r in archive.iterate_redirects()] == [
        ("Ferry boat", "Ferry_of_Lund")
    ]
    read = archive.read("Ferryboat")
    assert (read.path, read.redirect_from) == ("Ferry_of_Lund", "Ferryboat")


def test_a_title_finds_its_page(zim):
    archive = open_archive(zim)
    assert archive.read("Ferry of Lund").path == "Ferry_of_Lund"
    for missing in ("Nowhere", "", "\x00", "\ud800", "Ferry\nof Lund"):
        with pytest.raises(EntryMissing):
            archive.read(missing)


def test_titles_that_begin_alike_are_listed(tmp_path):
    names = ["List", "List of bridges", "List of ŵaters", "Lists of bridges", "List of", "Listen"]
    names += ["A list of ferries", "Zebra", "list of ferries"]
    articles = {name.replace(" ", "_"): (name, "<p>x</p>") for name in names}
    articles["List of fords"] = ("List of fords", "<p>x</p>")
    file = write_zim(tmp_path / "a.zim", articles, [("List_of_trolls", "x", "Zebra")])
    archive = open_archive(file)
    found = ["List of fords", "List_of_bridges", "List_of_ŵaters"]
    assert archive.list_article_paths("List of ") == found
    assert archive.list_article_paths("Lists of ") == ["Lists_of_bridges"]
    assert archive.list_article_paths("Zz") == archive.list_article_paths("ŵ") == []
    assert len(archive.list_article_paths("")) == len(articles)


def test_metadata(zim):
    metadata = open_archive(zim).read_metadata()
    assert (metadata.title, metadata.language) == ("Lund", "eng")
    assert metadata.date.isoformat() == "2024-01-02T00:00:00+00:00"
    assert metadata.licence == ""


@pytest.mark.parametrize("keep", [10, 1000, -1])
def test_a_truncated_archive_is_refused_with_the_way_out(zim, tmp_path, keep):
    cut = tmp_path / "cut.zim"
    cut.write_bytes(zim.read_bytes()[:keep])
    with pytest.raises(ArchiveError, match="download it again"):
        open_archive(cut)


def test_a_changed_byte_is_noticed(zim, tmp_path):
    data = bytearray(zim.read_bytes())
    data[len(data) // 2] ^= 0xFF
    bad = tmp_path / "bad.zim"
    bad.write_bytes(data)
    with pytest.raises(ArchiveError, match=r"bad\.zim"):
        open_archive(bad)


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "is empty"), (b"PK\x03\x04 zip", "is not a ZIM archive")]
)
def test_other_files_are_refused(tmp_path, content, says):
    path = tmp_path / "other.zim"
    path.write_bytes(content)
    with pytest.raises(ArchiveError, match=says):
        open_archive(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(ArchiveError, match="There is no file"):
        open_archive(tmp_path / "none.zim")
    with pytest.raises(ArchiveError, match="is a folder"):
        open_archive(tmp_path)


def test_chains_of_redirects_are_followed(tmp_path):
    path = write_zim(
        tmp_path / "loop.zim",
        redirects=(("A1", "A one", "Ferry_of_Lund"), ("A2", "A two", "A1")),
    )
    found = {r.title: r.target for r in open_archive(path).iterate_redirects()}
    assert found == {"A one": "Ferry_of_Lund", "A two": "Ferry_of_Lund"}


@pytest.mark.parametrize("title", [" ", "\u2003", "\x01"])
def test_an_article_without_a_title_is_called_by_its_path(tmp_path, title):
    archive = open_archive(write_zim(tmp_path / "x.zim", {"Nameless": (title, "<p>A ferry.</p>")}))
    assert [each.title for each in archive.iterate_articles()] == ["Nameless"]
    assert archive.read("Nameless").title == "Nameless"


def test_a_title_is_one_line(tmp_path):
    archive = open_archive(write_zim(tmp_path / "x.zim", {"F": ("Ferry\nof\tLund", "<p>A</p>")}))
    assert [each.title for each in archive.iterate_articles()] == ["Ferry of Lund"]


def test_a_path_too_long_to_keep_is_no_article(tmp_path):
    long = "é" * 600
    archive = open_archive(
        write_zim(tmp_path / "x.zim", {long: ("Long", "<p>A</p>"), "B": ("B", "<p>B</p>")}, ())
    )
    assert [each.path for each in archive.iterate_articles()] == ["B"]
    with pytest.raises(EntryMissing):
        archive.read(long)
