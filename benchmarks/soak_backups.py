"""Backups meanwhile: made every few minutes, and restored into another database and compared."""

import asyncio
import os
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import databases
from benchmarks.soak_people import Journal, Watched
from benchmarks.soak_services import Installation

RESTORED = "soak_restored"
# Of each stage, how many texts an assignment has.
CONTENTS = {
    "generation": "annotation_annotation",
    "long_answers": "annotation_longanswer",
    "validation": "validation_validation",
}


SUBMITTED = """
    SELECT a.id FROM annotation_assignment a JOIN {contents} n ON n.assignment_id = a.id
    WHERE a.state = 'submitted' AND a.id = ANY(%s)
"""
SUMS = 'SELECT count(*), sum(hashtextextended(t::text, 0)::numeric) FROM "{table}" t'


class Backups:
    """The backups of an installation, of which the last one is kept."""

    def __init__(self, installation: Installation) -> None:
        self.installation, self.made, self.failed = installation, 0, list[str]()
        self.folder = installation.folder / "backups"
        self.folder.mkdir()
        self.seconds: list[float] = []
        self.compared: Counter[str] = Counter()

    async def make_regularly(self, crowd: Watched, every: float) -> None:
        """Make a backup every this many seconds until people stop."""
        while not crowd.stopping:
            begin = time.perf_counter()
            file = self.folder / f"backup-{self.made + len(self.failed)}.zip"
            error = await asyncio.to_thread(self._make, file)
            if error:
                self._note_failure(crowd, file, f"{crowd.phase_since(begin)}: {error}")
            else:
                self._take_away_all_but(file)
            end = time.monotonic() + every
            while time.monotonic() < end and not crowd.stopping:
                await asyncio.sleep(0.1)

    def _note_failure(self, crowd: Watched, file: Path, error: str) -> None:
        self.failed.append(error)
        if error.startswith("calm"):
            crowd.wrong.append(f"A backup failed in {error}")
        if left := [name for name in os.listdir(self.folder) if file.name in name]:
            crowd.wrong.append(f"A backup that failed left {left}.")

    def _make(self, file: Path) -> str:
        begin = time.monotonic()
        done = self.installation.manage("backup", str(file))
        if done.returncode:
            return done.stderr.strip()[-300:] or f"status {done.returncode}"
        self.made += 1
        self.seconds.append(time.monotonic() - begin)
        return ""

    def _take_away_all_but(self, file: Path) -> None:
        for other in self.folder.glob("backup-*"):
            if other != file:
                other.unlink()

    async def try_without_room(self, wrong: list[str]) -> str:
        """Make a backup on the full disk: it has to fail with a sentence and leave nothing."""
        file = self.installation.disk / "full.zip"
        done = await asyncio.to_thread(self.installation.manage, "backup", str(file))
        said = done.stderr.strip().splitlines()[-1:] or [""]
        if done.returncode == 0 or "Traceback" in done.stderr:
            wrong.append(f"A backup on a full disk ended with {done.returncode}: {said[0]}")
        if left := [name for name in os.listdir(self.installation.disk) if "full.zip" in name]:
            wrong.append(f"A backup on a full disk left {left}.")
        return said[0]

    # --- restored into another database -------------------------------------------------------

    async def restore(self, journal: Journal, wrong: list[str]) -> str:
        """Make a backup, restore it elsewhere and look for everything that was acknowledged."""
        told: dict[str, set[int]] = {stage: set() for stage in CONTENTS}
        for entry in journal.entries:
            if entry.acknowledged:
                told[entry.stage].add(entry.assignment)
        return await asyncio.to_thread(self._restore, told, wrong)

    def _restore(self, told: dict[str, set[int]], wrong: list[str]) -> str:
        address = self._restored(wrong)
        if address is None:
            return "not restored"
        missing = 0
        for stage, table in CONTENTS.items():
            found = fetch_rows_of(address, SUBMITTED.format(contents=table), [list(told[stage])])
            counts = Counter(number for (number,) in found)
            absent = [number for number in told[stage] if counts[number] != 1]
            missing += len(absent)
            if absent:
                wrong.append(f"Of {stage}, a backup lacks {len(absent)}: {sorted(absent)[:10]}.")
        databases.drop(os.environ["AMBIT_EMBEDDED_URL"], RESTORED)
        count = sum(map(len, told.values()))
        self.compared["submissions"] += count
        return f"{count} acknowledged submissions looked for, {missing} missing"

    def _restored(self, wrong: list[str]) -> str | None:
        """Make a backup and restore it; return the address of the database."""
        file = self.folder / "restore.zip"
        file.unlink(missing_ok=True)
        data = self.installation.folder / "restored"
        data.mkdir(exist_ok=True)
        programs = data / "postgresql"  # by which the version of PostgreSQL is found
        if not programs.is_symlink():
            programs.symlink_to(self.installation.data / "postgresql")
        address = databases.make(os.environ["AMBIT_EMBEDDED_URL"], RESTORED)
        elsewhere = {"AMBIT_EMBEDDED_URL": address, "AMBIT_DATA": str(data)}
        for words, environment in (("backup", {}), ("restore", elsewhere)):
            done = self.installation.manage(words, str(file), **environment)
            if done.returncode:
                wrong.append(f"{words} ended with {done.returncode}: {done.stderr[-300:]}")
                return None
        file.unlink()
        return address

    def compare_everything(self, wrong: list[str]) -> int:
        """Restore a backup of what rests, and compare every row; return how many there are."""
        from operations.backup.manifest import TABLES_WITHOUT_ROWS

        address = self._restored(wrong)
        if address is None:
            return 0
        sides = [digest_tables(url) for url in (os.environ["AMBIT_EMBEDDED_URL"], address)]
        databases.drop(os.environ["AMBIT_EMBEDDED_URL"], RESTORED)
        for table in sorted(sides[0].keys() | sides[1].keys()):
            one, other = (side.get(table) for side in sides)
            if one != other and table not in TABLES_WITHOUT_ROWS:
                wrong.append(f"{table} differs after a backup was restored: {one}, {other}.")
        return sum(int(count) for count, _ in sides[1].values())


def digest_tables(address: str) -> dict[str, tuple[int, str]]:
    """Return for each table the number of its rows, and a sum of their contents in any order."""
    names = fetch_rows_of(
        address, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1", []
    )
    found = {}
    for (name,) in names:
        [(count, digest)] = fetch_rows_of(address, SUMS.format(table=name), [])
        found[name] = (count, str(digest))
    return found


def fetch_rows_of(address: str, statement: str, values: Iterable[Any]) -> Sequence[tuple[Any, ...]]:
    """Run a statement on a database."""
    import psycopg2

    connection = psycopg2.connect(address)
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement, list(values))
            return list(cursor.fetchall())
    finally:
        connection.close()
