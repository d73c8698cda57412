"""Passage corpora: how long a build takes, how much disk and memory it needs, as it grows.

Two measurements, each of the real command in its own process; memory
is that of all processes together, sampled ten times a second (`anonymous`: what is not a page of
a file, so what a machine must have). `processor_seconds` hardly change when the machine has other
work, `seconds` do.

`rows`: `dpr-tsv` files of as many passages as asked, made of the NQ-open gold passages: each is the
first part of one joined to the second part of another. `shape` has the figures after each
quarter of the way. Then search, with the same questions. `growth` has for each figure its slope
from the smallest file to the largest, by a million passages, and the power of the size by which it
grows: 1 is in proportion.

`dump`: a bzip2-packed MediaWiki export of that many articles of about 7 kB, made of the same text
with the markup of an encyclopedia around it, and two redirects and half a list for each five.
"""

from __future__ import annotations

import bz2
import csv
import json
import math
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from xml.sax.saxutils import escape

import psutil

from benchmarks.harness import ROOT, Benchmark, option, run_benchmark
from benchmarks.mixtures import Passage, Question
from benchmarks.search import DEFAULT, load_questions, time_questions
from wikipedia.search.searching import search_passages

TIMED_QUESTIONS = 500
PARAGRAPHS = 8
GROWING = (
    "processor_seconds",
    "seconds",
    "index_megabytes",
    "peak_disk_megabytes",
    "peak_anonymous_megabytes",
    "ms.clock.p95_ms",
    "ms.processor.p95_ms",
)


@dataclass
class Passages(Benchmark):
    """How do time, disk and memory of a corpus of passages grow with it?"""

    passages: tuple[int, ...] = option((1_000_000, 2_000_000, 4_000_000), "of rows; 0 for none")
    pages: int = option(5_000, "of a dump; 0 for none")
    processes: int = option(os.cpu_count() or 1)
    questions: Path = option(DEFAULT)
    folder: Path | None = option(None, "where to build, instead of a temporary folder")

    def measure(self) -> dict[str, Any]:
        """Return the figures of both measurements."""
        questions, gold = load_questions(self.questions)
        report: dict[str, Any] = {}
        for count in filter(None, self.passages):
            with tempfile.TemporaryDirectory(dir=self.folder) as folder:
                rows = measure_rows(Path(folder), questions, gold, count)
            report.setdefault("rows", []).append(rows)
        if len(report.get("rows", ())) > 1:
            report["growth"] = describe_growth(report["rows"][0], report["rows"][-1])
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            if self.pages:
                report["dump"] = measure_dump(Path(folder), gold, self.pages, self.processes)
        return report


def measure_rows(
    folder: Path, questions: list[Question], gold: list[Passage], count: int
) -> dict[str, Any]:
    file = folder / "passages.tsv"
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, delimiter="\t")
        writer.writerow(["id", "text", "title"])
        writer.writerows((n, text, title) for n, (title, text) in enumerate(mixed(gold, count), 1))
    found = run(folder, file, "dpr-tsv", 0, quarter=count // 4)
    index = folder / "index" / "corpus"
    times = time_questions(lambda words: search_passages(index, words), questions, TIMED_QUESTIONS)
    return {"passages": count, "file_megabytes": megabytes(file), **found, "ms": times}


def describe_growth(small: dict[str, Any], large: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Return how the figures of rows grow from a size to a larger one.

    `per_million`: what a million passages add; `power`: p where a figure grows as size to the p.
    """
    more = large["passages"] - small["passages"]
    times = math.log(large["passages"] / small["passages"])
    found = {}
    for name in GROWING:
        one, other = (_figure_of(rows, name) for rows in (small, large))
        power = math.log(other / one) / times if one > 0 and other > 0 else 0.0
        found[name] = {
            "per_million": round((other - one) * 1e6 / more, 2),
            "power": round(power, 2),
        }
    return found


def _figure_of(rows: dict[str, Any], name: str) -> float:
    """Return a figure of rows; its name has a dot where it lies in another."""
    for part in name.split("."):
        rows = rows[part]
    return cast(float, rows)


def measure_dump(folder: Path, gold: list[Passage], pages: int, processes: int) -> dict[str, Any]:
    file = folder / "pages-articles.xml.bz2"
    characters = write_dump(file, gold, pages)
    return {
        "articles": pages,
        "file_megabytes": megabytes(file),
        "wikitext_megabytes": round(characters / 1e6),
        "by_processes": {n: run(folder / str(n), file, "wiki-xml", n) for n in (0, processes)},
    }


def run(
    folder: Path, file: Path, file_format: str, processes: int, quarter: int = 0
) -> dict[str, Any]:
    """Run the command; return its time, its index and the memory of its processes."""
    command = [
        sys.executable, "manage.py", "index_passages", str(file), "--format", file_format,
        "--name", "corpus", "--processes", str(processes), "--json",
    ]  # fmt: skip
    environment = {**os.environ, "AMBIT_DATA": str(folder)}
    # The command needs no database; without an address it would start the embedded one.
    environment.setdefault("DATABASE_URL", "postgres:///unused")
    environment.setdefault("SECRET_KEY", secrets.token_urlsafe(48))
    began = time.perf_counter()
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE)
    peak_all = peak_anonymous = peak_disk = 0
    processor, shape = 0.0, list[dict[str, Any]]()
    while process.poll() is None:
        resident, anonymous, busy = usage(process.pid)
        peak_all, peak_anonymous = max(peak_all, resident), max(peak_anonymous, anonymous)
        peak_disk, processor = max(peak_disk, size(folder / "index")), max(processor, busy)
        if quarter and position(folder / "index") >= quarter * (len(shape) + 1):
            shape.append(
                {
                    "passages": position(folder / "index"),
                    "seconds": round(time.perf_counter() - began, 1),
                    "processor_seconds": round(processor, 1),
                    "disk_megabytes": round(size(folder / "index") / 1e6),
                    "peak_anonymous_megabytes": round(peak_anonymous / 1e6),
                }
            )
        time.sleep(0.1)
    seconds = time.perf_counter() - began
    assert process.stdout is not None
    if process.returncode:
        raise SystemExit(f"the command ended with {process.returncode}")
    with process.stdout:
        made = json.loads(process.stdout.read())
    return {
        "seconds": round(seconds, 1),
        "processor_seconds": round(processor, 1),
        **({"shape": shape} if shape else {}),
        "passages": made["passages"],
        "passages_per_second": round(made["passages"] / seconds),
        "index_megabytes": round(size(folder / "index") / 1e6),
        "peak_disk_megabytes": round(peak_disk / 1e6),
        "peak_resident_megabytes": round(peak_all / 1e6),
        "peak_anonymous_megabytes": round(peak_anonymous / 1e6),
    }


def usage(pid: int) -> tuple[int, int, float]:
    """Return resident bytes, anonymous bytes and processor seconds of a process tree."""
    resident = anonymous = 0
    busy = 0.0
    try:
        for each in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]:
            found, times = each.memory_info(), each.cpu_times()
            resident += found.rss
            anonymous += found.rss - found.shared
            busy += times.user + times.system
    except psutil.NoSuchProcess:
        pass
    return resident, anonymous, busy


def position(index: Path) -> int:
    """Return how many passages of an unfinished build are safe on disk."""
    try:
        state = json.loads((index / "corpus" / "building" / "state.json").read_text())
        return int(state["next"])
    except (OSError, ValueError):
        return 0


def size(folder: Path) -> int:
    total = 0
    # A folder that the build removes meanwhile is passed over, as its files are.
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += os.stat(os.path.join(parent, name)).st_size
    return total


def megabytes(file: Path) -> int:
    return round(file.stat().st_size / 1e6)


def mixed(gold: list[Passage], count: int) -> Iterator[tuple[str, str]]:
    """Yield titles and texts made of pairs of gold passages, the same every time."""
    chance = random.Random(20181220)
    split = [(passage.title, passage.text.split()) for passage in gold]
    for _ in range(count):
        title, head = split[chance.randrange(len(split))]
        _, tail = split[chance.randrange(len(split))]
        cut = chance.randint(1, max(1, len(head) - 1))
        yield title, " ".join([*head[:cut], *tail[cut:]])


def write_dump(file: Path, gold: list[Passage], pages: int) -> int:
    """Write a dump in bzip2 streams of a hundred pages; return its characters of wikitext."""
    texts, chance, characters = mixed(gold, pages * PARAGRAPHS), random.Random(7), 0
    with file.open("wb") as out:
        out.write(bz2.compress(b'<mediawiki xml:lang="en"><siteinfo></siteinfo>\n'))
        for first in range(0, pages, 100):
            block = []
            for number in range(first, min(first + 100, pages)):
                wikitext = article([next(texts) for _ in range(PARAGRAPHS)], chance)
                characters += len(wikitext)
                block.append(page(number * 3, f"Article {number}", wikitext))
                if number % 5 < 2:
                    target = f"Article {number}"
                    block.append(
                        page(number * 3 + 1, f"Also {number}", f"#REDIRECT [[{target}]]", target)
                    )
                if number % 10 == 0:
                    block.append(page(number * 3 + 2, f"List of {number}", wikitext))
            out.write(bz2.compress("".join(block).encode()))
        out.write(bz2.compress(b"</mediawiki>\n"))
    return characters


def page(number: int, title: str, text: str, target: str = "") -> str:
    redirect = f'<redirect title="{target}" />' if target else ""
    return (
        f"<page><title>{title}</title><ns>0</ns><id>{number}</id>{redirect}<revision>"
        f"<id>{number}</id><timestamp>2018-12-20T00:00:00Z</timestamp><model>wikitext</model>"
        f'<text xml:space="preserve">{escape(text)}</text></revision></page>\n'
    )


def article(texts: list[tuple[str, str]], chance: random.Random) -> str:
    """Return an infobox, sections of text with links and references, a table and a list."""
    lines = ["{{Infobox thing", *(f"| key{n} = {{{{nowrap|value {n}}}}}" for n in range(12)), "}}"]
    for number, (title, text) in enumerate(texts):
        words = text.split()
        for place in range(0, len(words), 11):
            words[place] = f"[[{title}|{words[place]}]]"
        for place in range(5, len(words), 25):
            source = "{{cite web|url=https://example.org/x|title=A title|date=2018-01-01}}"
            words[place] += f"<ref name=r{chance.randrange(99)}>{source}</ref>"
        if number:
            lines.append(f"\n== Section {number} ==")
        lines.append("'''Topic''' " + " ".join(words))
    lines += ["{| class=wikitable", *(f"|-\n| {n} || [[Row]] {n}" for n in range(10)), "|}"]
    lines += [f"* [[Item {n}]] of a list" for n in range(10)]
    lines += ["== References ==", "{{reflist}}", "[[Category:Things]]"]
    return "\n".join(lines)


if __name__ == "__main__":
    run_benchmark("passages")
