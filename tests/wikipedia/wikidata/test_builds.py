"""Builds that were stopped, at any moment, and what the command does with names in use."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.management import CommandError

from tests.wikipedia.wikidata.entities import as_dump, as_lines, item, statement, write
from wikipedia.wikidata import build as build_module
from wikipedia.wikidata.build import build_graph, find_unfinished
from wikipedia.wikidata.dump import DumpSource
from wikipedia.wikidata.entities import Selection

ROOT = Path(__file__).resolve().parents[3]
CHOSEN = Selection("en", frozenset({177}))
# A build in a process of its own, without Django, that commits after every piece of 4 kB.
SCRIPT = """
import json, sys
from pathlib import Path
import wikipedia.wikidata.unpacking as unpacking
unpacking.CHUNK_BYTES = 4_000
from wikipedia.wikidata.build import build_graph
from wikipedia.wikidata.dump import DumpSource
from wikipedia.wikidata.entities import Selection
source = DumpSource([Path(sys.argv[2])], Selection("en", frozenset({177})))
print("begins", flush=True)
print(json.dumps(build_graph(Path(sys.argv[1]), source, commit_bytes=1)))
"""


@pytest.fixture
def entities():
    chance = random.Random(3)
    made = [
        item(n, *(statement(n, 177, chance.randint(1, 50)) for _ in range(2)), title=f"Title {n}")
        for n in range(1, 900)
    ]
    return [*made, item(7, statement(7, 177, 3), revision=2)]  # one is there twice


class Stopped(BaseException):
    """What ends a build as a kill does: nothing of it is caught."""


class StoppedSource(DumpSource):
    """A dump of which only the first blocks are read."""

    blocks = None

    def read(self, start):
        self.began_at = start
        for number, extract in enumerate(super().read(start)):
            if number == self.blocks:
                raise Stopped
            yield extract


def test_a_build_that_was_stopped_continues_after_what_was_committed(
    entities, tmp_path, monkeypatch
):
    monkeypatch.setattr("wikipedia.wikidata.unpacking.CHUNK_BYTES", 4_000)
    for suffix in ("json", "gz", "bz2"):
        path = write(tmp_path / f"a.{suffix}", as_dump(as_lines(entities)))
        whole = build_graph(tmp_path / suffix / "whole", DumpSource([path], CHOSEN))
        folder, source = tmp_path / suffix / "stopped", StoppedSource([path], CHOSEN)
        places = []
        for blocks in (1, 5, 20):
            source.blocks = blocks
            with pytest.raises(Stopped):
                build_graph(folder, source, commit_bytes=9_000)
            stopped = find_unfinished(folder)
            places.append(stopped.place.byte if stopped else 0)
        assert places[0] < places[1] < places[2]
        source.blocks = None
        assert build_graph(folder, source) == whole
        assert source.began_at.byte == places[2]
        source.blocks = 20
        with pytest.raises(Stopped):
            build_graph(folder, source, commit_bytes=9_000)
        source.blocks = None
        assert build_graph(folder, source, anew=True) == whole
        assert source.began_at.byte == 0
        assert not (folder / "building").exists()


def test_a_build_that_was_stopped_while_it_was_sorted_is_not_read_again(
    entities, tmp_path, monkeypatch
):
    path = write(tmp_path / "a.json", as_dump(as_lines(entities)))
    whole = build_graph(tmp_path / "whole", DumpSource([path], CHOSEN))
    for step in ("_describe", "_publish"):
        with monkeypatch.context() as patch:
            patch.setattr(build_module, step, raise_stopped)
            with pytest.raises(Stopped):
                build_graph(tmp_path / step, DumpSource([path], CHOSEN))
        assert find_unfinished(tmp_path / step).read
        with monkeypatch.context() as patch:
            patch.setattr(DumpSource, "read", raise_stopped)
            assert build_graph(tmp_path / step, DumpSource([path], CHOSEN)) == whole


def raise_stopped(*about):
    raise Stopped


def kill_at_random_moments(moments, entities, tmp_path):
    """Kill a build again and again, then let it end; return what both builds say."""
    path = write(tmp_path / "a.json.gz", as_dump(as_lines(entities)))
    process, began = start(tmp_path / "whole", path), time.monotonic()
    whole = json.loads(process.communicate()[0])
    longest = time.monotonic() - began
    chance, killed = random.Random(moments), 0
    while killed < moments:
        process = start(tmp_path / "killed", path)
        time.sleep(chance.uniform(0, longest))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if process.returncode == -signal.SIGKILL:
            killed += 1
        else:
            longest *= 0.7  # it was done before: the machine has less other work now
    resumed = json.loads(start(tmp_path / "killed", path).communicate()[0])
    return whole, resumed


def start(folder, path):
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, folder, path], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "begins\n"
    return process


@pytest.mark.process
def test_a_build_that_is_killed_a_few_times_gives_the_same_graph(entities, tmp_path):
    whole, resumed = kill_at_random_moments(2, entities, tmp_path)
    assert resumed == whole


@pytest.mark.process
@pytest.mark.slow
def test_a_build_that_is_killed_at_twenty_moments_gives_the_same_graph(entities, tmp_path):
    whole, resumed = kill_at_random_moments(20, entities, tmp_path)
    assert resumed == whole


def test_the_command_continues_only_what_it_is_asked_to(dump, make, data_dir, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(build_module, "_publish", raise_stopped)
        with pytest.raises(Stopped):
            make(dump)
    with pytest.raises(CommandError, match="begun and is not finished"):
        make(dump)
    with pytest.raises(CommandError, match="begun with other files or options"):
        make(dump, "--resume", "--properties", "P84")
    assert make(dump, "--resume")["items"] == 7
    with pytest.raises(CommandError, match="made of other files or with other options"):
        make(dump, "--resume", "--properties", "P84")


def test_the_same_command_again_changes_nothing(dump, make, data_dir):
    first = make(dump)
    place = data_dir / "wikidata" / "small" / "graph.sqlite"
    before = place.stat().st_ino
    again = make(dump)
    assert (first.pop("made"), again.pop("made")) == (True, False)
    assert first | {"seconds": 0} == again | {"seconds": 0}
    assert place.stat().st_ino == before
    assert make(dump, "--replace")["hash"] == first["hash"]
    assert place.stat().st_ino != before


def test_two_builds_of_one_graph_do_not_meet(dump, make, data_dir):
    folder = data_dir / "wikidata" / "small"
    folder.mkdir(parents=True)
    with build_module.BuildLock(folder), pytest.raises(CommandError, match="Another process"):
        make(dump)


def test_a_full_disk_is_a_sentence_and_leaves_what_was_read(dump, make, data_dir, monkeypatch):
    def fill(store, *about):
        raise build_module.sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(build_module, "_hash_rows", fill)
        with pytest.raises(CommandError, match="disk is full") as caught:
            make(dump)
    assert caught.value.returncode == 1
    assert make(dump, "--resume")["items"] == 7


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--name", "No Name"], "not a valid name for a graph"),
        (["--name", "../up"], "not a valid name for a graph"),
        (["--properties", "bridges"], "not a property of Wikidata"),
        (["--processes", "999"], "from 0 to 256"),
        (["--tolerate", "-1"], "0 or more"),
        (["--language", "English!"], "not the code of a language"),
        (["--sparql", "--properties", "P84"], "--sparql takes one file"),
    ],
)
def test_bad_options_are_sentences(words, says, dump, make, data_dir):
    with pytest.raises(CommandError, match=says) as caught:
        make(dump, *words)
    assert caught.value.returncode == 2
    assert not (data_dir / "wikidata").exists()


def test_only_items_with_an_article(make, tmp_path):
    entities = [
        item(1, statement(1, 177, 9), title="Bridge"),
        item(2, statement(2, 177, 9)),
        item(3, statement(3, 279, 4), statement(3, 177, 9)),
        item(5, statement(5, 177, 9), aliases=["enwiki"]),  # its bytes look like a link
        dict(reversed(item(7, statement(7, 177, 9), title="Weir").items())),  # in no dump's order
        {**item(6), "type": "property", "id": "P6", "datatype": "wikibase-item"},
    ]
    path = write(tmp_path / "a.json", as_dump(as_lines(entities)))
    found = make(path, "--articles-only")
    assert (found["statements"], found["subclasses"], found["properties"]) == (2, 1, 1)
    assert found["skipped"] == 2
    assert make(path, name="all")["statements"] == 5


def test_places_are_told_apart_by_file(few, make, tmp_path):
    lines = as_lines(few)
    paths = [write(tmp_path / "one.json", as_dump(lines)), tmp_path / "two.json"]
    write(paths[1], as_dump([lines[0], b"{}", lines[1]]))
    with pytest.raises(CommandError, match=r"two.json, line 3: it has no id"):
        make(*paths)
    assert make(*paths, "--tolerate", "1")["lines"] == 16
