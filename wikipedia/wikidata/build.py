"""Make a graph: rows are prepared in a file, sorted into another, and that one is put in its place.

Everything happens in `<graph>/building/`, where a build that was killed continues (staging.py). The
finished graph appears by one rename: who reads has the old one or the new one.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import orjson

from wikipedia.search.index import BuildLock
from wikipedia.wikidata import statements as sql
from wikipedia.wikidata.extracts import DumpProblem, GraphProblem
from wikipedia.wikidata.graph import FILE, FORMAT
from wikipedia.wikidata.staging import (
    CACHE_KIBIBYTES,
    COMMIT_BYTES,
    BuildState,
    GraphSource,
    Progress,
    Staging,
)

BUILDING: Final = "building"
# Of this format, so that no build of another one is continued.
STAGING: Final = f"staging-{FORMAT}.sqlite"
_ROWS_AT_ONCE: Final = 5_000


def find_unfinished(folder: Path) -> BuildState | None:
    """Return how far a build came that was stopped, None if there is none."""
    staging = folder / BUILDING / STAGING
    if not staging.is_file():
        return None
    try:
        with closing(sqlite3.connect(staging)) as store:
            return BuildState.load(store.execute(sql.READ_STATE).fetchone()[0])
    except (sqlite3.Error, ValueError, TypeError, KeyError):
        return None


def build_graph(
    folder: Path,
    source: GraphSource,
    *,
    tolerate: int | None = None,
    anew: bool = False,
    progress: Progress = lambda done, total: None,
    commit_bytes: int = COMMIT_BYTES,
) -> dict[str, Any]:
    """Make the graph in `folder` and return what it says about itself.

    Continues a build of the same source that was stopped, unless it is to begin `anew`. tolerate:
    how many lines may be broken, else one in a thousand. Raises DumpProblem where a file is at
    fault, after which nothing of the build is left; GraphProblem, IndexProblem and OSError, after
    which it can be continued.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with BuildLock(folder), _sentences():
        building = folder / BUILDING
        unfinished = find_unfinished(folder)
        if anew or unfinished is None or unfinished.recipe != source.recipe:
            shutil.rmtree(building, ignore_errors=True)
        building.mkdir(exist_ok=True)
        try:
            with closing(sqlite3.connect(building / STAGING, isolation_level=None)) as store:
                staging = Staging(store, source, tolerate, commit_bytes)
                staging.read_source(progress)
                with _sorting_in(store, building):
                    about = _write_graph(staging, building)
        except DumpProblem:
            shutil.rmtree(building, ignore_errors=True)
            raise
        _publish(building / FILE, folder / FILE)
        shutil.rmtree(building, ignore_errors=True)
    return about


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise GraphProblem(
            f"The graph cannot be written ({error}). See whether the disk is full, and run the "
            "command again with --resume."
        ) from error


@contextmanager
def _sorting_in(store: sqlite3.Connection, folder: Path) -> Iterator[None]:
    """Let this process's SQLite sort on the disk that the graph will be on, which has the room."""
    quoted = str(folder).replace("'", "''")
    store.execute(f"PRAGMA temp_store_directory = '{quoted}'")
    try:
        yield
    finally:
        if store.in_transaction:
            store.execute("ROLLBACK")
        store.execute("PRAGMA temp_store_directory = ''")


def _publish(made: Path, place: Path) -> None:
    """Put the file in its place, so that even a power cut leaves the old one or the new one."""
    for path in (made, place.parent):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if path == made:
            made.replace(place)


def _write_graph(staging: Staging, building: Path) -> dict[str, Any]:
    """Write the graph from what was prepared; return what it says about itself."""
    file = building / FILE
    file.unlink(missing_ok=True)
    execute = staging.store.execute
    staging.drop_repeated()
    execute("ATTACH ? AS graph", [str(file)])
    for pragma in ("journal_mode = OFF", "synchronous = OFF", f"user_version = {FORMAT}"):
        execute(f"PRAGMA graph.{pragma}")
    execute(f"PRAGMA graph.cache_size = -{CACHE_KIBIBYTES}")
    staging.store.executescript(sql.GRAPH)
    execute("BEGIN")
    for statement in (
        *sql.KEEP, sql.FILL_FACTS, sql.FILL_SUBCLASSES, *sql.KEEP_CLASSES, sql.FILL_ENTITIES,
    ):  # fmt: skip
        execute(statement)
    for *row, inverses in execute(sql.LIST_PROPERTIES).fetchall():
        if execute(sql.FILL_PROPERTY, row).rowcount:
            pairs = [(row[0], other) for other in json.loads(inverses)]
            staging.store.executemany(sql.FILL_INVERSE, pairs)
    about = _describe(staging)
    staging.store.executemany(
        sql.FILL_ABOUT, [(key, json.dumps(value)) for key, value in about.items()]
    )
    execute("COMMIT")
    staging.store.executescript(sql.INDEX)
    execute("DETACH graph")
    return about


def _describe(staging: Staging) -> dict[str, Any]:
    state = staging.state
    counts = {key: staging.store.execute(text).fetchone()[0] for key, text in sql.COUNTS.items()}
    if not counts["statements"]:
        raise DumpProblem(
            f"{state.lines:,} lines were read, and none says of an item any of what is kept. "
            "See --properties, or whether it is another kind of file."
        )
    return {
        **state.recipe,
        **counts,
        "lines": state.lines,
        "broken": state.broken,
        "others": state.others,
        "repeated": state.repeated,
        "skipped": state.skipped,
        "megabytes": round(state.megabytes, 3),
        "notes": state.notes,
        "hash": _hash_rows(staging.store),
    }


def _hash_rows(store: sqlite3.Connection) -> str:
    """Return the hash of every row of every table."""
    found = hashlib.sha256()
    for table, statement in sql.ROWS.items():
        found.update(f"\n{table}\n".encode())
        rows = store.execute(statement)
        while some := rows.fetchmany(_ROWS_AT_ONCE):
            found.update(orjson.dumps(some))
    return found.hexdigest()
