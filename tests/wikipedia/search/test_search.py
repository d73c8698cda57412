"""Building indexes and finding things in them."""

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.wikipedia.archives.zims import write_zim
from wikipedia.archives.zim import open_archive
from wikipedia.corpora.sources import ArchiveSource, PassageSource, passage_file
from wikipedia.search import index as index_module
from wikipedia.search.index import (
    BUILDING,
    POINTER,
    Batch,
    IndexProblem,
    PassageDoc,
    build_index,
    read_info,
)
from wikipedia.search.searching import check_index, search_articles, search_passages


@pytest.fixture(scope="module")
def lund(zim, tmp_path_factory):
    folder = tmp_path_factory.mktemp("index") / "lund"
    build_index(folder, ArchiveSource(open_archive(zim)))
    return folder


def corpus(texts, **kw):
    rows = [(f"p{n}", f"Title {n}", text) for n, text in enumerate(texts)]
    return PassageSource(rows, total=len(rows), fingerprint=kw.pop("fingerprint", "f1"), **kw)


def test_a_question_finds_the_article(lund):
    found = search_articles(lund, "When was the harbour of Lund dug?")
    assert found.hits[0].path == "Harbour_of_Lund"
    assert found.total == 2
    assert ("dug", True) in found.hits[0].snippet
    assert "".join(text for text, _ in found.hits[0].snippet).startswith("The harbour was dug")


def test_a_redirect_finds_its_article_and_says_so(lund):
    hit = search_articles(lund, "ferry boat").hits[0]
    assert (hit.title, hit.redirect_from) == ("Ferry of Lund", "Ferry boat")
    assert search_articles(lund, "ferry of lund").hits[0].redirect_from is None


def test_the_main_page_answers_nothing(tmp_path):
    articles = {
        "Main_Page": ("Main Page", "<p>Today the ferry, tomorrow the harbour.</p>"),
        "Wikipedia:Hauptseite": ("Wikipedia:Hauptseite", "<p>A ferry a day.</p>"),
        "Ferry": ("Ferry", "<p>A ferry crosses the sound.</p>"),
    }
    archive = open_archive(write_zim(tmp_path / "x.zim", articles, redirects=()))
    build_index(tmp_path / "x", ArchiveSource(archive))
    assert [hit.title for hit in search_articles(tmp_path / "x", "ferry harbour").hits] == ["Ferry"]
    assert [hit.title for hit in search_passages(tmp_path / "x", "ferry harbour")] == ["Ferry"]


def test_paging(lund):
    first = search_articles(lund, "lund", limit=1)
    assert (len(first.hits), first.total, first.has_next, first.next_offset) == (1, 2, True, 1)
    second = search_articles(lund, "lund", limit=1, offset=1)
    assert (second.has_next, second.has_previous, second.previous_offset) == (False, True, 0)
    assert first.hits[0].path != second.hits[0].path
    assert search_articles(lund, "lund", offset=500).hits == ()


def test_stop_words_count_only_when_alone(lund):
    assert search_articles(lund, "was it by the").total == 3 - 1
    assert search_articles(lund, "the of xyzzy").total == 0


def test_passages_carry_title_and_path(lund):
    hit = search_passages(lund, "when did it freeze", 3)
    assert hit == ()  # "froze" and "freeze" are different words to a stemmer
    hit = search_passages(lund, "froze in which year", 3)[0]
    assert (hit.title, hit.path, hit.id) == (
        "Harbour of Lund",
        "Harbour_of_Lund",
        "Harbour_of_Lund#1",
    )


@pytest.mark.parametrize(
    "query",
    [
        "", "   ", "?!", '"', "'", "AND", "NOT ferry", "title:ferry", "ferry AND", "(", "[a TO b]",
        "ferry^1000000", "ferry~9", "*", "/.*/", "+ferry -lund", "\\", "\x00ferry", "ferry\n", "😀",
        "'; DROP TABLE quotes; --", "<b>ferry</b>", "\ud800", "ﬀ", "a" * 10_000, "ferry " * 2_000,
    ],
)  # fmt: skip
def test_hostile_queries_are_only_words(lund, query):
    began = time.perf_counter()
    found = search_articles(lund, query)
    search_passages(lund, query)
    assert time.perf_counter() - began < 1
    if "ferry" in query and query != "😀":
        assert found.hits[0].path == "Ferry_of_Lund"


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(max_size=60))
def test_any_text_is_a_query(lund, query):
    for hit in search_articles(lund, query).hits:
        assert all(text for text, _ in hit.snippet)


def test_accents_do_not_matter_and_matches_are_cut_at_characters(tmp_path):
    build_index(tmp_path / "x", corpus(["Ééé — the café in Malmö is Ångström's", "other"]))
    hit = search_passages(tmp_path / "x", "cafe malmo angstrom")[0]
    assert [text for text, matched in hit.snippet if matched] == ["café", "Malmö", "Ångström"]
    assert "".join(text for text, _ in hit.snippet) in hit.text


def test_snippets_are_text_not_html(tmp_path):
    build_index(tmp_path / "x", corpus(["<script>ferry</script> & <b>boat</b>"]))
    hit = search_passages(tmp_path / "x", "ferry")[0]
    assert hit.snippet == (
        ("<script>", False), ("ferry", True), ("</script> & <b>boat</b", False),
    ) or "<script>" in hit.snippet[0][0]  # fmt: skip


def test_the_same_source_again_changes_nothing(tmp_path):
    first = build_index(tmp_path / "x", corpus(["one", "two"]))
    assert build_index(tmp_path / "x", corpus(["one", "two"])) == first
    second = build_index(tmp_path / "x", corpus(["three"], fingerprint="f2"))
    assert second.passages == 1
    assert search_passages(tmp_path / "x", "three")[0].id == "p0"
    assert search_passages(tmp_path / "x", "two") == ()
    assert len(list((tmp_path / "x").glob("v-*"))) == 1


class Interrupted(Exception):
    pass


@pytest.mark.parametrize("batches", [1, 2, 3])
def test_indexing_an_archive_goes_on_where_it_stopped(zim, tmp_path, batches):
    """Redirects are kept over the interruption, and no article is there twice or missing."""
    folder, calls = tmp_path / "x", []

    def stop(done, total):
        calls.append(done)
        if len(calls) > batches:
            raise Interrupted

    with pytest.raises(Interrupted):
        build_index(folder, ArchiveSource(open_archive(zim)), batch=1, progress=stop)
    info = build_index(folder, ArchiveSource(open_archive(zim)), batch=1)
    assert (info.articles, info.passages) == (3, 3)
    found = search_articles(folder, "lund band ferry harbour")
    assert sorted(hit.path for hit in found.hits) == ["AC/DC", "Ferry_of_Lund", "Harbour_of_Lund"]
    assert search_articles(folder, "ferry boat").hits[0].redirect_from == "Ferry boat"
    assert len(search_passages(folder, "lund band ferry harbour")) == 3
    assert not (folder / info.folder / "scratch").exists()


class Failing(PassageSource):
    """A source that breaks off at a position, once."""

    stop_at: int | None = None
    started_at: int | None = None

    def read(self, start, scratch):
        self.started_at = start
        for batch in super().read(start, scratch):
            if batch.position == self.stop_at:
                raise Interrupted
            yield batch


@pytest.mark.parametrize("stop_at", [0, 1, 9, 10, 11, 25])
def test_an_interrupted_build_goes_on_without_doubles(tmp_path, stop_at):
    folder = tmp_path / "x"
    rows = [(f"p{n}", "T", f"word{n} common") for n in range(30)]
    source = Failing(rows, total=30, fingerprint="f")
    source.stop_at = stop_at
    with pytest.raises(Interrupted):
        build_index(folder, source, batch=10)
    assert read_info(folder) is None
    with pytest.raises(IndexProblem, match="no search index"):
        search_passages(folder, "common")
    source.stop_at = None
    info = build_index(folder, source, batch=10)
    assert source.started_at == stop_at // 10 * 10
    assert info.passages == 30
    assert sorted(h.id for h in search_passages(folder, "common", 100)) == sorted(
        r[0] for r in rows
    )


def test_a_commit_without_its_note_is_replaced(tmp_path, monkeypatch):
    """Killed between the commit and the state file: the batch is there twice unless replaced."""
    folder = tmp_path / "x"
    rows = [(f"p{n}", "T", "common") for n in range(30)]
    write, calls = index_module.write_json, []

    def dies_at_second(path, data):
        calls.append(path)
        if len(calls) == 2:
            raise Interrupted
        write(path, data)

    monkeypatch.setattr(index_module, "write_json", dies_at_second)
    with pytest.raises(Interrupted):
        build_index(folder, PassageSource(rows, total=30, fingerprint="f"), batch=10)
    monkeypatch.setattr(index_module, "write_json", write)
    info = build_index(folder, PassageSource(rows, total=30, fingerprint="f"), batch=10)
    assert info.passages == 30
    assert len(search_passages(folder, "common", 100)) == 30


def test_the_old_index_answers_while_a_new_one_is_built(tmp_path):
    folder = tmp_path / "x"
    build_index(folder, corpus(["old words"]))
    seen = []
    build_index(
        folder,
        corpus(["new words"], fingerprint="f2"),
        progress=lambda done, total: seen.append(search_passages(folder, "words")[0].text),
    )
    assert set(seen) == {"old words"}
    assert search_passages(folder, "words")[0].text == "new words"


def test_two_builds_at_once_are_refused(tmp_path):
    folder = tmp_path / "x"

    def again(done, total):
        with pytest.raises(IndexProblem, match="Another process"):
            build_index(folder, corpus(["b"], fingerprint="f2"))

    build_index(folder, corpus(["a"]), progress=again)
    assert search_passages(folder, "a")[0].id == "p0"


KILLED = """
import sys, time
from pathlib import Path
from wikipedia.search.index import build_index
from wikipedia.corpora.sources import PassageSource
rows = [(f"p{n}", "T", f"word{n} common") for n in range(2000)]
def slow(done, total):
    print(done, flush=True); time.sleep(0.05)
source = PassageSource(rows, total=2000, fingerprint="k")
build_index(Path(sys.argv[1]), source, batch=100, progress=slow)
"""


def test_a_killed_process_leaves_a_build_that_goes_on(tmp_path):
    folder = tmp_path / "x"
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder)],
        stdout=subprocess.PIPE, text=True, cwd=Path(__file__).resolve().parents[3],
    )  # fmt: skip
    for line in process.stdout:
        if int(line) >= 500:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert (folder / BUILDING / "state.json").exists()
    begun = []
    rows = [(f"p{n}", "T", f"word{n} common") for n in range(2000)]
    build_index(
        folder,
        PassageSource(rows, total=2000, fingerprint="k"),
        batch=100,
        progress=lambda done, total: begun.append(done),
    )
    assert begun[0] >= 500
    assert len({h.id for h in search_passages(folder, "common", 1000)}) == 1000
    assert search_passages(folder, "word1999")[0].id == "p1999"
    assert read_info(folder).passages == 2000


def test_a_broken_index_says_what_to_do(tmp_path):
    folder = tmp_path / "x"
    assert "index_wikipedia" in check_index(folder)
    info = build_index(folder, corpus(["a"]))
    assert check_index(folder) is None
    (folder / "current.json").write_text("{broken")
    assert "no search index" in check_index(folder)
    (folder / "current.json").write_text(json.dumps(info.__dict__))
    for file in (folder / info.folder / "passages").iterdir():
        # A new file: the old one is mapped into memory, and cutting it would end the process.
        file.unlink()
        file.write_bytes(b"")
    os.utime(folder / "current.json", ns=(1, 1))
    assert "cannot be read" in check_index(folder)


def write(path, text, packed=False):
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


@pytest.mark.parametrize("packed", [False, True])
def test_passage_files(tmp_path, packed):
    jsonl = write(tmp_path / "a", '{"id": 1, "title": "T", "text": "boat"}\n\n', packed)
    tsv = write(tmp_path / "b", 'id\ttext\ttitle\n7\t"a ""boat"" here"\tT\n', packed)
    for file, kind, key in ((jsonl, "jsonl", "1"), (tsv, "dpr-tsv", "7")):
        folder = tmp_path / f"index-{kind}"
        build_index(folder, passage_file(file, kind))
        assert search_passages(folder, "boat")[0].id == key
    assert search_passages(tmp_path / "index-dpr-tsv", "boat")[0].text == 'a "boat" here'


@pytest.mark.parametrize(
    ("kind", "content", "says"),
    [
        ("jsonl", '{"id": 1, "text": "a"}\n{broken\n', "line 2: not JSON"),
        ("jsonl", '{"id": 1}\n', "line 1: needs an object"),
        ("jsonl", "[1]\n", "line 1: needs an object"),
        (
            "jsonl",
            '{"id": 1, "text": "a"}\n{"id": 1, "text": "b"}\n',
            "line 2: id “1” appears twice",
        ),
        ("jsonl", b'{"id": 1, "text": "\xff"}', "not UTF-8"),
        ("jsonl", "", "holds no passages"),
        ("jsonl", '{"id": 1, "text": "' + "x" * 10_000_001, "line 1: longer than"),
        ("jsonl", "[" * 100_000, "line 1"),
        ("dpr-tsv", "1\ttext\n", "line 1: 2 columns"),
        ("dpr-tsv", "id\ttext\ttitle\n", "holds no passages"),
        ("xml", "", "is not a passage format"),
    ],
)
def test_bad_passage_files_are_named_by_line(tmp_path, kind, content, says):
    with pytest.raises(IndexProblem, match=says):
        passage_file(write(tmp_path / "bad", content), kind)


def test_missing_and_cut_passage_files(tmp_path):
    with pytest.raises(IndexProblem, match="There is no file"):
        passage_file(tmp_path / "none", "jsonl")
    packed = gzip.compress(b"".join(b'{"id": %d, "text": "a"}\n' % n for n in range(100)))
    (tmp_path / "cut").write_bytes(packed[:-12])
    with pytest.raises(IndexProblem, match="cannot be read"):
        passage_file(tmp_path / "cut", "jsonl")


def test_memory_does_not_grow_with_the_source(tmp_path):
    """A source is read lazily: no more than a batch is asked for ahead of a commit."""
    commits = []

    class Lazy(PassageSource):
        def read(self, start, scratch):
            for position in range(1_000):
                assert position - (commits[-1] if commits else 0) <= 100
                yield Batch(position, None, [PassageDoc(str(position), "", "", "w")])

    build_index(
        tmp_path / "x",
        Lazy([], total=1_000, fingerprint="f"),
        batch=100,
        progress=lambda done, total: commits.append(done),
    )
    assert commits[1] == 100


def test_a_replaced_index_gives_its_files_back(zim, tmp_path):
    """What is mapped keeps its place on the disk, though nobody sees the files any more."""
    folder = tmp_path / "index"
    for again in range(4):
        shutil.rmtree(folder, ignore_errors=True)
        build_index(folder, ArchiveSource(open_archive(zim)))
        os.utime(folder / POINTER, ns=(again, again))
        assert search_articles(folder, "ferry").total
        assert search_passages(folder, "ferry", 3)
    maps = Path("/proc/self/maps").read_text().splitlines()
    assert [line for line in maps if str(folder) in line]
    assert not [line for line in maps if str(folder) in line and "(deleted)" in line]
