"""The first half of a build: what is read becomes rows in a file, which a kill leaves usable.

After some megabytes the rows are committed together with the place up to which the files were read.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol

from wikipedia.wikidata import statements as sql
from wikipedia.wikidata.extracts import DumpProblem, Extract, Place

NAMED: Final = 20
COMMIT_BYTES: Final = 128 << 20
# Of the lines, where nothing else is asked for; a file that is no dump is not read to its end.
TOLERATED_SHARE: Final = 0.001
HOPELESS: Final = 1_000
CACHE_KIBIBYTES: Final = 65_536

Progress = Callable[[int, int], None]


class GraphSource(Protocol):
    """What a graph is made of. Two with one `recipe` give the same graph."""

    @property
    def recipe(self) -> dict[str, Any]: ...

    @property
    def total(self) -> int: ...

    @property
    def done(self) -> int: ...

    def name_place(self, file: int, line: int) -> str: ...

    def read(self, start: Place) -> Iterator[Extract]: ...


@dataclass
class BuildState:
    """What a build has read. notes: the first lines that were left out, as sentences."""

    recipe: dict[str, Any]
    place: Place = field(default_factory=Place)
    read: bool = False
    lines: int = 0
    megabytes: float = 0.0
    broken: int = 0
    others: int = 0
    skipped: int = 0
    repeated: int = 0
    notes: list[str] = field(default_factory=list)

    @classmethod
    def load(cls, text: str) -> BuildState:
        """Return one from its text. Raises ValueError, TypeError and KeyError."""
        found = json.loads(text)
        return cls(**found | {"place": Place(**found["place"])})

    def note(self, sentence: str) -> None:
        """Keep a sentence about a line, if there are not many yet."""
        if len(self.notes) < NAMED:
            self.notes.append(sentence)


class Staging:
    """The rows of a build, prepared in `store`, and what it has read so far."""

    def __init__(
        self,
        store: sqlite3.Connection,
        source: GraphSource,
        tolerate: int | None,
        commit_bytes: int,
    ) -> None:
        self.store, self.source = store, source
        self._tolerate, self._commit_bytes = tolerate, commit_bytes
        store.execute(f"PRAGMA cache_size = -{CACHE_KIBIBYTES}")
        store.execute("PRAGMA synchronous = NORMAL")
        store.execute("PRAGMA temp_store = FILE")
        store.executescript(sql.STAGE)
        known = store.execute(sql.READ_STATE).fetchone()
        self.state = BuildState.load(known[0]) if known else BuildState(source.recipe)
        (self._facts,) = store.execute(sql.LAST_FACT).fetchone()

    def read_source(self, progress: Progress) -> None:
        """Prepare the rows of everything that was not read yet."""
        if self.state.read:
            return
        self._begin()
        waiting = 0
        for extract in self.source.read(self.state.place):
            waiting += self._add(extract)
            if waiting >= self._commit_bytes:
                self._commit()
                self._begin()
                waiting = 0
            progress(self.source.done, self.source.total)
        self._refuse_broken()
        self.state.read = True
        self._commit()

    def _begin(self) -> None:
        self.store.execute("BEGIN")

    def _commit(self) -> None:
        self.store.execute(sql.WRITE_STATE, [json.dumps(asdict(self.state))])
        self.store.execute("COMMIT")

    def _add(self, extract: Extract) -> int:
        """Add the rows of a block; return how many bytes it has."""
        state, after = self.state, extract.after
        here = state.place if state.place.file == after.file else Place(after.file)
        state.lines += after.line - here.line
        size = after.byte - here.byte
        state.megabytes += size / 1e6
        state.place = after
        state.skipped += extract.skipped
        named = extract.broken + ([] if state.others else extract.others[:1])
        state.others += len(extract.others)
        state.broken += len(extract.broken)
        for line, reason in named:
            state.note(f"{self.source.name_place(after.file, line)}: {reason}.")
        self.store.executemany(sql.ADD_FACT, extract.facts)
        self.store.executemany(sql.ADD_ENTITY, self._entities(extract))
        self.store.executemany(sql.ADD_PROPERTY, extract.properties)
        if extract.broken and self._tolerate is None and state.broken >= HOPELESS:
            self._refuse_broken()
        return size

    def _entities(self, extract: Extract) -> Iterator[tuple[Any, ...]]:
        for row in extract.entities:
            yield (*row[:7], extract.after.file, row.line, self._facts + 1, row.facts)
            self._facts += row.facts

    def _refuse_broken(self) -> None:
        state = self.state
        share = int(state.lines * TOLERATED_SHARE)
        allowed = share if self._tolerate is None else self._tolerate
        if state.broken <= allowed:
            return
        raise DumpProblem(
            f"{state.broken:,} of {state.lines:,} lines cannot be read, {allowed:,} may be "
            f"(--tolerate says how many). {' '.join(state.notes)}"
        )

    def drop_repeated(self) -> None:
        """Leave only the newest of items that are there several times."""
        twice = [number for (number,) in self.store.execute(sql.TWICE)]
        if not twice:
            return
        self.store.execute(sql.INDEX_ENTITIES)
        self._begin()
        for number in twice:
            for row, file, line, first, facts in self.store.execute(sql.OLDER, [number]).fetchall():
                self.store.execute(sql.DROP_ENTITY, [row])
                self.store.execute(sql.DROP_FACTS, [first, first + facts])
                self.state.repeated += 1
                place = self.source.name_place(file, line)
                self.state.note(f"{place}: Q{number} is there twice; the newer one counts.")
        self._commit()
