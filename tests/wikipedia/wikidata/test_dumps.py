"""Files that a dump may be, and files at fault: what is read, what is refused, and what is said."""

import random

import orjson
import pytest
from django.core.management import CommandError

from tests.wikipedia.archives.xmldumps import page, write_dump
from tests.wikipedia.wikidata.entities import as_dump, as_lines, item, statement, write
from wikipedia.wikidata import dump as dump_module
from wikipedia.wikidata.dump import DumpSource
from wikipedia.wikidata.entities import Selection
from wikipedia.wikidata.extracts import DumpProblem, Place
from wikipedia.wikidata.folders import list_graphs
from wikipedia.wikidata.unpacking import CHUNK_BYTES, unpack_file


@pytest.fixture
def many():
    """More entities than one piece of text holds, when pieces are small."""
    return [
        item(n, statement(n, 177, n % 7 + 1), title=f"Title {n}", aliases=[f"Ünïcode {n}"])
        for n in range(1, 400)
    ]


@pytest.fixture
def small_pieces(monkeypatch):
    """Text comes in pieces that end anywhere."""
    monkeypatch.setattr("wikipedia.wikidata.unpacking.CHUNK_BYTES", 1_000)


def test_the_same_graph_from_every_form_of_the_file(many, make, tmp_path, small_pieces):
    lines = as_lines(many)
    shuffled = random.Random(1).sample(lines, len(lines))
    parts = [as_dump(lines[:150]), as_dump(lines[150:])]
    files = {
        "plain": [write(tmp_path / "a.json", as_dump(lines))],
        "gz": [write(tmp_path / "b.json.gz", as_dump(lines))],
        "bz2": [write(tmp_path / "c.json.bz2", as_dump(lines))],
        "shuffled": [write(tmp_path / "d.json.gz", as_dump(shuffled))],
        "bare lines": [write(tmp_path / "e.json", b"\n".join(lines))],
        "one list": [write(tmp_path / "f.json", as_dump(lines, start=b"[", end=b"]"))],
        "windows": [
            write(tmp_path / "g.json", b"\xef\xbb\xbf" + as_dump(lines).replace(b"\n", b"\r\n"))
        ],
        "parts": [write(tmp_path / f"h{n}.gz", data) for n, data in enumerate(parts)],
        "streams": [tmp_path / "i.gz"],
        "answers of the API": [
            write(
                tmp_path / "j.json",
                b"\n".join(orjson.dumps({"entities": {e["id"]: e}}) for e in many),
            )
        ],
    }
    files["streams"][0].write_bytes(b"".join(each.read_bytes() for each in files["parts"]))
    files["streams"] = [write(files["streams"][0], b"\n".join(lines[:100]) + b"\n")]
    with files["streams"][0].open("ab") as more:
        more.write(write(tmp_path / "rest.gz", b"\n".join(lines[100:])).read_bytes())
    found = {
        name: make(*paths, name=name.lower().replace(" ", "-")) for name, paths in files.items()
    }
    assert {each["hash"] for each in found.values()} == {found["plain"]["hash"]}
    assert {each["items"] for each in found.values()} == {399}
    assert found["windows"]["notes"] == []
    with_workers = make(files["gz"][0], name="workers", processes=2)
    assert with_workers["hash"] == found["plain"]["hash"]
    other = make(write(tmp_path / "k.json", as_dump(lines[1:])), name="other")
    assert other["hash"] != found["plain"]["hash"]


def test_several_processes_give_the_same_blocks_in_the_same_order(many, tmp_path):
    path = write(tmp_path / "a.json.gz", as_dump(as_lines(many) * 25))
    alone, several = (
        DumpSource([path], Selection("en", frozenset({177})), processes=n) for n in (0, 2)
    )
    expected = list(alone.read(Place()))
    assert len(expected) > 3
    assert list(several.read(Place())) == expected
    assert list(several.read(expected[1].after)) == expected[2:]


@pytest.fixture
def old(make, dump):
    """A graph of an older file, which no failure may harm."""
    return make(dump)


@pytest.fixture
def refuse(make, old, data_dir):
    """See that a file is refused with status 2, and that the old graph is as it was."""

    def refused(path, *words, **options):
        place = data_dir / "wikidata" / "small" / "graph.sqlite"
        before = place.read_bytes()
        with pytest.raises(CommandError) as caught:
            make(path, "--replace", *words, **options)
        assert caught.value.returncode == 2
        assert place.read_bytes() == before
        assert [each.name for each in place.parent.iterdir() if each.is_dir()] == []
        with pytest.raises(CommandError):
            make(path, *words, name="new", **options)
        assert list_graphs() == ["small"]
        return str(caught.value)

    return refused


@pytest.mark.parametrize("processes", [0, 1])
@pytest.mark.parametrize("name", ["cut.gz", "cut.bz2", "cut.json"])
def test_a_file_that_is_cut_short(many, refuse, tmp_path, name, processes):
    path = write(tmp_path / name, as_dump(as_lines(many)))
    path.write_bytes(path.read_bytes()[:-60])
    said = refuse(path, processes=processes)
    assert said.startswith(f"{name} is cut short: after line ")
    line = int(said.split("after line ")[1].split()[0].replace(",", ""))
    assert 350 < line < 400 or name == "cut.bz2"  # of which a block is whole or not there
    assert "a line does not end" in said or name == "cut.bz2"
    path = write(tmp_path / name, as_dump(as_lines(many)))
    path.write_bytes(path.read_bytes()[:-3])
    assert f"{name} is cut short: after line " in refuse(path, processes=processes)


def test_a_list_that_is_not_closed(many, refuse, tmp_path):
    path = write(tmp_path / "open.json", as_dump(as_lines(many), end=b"\n"))
    assert refuse(path).startswith(
        "open.json is cut short: after line 400 the list is not closed with ]."
    )


def test_packed_bytes_that_were_changed(many, refuse, tmp_path):
    for name in ("bad.gz", "bad.bz2"):
        path = write(tmp_path / name, as_dump(as_lines(many)))
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 255
        path.write_bytes(data)
        assert f"{name}, line " in (said := refuse(path))
        assert "the packed data are damaged" in said


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "bad, line 1: the file is empty"),
        (b"\xef\xbb\xbf\r\n \n", "bad, line 1: the file is empty"),
        (b"[\n]\n", "2 lines were read, and none says of an item"),
        (b"SQLite format 3\x00", "bad, line 1: this is not a JSON dump of Wikidata"),
        (b'{"head": {"vars": []}}', "bad, line 1: this is the result of a query. Give it with"),
        (b'{"question": "who"}\n', "bad, line 1: it has no id such as Q19686"),
        (b'[\n{"type":"item",\n"id":"Q5"}\n]', "bad, line 2: it is not valid JSON"),
        (b'[\n{"type":"item","id":"Q5","claims":"x"}\n]', "bad, line 2: Q5 has not the form"),
        (b'{"type":"lexeme","id":"L7"}\n', "1 lines were read, and none says of an item"),
    ],
)
def test_what_is_no_dump(data, says, refuse, tmp_path):
    assert says in refuse(write(tmp_path / "bad", data))


def test_the_dump_of_a_wikipedia_by_mistake(refuse, tmp_path):
    path = write_dump(tmp_path / "pages.xml.bz2", [page(1, "Ferry", "A ferry.")])
    assert "line 1: this is not a JSON dump of Wikidata, since it begins with “<mediawiki" in (
        said := refuse(path)
    )
    assert "read by index_passages" in said


def test_a_file_that_is_not_there_or_named_twice(refuse, tmp_path, dump, make):
    assert "There is no file" in refuse(tmp_path / "none.gz")
    with pytest.raises(CommandError, match="named twice"):
        make(dump, dump, name="twice")


@pytest.mark.parametrize("processes", [0, 1])
def test_a_broken_line_is_named_and_may_be_tolerated(many, refuse, make, tmp_path, processes):
    lines = as_lines(many)
    lines[57] = lines[57][:-20]
    path = write(tmp_path / "broken.json.gz", as_dump(lines))
    said = refuse(path, processes=processes)
    assert "1 of 401 lines cannot be read, 0 may be" in said
    assert "broken.json.gz, line 59: it is not valid JSON" in said
    found = make(path, "--tolerate", "1", name="tolerant", processes=processes)
    assert (found["broken"], found["items"]) == (1, 398)
    assert found["notes"][0].startswith("broken.json.gz, line 59: ")


def test_one_broken_line_in_a_thousand_is_tolerated(make, tmp_path):
    lines = as_lines([item(n, statement(n, 177, 1)) for n in range(1, 1100)])
    found = make(write(tmp_path / "a.json", b"\n".join([*lines, b"{"])))
    assert (found["broken"], found["items"]) == (1, 1099)
    path = write(tmp_path / "b.json", b"\n".join([*lines, b"{", b"{"]))
    with pytest.raises(CommandError, match=r"2 of 1,101 lines cannot be read, 1 may be"):
        make(path, name="other")
    with pytest.raises(CommandError, match="1 of 1,100 lines cannot be read, 0 may be"):
        make(tmp_path / "a.json", "--tolerate", "0", name="other")


def test_a_file_of_other_lines_is_not_read_to_its_end(make, tmp_path):
    path = write(tmp_path / "else.json.gz", b'{"a": 1, "b": "ccccccccccccccccccccccc"}\n' * 500_000)
    with pytest.raises(CommandError) as caught:
        make(path)
    (lines,) = [word for word in str(caught.value).split() if word.endswith("00")][:1] or ["0"]
    read = int(str(caught.value).split(" of ")[1].split()[0].replace(",", ""))
    assert lines
    assert 1_000 <= read < 100_000


@pytest.mark.parametrize("last", [False, True])
def test_a_line_that_is_far_too_long(many, make, tmp_path, monkeypatch, last):
    monkeypatch.setattr(dump_module, "MAX_LINE_BYTES", 3 << 20)
    lines = as_lines(many[:20])
    lines.insert(20 if last else 7, b'{"type":"item","id":"Q99","x":"' + b"x" * (6 << 20) + b'"}')
    path = write(tmp_path / "long.json.gz", as_dump(lines, end=b"]"))
    with pytest.raises(CommandError, match=rf"long.json.gz, line {22 if last else 9}: it is long"):
        make(path)
    found = make(path, "--tolerate", "1")
    assert (found["items"], found["broken"], found["lines"]) == (20, 1, 22)


def test_a_line_of_60_megabytes_is_held_only_in_part(tmp_path):
    """The limit is half of it, and what comes out is one piece at a time."""
    path = tmp_path / "long.json"
    with path.open("wb") as out:
        out.write(b'[\n{"type":"item","id":"Q9","x":"')
        for _ in range(60):
            out.write(b"x" * (1 << 20))
        out.write(b'"}\n]')
    with path.open("rb") as raw:
        blocks = list(dump_module._read_lines(path, raw, Place()))
    assert [block.problem for block in blocks if block.problem] == ["it is longer than 32 MB"]
    assert max(len(block.lines) for block in blocks) < 2 * CHUNK_BYTES
    assert blocks[-1].after == Place(0, path.stat().st_size, 3, True)


def test_lexemes_are_left_out_and_counted(few, make, tmp_path):
    lines = as_lines([*few, {"type": "lexeme", "id": "L7", "lemmas": []}])
    found = make(write(tmp_path / "lexemes.json", as_dump(lines)))
    assert (found["others"], found["broken"]) == (1, 0)
    assert found["notes"] == ["lexemes.json, line 11: L7 is no item."]


@pytest.mark.parametrize("newest_first", [False, True])
def test_of_an_item_that_is_there_twice_the_newest_counts(few, make, tmp_path, newest_first):
    again = item(2, statement(2, 177, 5), label="Newer", revision=9)
    entities = [again, *few] if newest_first else [*few, again]
    found = make(write(tmp_path / "twice.json", as_dump(as_lines(entities))))
    plain = make(
        write(tmp_path / "p.json", as_dump(as_lines([again, *(few[:2] + few[3:])]))), name="p"
    )
    assert (found["repeated"], found["hash"]) == (1, plain["hash"])
    line = 5 if newest_first else 4
    assert found["notes"] == [f"twice.json, line {line}: Q2 is there twice; the newer one counts."]


def test_streams_that_follow_one_another_with_padding_between(tmp_path):
    parts = [write(tmp_path / f"{n}.bz2", b"part %d\n" % n).read_bytes() for n in range(3)]
    path = tmp_path / "all.bz2"
    path.write_bytes(parts[0] + parts[1] + b"\0" * 40 + parts[2])
    with path.open("rb") as raw:
        assert b"".join(unpack_file(raw)) == b"part 0\npart 1\npart 2\n"


def test_a_disk_that_fails_is_not_the_fault_of_the_file(dump, make, monkeypatch):
    def fail(raw):
        raise OSError(5, "Input/output error")
        yield

    monkeypatch.setattr(dump_module, "unpack_file", fail)
    with pytest.raises(CommandError, match="Input/output error") as caught:
        make(dump)
    assert caught.value.returncode == 1


def test_a_file_that_goes_meanwhile_is_named(tmp_path, dump):
    source = DumpSource([dump], Selection("en", frozenset({177})))
    dump.unlink()
    with pytest.raises(DumpProblem, match="There is no file"):
        list(source.read(Place()))
