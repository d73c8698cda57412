"""index_passages from dumps and archives: what is a passage, and builds that were stopped."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import tantivy
from django.core.management import CommandError, call_command

from tests.wikipedia.archives.xmldumps import page, write_dump
from tests.wikipedia.archives.zims import write_zim
from wikipedia.corpora.corpus import DumpSource, open_corpus
from wikipedia.corpora.pool import in_order
from wikipedia.search import index as index_module
from wikipedia.search.index import PASSAGES, IndexProblem, build_index, read_info
from wikipedia.search.searching import search_articles, search_passages

FERRY = """{{Infobox ship|length={{convert|5|m}}}}
The '''ferry''' crosses the [[Sound]].<ref>Clerk</ref> [[Datei:a.jpg|thumb|caption]]
== Timetable ==
{| class="wikitable"
| cell
|}
* item
== Trade ==
It carries salt.
== References ==
Register of ships."""
PAGES = [
    page(1, "Ferry", FERRY),
    page(2, "Salt boat", "#REDIRECT [[Ferry]]", redirect="Ferry#Trade"),
    page(3, "Talk:Ferry", "A ferry talk", ns=1),
    page(4, "List of ferries", "Ferry one. Ferry two."),
    page(5, "Mercury (disambiguation)", "Mercury ferry"),
    page(6, "Venus", "A ferry or a planet. {{Human name disambiguation}}"),
    page(7, "Mars", "A ferry or a god. {{Wegweiser|x}}"),
    page(8, "Template:Mehrdeutig", "Box<includeonly>__DISAMBIG__</includeonly>", ns=10),
    page(9, "Template:Wegweiser", "#REDIRECT [[Template:Mehrdeutig]]", ns=10,
         redirect="Template:Mehrdeutig"),
    page(10, "Data", "{}", model="json"),
    page(11, "Sound", "The '''Sound''' is water with a ferry."),
    page(12, "Öresund", "#REDIRECT [[Sound]]", redirect="Sound"),
]  # fmt: skip


@pytest.fixture
def dump(tmp_path):
    return write_dump(tmp_path / "d.xml.bz2", PAGES)


def run(*args):
    out = io.StringIO()
    call_command(*[str(a) for a in args], stdout=out)
    return out.getvalue()


def passages_of(folder):
    """Every passage of an index: id, path, title and text, sorted."""
    info = read_info(folder)
    searcher = tantivy.Index.open(str(folder / info.folder / PASSAGES)).searcher()
    hits = searcher.search(tantivy.Query.all_query(), 1_000_000).hits
    return sorted(
        sorted((k, str(v)) for k, v in searcher.doc(a).to_dict().items()) for _, a in hits
    )


def built(folder, source, **kw):
    build_index(folder, source, **kw)
    return passages_of(folder)


def test_articles_without_semi_structured_text(dump, tmp_path):
    info = build_index(tmp_path / "x", DumpSource([dump]))
    assert (info.articles, info.passages, info.language) == (2, 2, "en")
    found = {hit.title: hit for hit in search_passages(tmp_path / "x", "ferry", 10)}
    assert set(found) == {"Ferry", "Sound"}
    assert found["Ferry"].text == "The ferry crosses the Sound. Trade. It carries salt."
    assert (found["Ferry"].id, found["Ferry"].path) == ("1-1", "Ferry")


def test_redirects_are_other_names(dump, tmp_path):
    build_index(tmp_path / "x", DumpSource([dump]))
    hit = search_articles(tmp_path / "x", "öresund").hits[0]
    assert (hit.title, hit.redirect_from) == ("Sound", "Öresund")
    assert search_articles(tmp_path / "x", "salt boat").hits[0].redirect_from == "Salt boat"
    assert search_passages(tmp_path / "x", "öresund") == ()


def test_lists_can_be_kept(dump, tmp_path):
    info = build_index(tmp_path / "x", DumpSource([dump], lists=True))
    assert info.articles == 6
    assert "item" in search_passages(tmp_path / "x", "timetable")[0].text


def test_several_processes_and_several_files_make_the_same_index(tmp_path):
    articles = [page(n, f"Title {n}", f"Sentence {n} of a ferry. " * 60) for n in range(1, 150)]
    whole = write_dump(tmp_path / "d.xml", articles)
    first = write_dump(tmp_path / "d1.xml.bz2", articles[:70])
    second = write_dump(tmp_path / "d2.xml.gz", articles[70:])
    alone = built(tmp_path / "a", DumpSource([whole]))
    assert len(alone) > 149
    assert built(tmp_path / "b", DumpSource([whole], processes=2), batch=40) == alone
    assert built(tmp_path / "c", DumpSource([first, second]), batch=40) == alone


def test_a_stopped_build_goes_on_inside_the_second_file(tmp_path):
    articles = [page(n, f"Title {n}", f"Sentence {n} of a ferry.") for n in range(100)]
    files = [
        write_dump(tmp_path / "d1.xml", articles[:30]),
        write_dump(tmp_path / "d2.xml", articles[30:]),
    ]
    expected = built(tmp_path / "a", DumpSource(files))

    class Stopped(DumpSource):
        def read(self, start, scratch):
            for batch in super().read(start, scratch):
                if batch.position == 64:
                    raise OSError("disk gone")
                yield batch

    with pytest.raises(OSError, match="disk gone"):
        build_index(tmp_path / "b", Stopped(files), batch=20)
    told = []
    assert built(tmp_path / "b", DumpSource(files), progress=lambda *a: told.append(a)) == expected
    assert told[0] == (60, 100)


def test_killed_at_any_moment_it_goes_on(tmp_path):
    """A real process, killed several times on its way; its own workers end with it."""
    articles = [page(n, f"Title {n}", f"Sentence {n} of a ferry. " * 40) for n in range(3_000)]
    dump = write_dump(tmp_path / "d.xml.bz2", articles, per_stream=500)
    expected = built(tmp_path / "whole", DumpSource([dump]))
    program = (
        "import sys\nfrom pathlib import Path\nfrom wikipedia.corpora.corpus import DumpSource\n"
        "from wikipedia.search.index import build_index\n"
        "if __name__ == '__main__':\n"
        "    folder, dump = map(Path, sys.argv[1:])\n"
        "    build_index(folder, DumpSource([dump], processes=2), batch=100)\n"
    )
    script = tmp_path / "build.py"
    script.write_text(program)
    folder, kills = tmp_path / "killed", 0
    command = [sys.executable, str(script), str(folder), str(dump)]
    environment = {**os.environ, "PYTHONPATH": str(Path(index_module.__file__).parents[2])}
    workers = set()
    while read_info(folder) is None:
        process = subprocess.Popen(command, env=environment)
        before = _next(folder)
        end = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < end:
            if kills < 4 and _next(folder) > before:
                workers |= {child.pid for child in psutil.Process(process.pid).children(True)}
                process.send_signal(signal.SIGKILL)
                kills += 1
                break
            time.sleep(0.005)
        assert process.wait(120) in (0, -signal.SIGKILL)
    assert kills >= 2
    assert passages_of(folder) == expected
    assert read_info(folder).passages == len(expected)
    assert workers
    for _ in range(200):
        alive = [pid for pid in workers if _is_running(pid)]
        if not alive:
            break
        time.sleep(0.05)
    assert not alive


def _is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _next(folder):
    try:
        return json.loads((folder / "building" / "state.json").read_text())["next"]
    except (OSError, ValueError):
        return 0


def test_a_broken_dump_stops_before_anything_is_built(dump, tmp_path):
    dump.write_bytes(dump.read_bytes()[:-40])
    with pytest.raises(IndexProblem, match="ends in the middle, after page"):
        build_index(tmp_path / "x", DumpSource([dump]))
    assert read_info(tmp_path / "x") is None


def test_a_worker_that_dies_is_a_sentence():
    with pytest.raises(IndexProblem, match="fewer --processes"):
        list(in_order(os._exit, [1], processes=1, weight=lambda item: 1))


def test_an_error_of_a_worker_is_raised_here():
    with pytest.raises(ValueError, match="invalid literal"):
        list(in_order(int, ["1", "x"], processes=1, weight=len))


def test_answers_come_in_order():
    numbers = [str(n) for n in range(1_000)]
    assert list(in_order(int, numbers, processes=2, weight=len)) == list(range(1_000))


def test_an_archive(tmp_path):
    archive = write_zim(
        tmp_path / "x.zim",
        {
            "Ferry": ("Ferry", "<p>A ferry crosses.</p>"),
            "L": ("List of ferries", "<p>A ferry.</p>"),
            "D": ("Mercury", "<p>A ferry.</p><table class='plainlinks dmbox'></table>"),
        },
        (),
    )
    build_index(tmp_path / "i", open_corpus([str(archive)], "zim"))
    assert [h.id for h in search_passages(tmp_path / "i", "ferry")] == ["Ferry#1"]
    info = build_index(tmp_path / "j", open_corpus([str(archive)], "zim", lists=True, processes=1))
    assert (info.kind, info.articles, info.passages) == ("passages", 0, 3)


def test_dprs_file_as_dpr_writes_it(tmp_path, data_dir):
    file = tmp_path / "psgs_w100.tsv"
    file.write_text(
        'id\ttext\ttitle\n1\t"The ""Sound"" has\na ferry."\t"The ""Sound"""\n'
        '2\t"A punt, flat."\tPunt\n'
    )
    made = json.loads(run("index_passages", file, "--format", "dpr-tsv", "--name", "dpr", "--json"))
    assert made["passages"] == 2
    top = json.loads(run("search_wikipedia", "dpr", "ferry", "--passages", "--json"))["hits"][0]
    assert (top["id"], top["title"]) == ("1", 'The "Sound"')


def test_the_command(dump, data_dir, tmp_path):
    args = ["index_passages", dump, "--format", "wiki-xml", "--name", "lund", "--processes", "0"]
    assert json.loads(run(*args, "--json"))["passages"] == 2
    assert "2 passages can be searched as “lund”" in run(*args)
    found = json.loads(run("search_wikipedia", "lund", "what carries salt", "--passages", "--json"))
    assert (found["hits"][0]["id"], found["hits"][0]["path"]) == ("1-1", "Ferry")
    assert "Ferry" in run("search_wikipedia", "lund", "salt boat")


def test_a_name_keeps_its_meaning(dump, data_dir, tmp_path):
    args = ["index_passages", dump, "--format", "wiki-xml", "--name", "lund", "--processes", "0"]
    run(*args)
    write_dump(dump, PAGES[:1])
    for changed in (args, [*args, "--keep-lists"]):
        with pytest.raises(CommandError, match="was made of other files") as refused:
            run(*changed)
        assert refused.value.returncode == 2
    assert json.loads(run(*args, "--replace", "--json"))["passages"] == 1


def test_an_unfinished_build_keeps_its_files(dump, data_dir, tmp_path, monkeypatch):
    args = ["index_passages", dump, "--format", "wiki-xml", "--name", "lund", "--processes", "0"]
    with monkeypatch.context() as patched:
        patched.setattr(DumpSource, "read", lambda *a: (_ for _ in ()).throw(OSError("full")))
        with pytest.raises(CommandError, match="full"):
            run(*args)
    write_dump(dump, PAGES[:1])
    with pytest.raises(CommandError, match="was begun with other files"):
        run(*args)
    assert json.loads(run(*args, "--replace", "--json"))["passages"] == 1


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["none.xml", "--format", "wiki-xml"], 2, "There is no file"),
        (["none*.xml", "--format", "wiki-xml"], 2, "No file matches"),
        (["none.zim", "--format", "zim"], 2, "There is no file"),
        (["a", "b", "--format", "jsonl"], 2, "Only a wiki-xml dump"),
        (["{dump}", "--format", "wiki-xml", "--processes", "-1"], 2, "--processes must be from 0"),
        (["{dump}", "--format", "dpr-tsv"], 2, "not UTF-8"),
        (["{empty}", "--format", "wiki-xml"], 2, "is empty"),
        (["{bare}", "--format", "wiki-xml"], 1, "holds no passages"),
    ],
)
def test_bad_input_is_a_sentence(dump, data_dir, tmp_path, args, code, says):
    empty, bare = tmp_path / "e.xml", write_dump(tmp_path / "b.xml", [])
    empty.write_text("")
    filled = [a.format(dump=dump, empty=empty, bare=bare) for a in args]
    with pytest.raises(CommandError, match=says) as refused:
        run("index_passages", *filled, "--name", "x")
    assert refused.value.returncode == code
