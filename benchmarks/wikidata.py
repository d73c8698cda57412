"""A graph of Wikidata: how fast a dump is read, beside only parsing it, and in how much memory.

The dump is made up, in the form and the sizes of a real one: about 15 kB an entity, a few of them
many times that; statements with references, names in many languages; one item in sixteen has an
article. It is packed with gzip. Nothing of Wikidata is in it.

`parsing` is orjson alone over the same text, unpacked before: before and after each pass of one
process. `ratio` is how fast the whole pass is beside it, by processor time: unpack, parse, choose,
write, sort, hash. Other work on the machine changes it little; megabytes a second on the clock
change with it. `memory` has the peak of one process at a quarter of the text and at all of it.

`rows`: statements without a dump: how long they are sorted, how large the file is, how long
reading all lists of at least five answers takes.

`projection` multiplies: 1.5 and 2.1 TB of JSON, and 200 million statements, at this run's rates.
Hours are processor time, spread over as many processors as processes that read, which is what an
idle machine needs on the clock. What this run's clock says is beside it.
"""

from __future__ import annotations

import gzip
import json
import random
import resource
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from benchmarks.harness import Benchmark, option, run_apart, run_benchmark
from benchmarks.timing import taking
from wikipedia.wikidata.build import build_graph
from wikipedia.wikidata.dump import DumpSource
from wikipedia.wikidata.entities import Selection
from wikipedia.wikidata.extracts import NO_DATE, Extract, Place
from wikipedia.wikidata.graph import FILE, Graph
from wikipedia.wikidata.properties import ASKED, INSTANCE_OF, SUBCLASS_OF

TERABYTES = (1.5, 2.1)
STATEMENTS = 200_000_000
KINDS = 400  # different entities, of which all others are copies under other ids
SAMPLE_MEGABYTES = 50
CHOSEN = Selection("en", frozenset(ASKED))
LANGUAGES = [
    *("en", "de", "fr", "es", "it", "nl", "pl", "sv", "ru", "ja", "zh", "pt", "ar"),
    *("fa", "uk", "cs", "ca", "nb", "da", "fi", "hu", "ro", "ko", "tr", "he", "id", "vi"),
]
LEAST = 5


@dataclass
class Wikidata(Benchmark):
    """How fast does a dump of Wikidata become a graph?"""

    megabytes: int = option(400, "of JSON")
    processes: int = option(2, "that read entities, in the second pass")
    rounds: int = option(3, "of a pass of one process, with parsing before and after it")
    rows: int = option(2_000_000, "statements without a dump; 0 for none")
    folder: Path | None = option(None, "where to build, instead of a temporary folder")

    def measure(self) -> dict[str, Any]:
        """Return the figures of the passes, and of the rows."""
        with tempfile.TemporaryDirectory(dir=self.folder) as name:
            folder = Path(name)
            file, quarter = folder / "all.json.gz", folder / "quarter.json.gz"
            entities = write_dump(file, self.megabytes)
            write_dump(quarter, max(1, self.megabytes // 4))
            parsed, alone = [], []
            for number in range(self.rounds):
                before = parse_only(file)
                alone.append(run_apart(make_graph, str(file), str(folder / f"one{number}"), 0))
                parsed.append((before + parse_only(file)) / 2)
            several = run_apart(make_graph, str(file), str(folder / "many"), self.processes)
            small = run_apart(make_graph, str(quarter), str(folder / "quarter"), 0)
            articles = run_apart(make_graph, str(file), str(folder / "articles"), 0, True)
            report: dict[str, Any] = {
                "entities": entities,
                "megabytes": round(alone[0]["megabytes"]),
                "packed_megabytes": round(file.stat().st_size / 1e6),
                "kilobytes_an_entity": round(1e3 * alone[0]["megabytes"] / entities, 1),
                "parsing": {"mb_per_processor_second": round(statistics.median(parsed))},
                "passes": {
                    "1 process": describe_graph(alone[0]),
                    f"{self.processes} that read, 1 that writes": describe_graph(several),
                    "1 process, articles only": describe_graph(articles),
                },
                "same_hash": alone[0]["hash"] == several["hash"],
                "articles_only_lines_per_processor_second": round(entities / articles["processor"]),
                "memory": {
                    "quarter_peak_mb": small["peak_mb"],
                    "whole_peak_mb": alone[0]["peak_mb"],
                    "writer_of_several_peak_mb": several["peak_mb"],
                },
            }
            rates = [made["megabytes"] / made["processor"] for made in alone]
            report["ratio"] = round(statistics.median(map(float.__truediv__, rates, parsed)), 2)
            report["ratios"] = [round(a / b, 2) for a, b in zip(rates, parsed, strict=True)]
            found = run_apart(sort_rows, self.rows, str(folder / "rows")) if self.rows else None
        if found:
            report["rows"] = found
        report["projection"] = project_dump(
            statistics.median(rates), several, self.processes, found
        )
        return report


def describe_graph(made: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of a pass that are shown."""
    return {
        "mb_per_second": round(made["megabytes"] / made["seconds"], 1),
        "mb_per_processor_second": round(made["megabytes"] / made["processor_of_all"], 1),
        "statements": made["statements"],
        "graph_mb": made["graph_mb"],
    }


def project_dump(
    rate: float, several: dict[str, Any], processes: int, rows: dict[str, Any] | None
) -> dict[str, Any]:
    """Return hours for the whole dump, and minutes and gigabytes for all its statements."""
    clock = several["megabytes"] / several["seconds"]
    shared = several["megabytes"] / several["processor_of_all"] * processes
    hours: dict[str, Any] = {
        f"{terabytes} TB": {
            "hours_1_process": round(terabytes * 1e6 / rate / 3600, 1),
            f"hours_{processes}_processes": round(terabytes * 1e6 / shared / 3600, 1),
            f"hours_{processes}_processes_at_this_clock": round(terabytes * 1e6 / clock / 3600, 1),
        }
        for terabytes in TERABYTES
    }
    if rows:
        times = STATEMENTS / rows["statements"]
        hours["200 M statements"] = {
            "sorting_minutes": round(times * rows["sorting_processor_seconds"] / 60, 1),
            "scanning_minutes": round(times * rows["scanning_processor_seconds"] / 60, 1),
            "graph_gb": round(times * rows["graph_mb"] / 1e3, 1),
        }
    return hours


# --- what is measured, each in a process of its own -----------------------------------------------


def parse_only(file: Path) -> float:
    """Return megabytes a second of this process's processor, of orjson alone."""
    size, lines = 0, []
    with gzip.open(file, "rb") as text:
        for line in text:
            lines.append(line.rstrip(b",\n"))
            size += len(line)
            if size > SAMPLE_MEGABYTES * 1e6:
                break
    with taking() as taken:
        for line in lines[1:-1]:
            orjson.loads(line)
    return size / 1e6 / max(taken.processor, 1e-6)


def make_graph(
    file: str, folder: str, processes: int, articles_only: bool = False
) -> dict[str, Any]:
    """Make the graph of a file; return what it says, and time and memory of this process."""
    chosen = Selection(CHOSEN.language, CHOSEN.properties, articles_only)
    with taking() as taken:
        made = build_graph(Path(folder), DumpSource([Path(file)], chosen, processes=processes))
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        **made,
        "seconds": taken.seconds,
        "processor": taken.processor,
        "processor_of_all": taken.processor + children.ru_utime + children.ru_stime,
        "graph_mb": round((Path(folder) / FILE).stat().st_size / 1e6, 1),
        "peak_mb": peak_megabytes(),
    }


def peak_megabytes() -> int:
    """Return the largest memory that this process had, without that of who started it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (kilobytes,) = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return round(int(kilobytes) * 1024 / 1e6)


class RowsSource:
    """Statements with no dump, as a source of a graph: values are chosen as in real lists.

    A few values have very many items, and most have few.
    """

    total = done = 0

    def __init__(self, rows: int) -> None:
        self.rows = rows
        self.recipe: dict[str, Any] = {"rows": rows}

    def name_place(self, file: int, line: int) -> str:
        """Return how a row is called."""
        return f"row {line}"

    def read(self, start: Place) -> Iterator[Extract]:
        """Give the rows, a thousand at a time."""
        chance, properties, items = random.Random(5), sorted(ASKED), max(10, self.rows // 3)
        for first in range(start.line, self.rows, 1_000):
            extract = Extract.begin(Place(0, first * 45, first + 1_000))
            for _ in range(min(1_000, self.rows - first)):
                value = int(items ** chance.random())
                row = (chance.choice(properties), value, chance.randrange(1, items))
                extract.facts.append((*row, bytearray(chance.randbytes(16)), 0, NO_DATE, NO_DATE))
            yield extract


def sort_rows(rows: int, folder: str) -> dict[str, Any]:
    """Make a graph of that many statements; return times, size and memory."""
    source, at = RowsSource(rows), [0.0]
    with taking() as taken:

        def read(done: int, total: int) -> None:
            taken.stop()
            at[0] = taken.processor

        made = build_graph(Path(folder), source, progress=read)
    file = Path(folder) / FILE
    with taking() as scanned, Graph(file) as graph:
        lists = sum(1 for prop in ASKED for _ in graph.scan_relation(prop, least=LEAST))
    return {
        "statements": made["statements"],
        "lists": lists,
        "sorting_processor_seconds": round(taken.processor - at[0], 1),
        "scanning_processor_seconds": round(scanned.processor, 1),
        "graph_mb": round(file.stat().st_size / 1e6, 1),
        "peak_mb": peak_megabytes(),
    }


# --- the dump that is made up ---------------------------------------------------------------------


def write_dump(file: Path, megabytes: int) -> int:
    """Write a dump of that many megabytes of JSON, packed with gzip; return its entities."""
    kinds = [json.dumps(make_item(random.Random(n))).encode() for n in range(KINDS)]
    chance, size, number = random.Random(11), 0, 0
    with gzip.open(file, "wb", compresslevel=1) as out:
        out.write(b"[\n")
        while size < megabytes * 1e6:
            number += 1
            # The ids of real items have up to nine digits.
            line = chance.choice(kinds).replace(b"7770777", b"%d" % (900_000_000 + number))
            line = line.replace(b"8880888", b"%d" % (900_000_000 + chance.randrange(1, 5_000)))
            out.write(line + b",\n")
            size += len(line) + 2
        property_line = {"type": "property", "id": "P177", "datatype": "wikibase-item"}
        out.write(json.dumps(property_line | {"lastrevid": 1}).encode() + b"\n]\n")
    return number


def make_item(chance: random.Random) -> dict[str, Any]:
    """Return an item whose numbers stand for those of its copies."""
    article = chance.random() < 1 / 16
    claims: dict[str, list[Any]] = {}
    wanted = [(INSTANCE_OF, True)] + ([(SUBCLASS_OF, True)] if chance.random() < 0.03 else [])
    for _ in range(min(250, max(1, int(chance.lognormvariate(2.1, 0.9))))):
        asked = chance.random() < 0.12
        pool = sorted(ASKED) if asked else range(2_000, 9_000)
        wanted.append((chance.choice(pool), asked or chance.random() < 0.3))
    for number, (prop, entity) in enumerate(wanted):
        made = make_statement(chance, f"P{prop}", number, entity=entity)
        claims.setdefault(f"P{prop}", []).append(made)
    languages = chance.sample(LANGUAGES, min(len(LANGUAGES), 1 + int(chance.expovariate(1 / 9))))
    names = {
        code: {"language": code, "value": draw_words(chance, 3)} for code in {"en", *languages}
    }
    about = {code: {"language": code, "value": draw_words(chance, 6)} for code in names}
    links = {
        f"{code}wiki": {"site": f"{code}wiki", "title": draw_words(chance, 3), "badges": []}
        for code in names
        if article
    }
    return {
        "type": "item",
        "id": "Q7770777",
        "labels": names,
        "descriptions": about,
        "aliases": {"en": [{"language": "en", "value": draw_words(chance, 2)}]},
        "claims": claims,
        "sitelinks": links,
        "pageid": chance.randrange(10**8),
        "ns": 0,
        "title": "Q7770777",
        "lastrevid": chance.randrange(10**9),
        "modified": "2026-01-02T03:04:05Z",
    }


def make_statement(
    chance: random.Random, prop: str, number: int, *, entity: bool
) -> dict[str, Any]:
    """Return a statement with a reference, and now and then a qualifier."""
    made: dict[str, Any] = {
        "mainsnak": make_snak(chance, prop, entity=entity),
        "type": "statement",
        "id": f"Q7770777$F078E5B3-F9A8-480E-B7AC-{chance.randrange(16**12):012X}",
        "rank": "normal",
        "references": [
            {
                "hash": f"{chance.randrange(16**40):040x}",
                "snaks": {
                    "P248": [make_snak(chance, "P248", entity=True)],
                    "P854": [make_snak(chance, "P854", entity=False)],
                },
                "snaks-order": ["P248", "P854"],
            }
        ],
    }
    if chance.random() < 0.25:
        time = {
            "time": f"+{chance.randrange(1800, 2025)}-00-00T00:00:00Z", "timezone": 0, "before": 0,
            "after": 0, "precision": 9, "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
        }  # fmt: skip
        snak = {
            "snaktype": "value", "property": "P580", "hash": f"{chance.randrange(16**40):040x}",
            "datavalue": {"value": time, "type": "time"}, "datatype": "time",
        }  # fmt: skip
        made |= {"qualifiers": {"P580": [snak]}, "qualifiers-order": ["P580"]}
    return made


def make_snak(chance: random.Random, prop: str, *, entity: bool) -> dict[str, Any]:
    """Return a snak whose value is an item, or a text."""
    value: Any = draw_words(chance, 5)
    if entity:
        value = {"entity-type": "item", "numeric-id": 8880888, "id": "Q8880888"}
    return {
        "snaktype": "value",
        "property": prop,
        "hash": f"{chance.randrange(16**40):040x}",
        "datavalue": {"value": value, "type": "wikibase-entityid" if entity else "string"},
        "datatype": "wikibase-item" if entity else "string",
    }


def draw_words(chance: random.Random, number: int) -> str:
    """Return words that no language has."""
    letters = "aabcdeeefghiijklmnoopqrstuuvwxyzäéø"
    return " ".join(
        "".join(chance.choices(letters, k=chance.randint(3, 9))).title() for _ in range(number)
    )


if __name__ == "__main__":
    run_benchmark("wikidata")
