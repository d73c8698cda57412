import io
import json

import pytest
from django.core.management import CommandError, call_command

from wikipedia.management.progress import ProgressBar
from wikipedia.models import Snapshot


def run(*args):
    out = io.StringIO()
    call_command(*[str(a) for a in args], stdout=out)
    return out.getvalue()


def test_index_wikipedia(db, data_dir, zim):
    lund = json.loads(run("index_wikipedia", zim, "--name", "lund", "--json"))
    assert lund["articles"] == 3
    assert (lund["name"], lund["as_of"], lund["language"]) == ("lund", "2024-01-02", "en")
    assert Snapshot.objects.get().state == "ready"
    assert "can be searched as “lund”" in run("index_wikipedia", zim, "--name", "lund")


def test_search_wikipedia_prints_the_documented_object(snapshot):
    found = json.loads(run("search_wikipedia", "lund", "when", "was the harbour dug", "--json"))
    assert set(found) == {"query", "ms", "hits"}
    assert found["query"] == "when was the harbour dug"
    top = found["hits"][0]
    assert set(top) == {"rank", "id", "title", "path", "score", "snippet"}
    assert (top["rank"], top["title"]) == (1, "Harbour of Lund")
    assert "1765" in top["snippet"]


def test_search_many(snapshot, tmp_path):
    queries = tmp_path / "q.txt"
    queries.write_text("harbour\n\nferry\n")
    out = run("search_wikipedia", "lund", "--queries", queries, "--passages", "--top", 1, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["query"] for line in lines] == ["harbour", "ferry"]
    assert all(len(line["hits"]) == 1 for line in lines)
    assert "Harbour of Lund" in run("search_wikipedia", "lund", "harbour")


def test_index_passages(data_dir, tmp_path):
    file = tmp_path / "p.jsonl"
    file.write_text('{"id": "a", "title": "Boats", "text": "A punt is flat."}\n')
    made = json.loads(run("index_passages", file, "--format", "jsonl", "--name", "punts", "--json"))
    assert made["passages"] == 1
    found = json.loads(run("search_wikipedia", "punts", "punt", "--json"))
    assert found["hits"][0]["id"] == "a"


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["index_wikipedia", "none.zim", "--name", "x"], 2, "There is no file"),
        (["index_wikipedia", "{cut}", "--name", "x"], 2, "download it again"),
        (
            ["index_wikipedia", "{zim}", "--name", "Bad Name"],
            2,
            "is not a valid name for a snapshot",
        ),
        (["search_wikipedia", "nowhere", "x"], 2, "There is no index “nowhere”. Known: lund"),
        (["search_wikipedia", "../../etc", "x"], 2, "There is no index"),
        (["search_wikipedia", "lund"], 2, "Give a question"),
        (["search_wikipedia", "lund", "x", "--top", "0"], 2, "--top must be from 1"),
        (["search_wikipedia", "lund", "--queries", "none.txt"], 2, "cannot be read"),
        (["index_passages", "none", "--format", "jsonl", "--name", "p"], 2, "There is no file"),
        (["index_passages", "{zim}", "--format", "jsonl", "--name", "../p"], 2, "not a valid name"),
        (["index_passages", "{zim}", "--format", "jsonl", "--name", "lund"], 2, "Choose another"),
        (["index_passages", "{zim}", "--format", "jsonl", "--name", "p"], 2, "not UTF-8"),
    ],
)
def test_bad_input_is_exit_2_with_a_sentence(snapshot, zim, tmp_path, args, code, says):
    cut = tmp_path / "cut.zim"
    cut.write_bytes(zim.read_bytes()[:500])
    args = [a.replace("{zim}", str(zim)).replace("{cut}", str(cut)) for a in args]
    with pytest.raises(CommandError, match=says) as refused:
        run(*args)
    assert refused.value.returncode == code


def test_progress_is_a_line_a_minute_off_a_terminal(monkeypatch):
    moment = [0.0]
    monkeypatch.setattr("wikipedia.management.progress.time.monotonic", lambda: moment[0])
    out = io.StringIO()
    with ProgressBar(out, "Indexing x", "entries") as progress:
        for second in range(0, 130, 10):
            moment[0] = float(second)
            progress(second, 200)
    assert out.getvalue().splitlines() == [
        "Indexing x: 60 of 200 entries (30%)",
        "Indexing x: 120 of 200 entries (60%)",
    ]


def test_progress_has_a_note_and_can_come_sooner(monkeypatch):
    moment = [0.0]
    monkeypatch.setattr("wikipedia.management.progress.time.monotonic", lambda: moment[0])
    out = io.StringIO()
    with ProgressBar(out, "Indexing x", "entries", every=10) as progress:
        for second in range(0, 25, 5):
            moment[0] = float(second)
            progress(second, 200, "5 a second")
    assert out.getvalue().splitlines() == [
        "Indexing x: 10 of 200 entries (5%), 5 a second",
        "Indexing x: 20 of 200 entries (10%), 5 a second",
    ]


def test_progress_in_bytes_is_said_in_megabytes(monkeypatch):
    moment = [0.0]
    monkeypatch.setattr("wikipedia.management.progress.time.monotonic", lambda: moment[0])
    out = io.StringIO()
    with ProgressBar(out, "Reading x", "B") as progress:
        moment[0] = 61.0
        progress(1_500_000_000, 6_000_000_000)
    assert out.getvalue() == "Reading x: 1,500 of 6,000 MB (25%)\n"


def test_progress_is_a_bar_on_a_terminal(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    out = Terminal()
    with ProgressBar(out, "Indexing x", "entries") as progress:
        progress(0, 10, "0 words")
        monkeypatch.setattr(progress, "_spoken", 0.0)
        progress(0, 10, "7 words")
        progress(10, 10)
    assert "7 words" in out.getvalue()
    assert "10/10" in out.getvalue()
