"""What statements read: capture those that some code runs, and explain each."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

# Tables that hold a few rows for each project or person, not for each piece of work.
SMALL = {
    "accounts_user",
    "annotation_faqentry",
    "annotation_guideline",
    "annotation_invitation",
    "annotation_job",
    "annotation_membership",
    "annotation_project",
    "annotation_qualification",
    "annotation_qualificationattempt",
    "annotation_qualificationitem",
    "annotation_qualified",
    "annotation_stagepolicy",
    "annotation_storedfigures",
    "validation_agreement",
    "validation_auditsample",
    "wikipedia_snapshot",
}


# A table of this size is read as a whole, whatever indexes it has.
FEW = 100


@dataclass(frozen=True)
class Scan:
    """One node of a plan that reads a table: how, and how many rows in all its loops."""

    kind: str
    table: str
    index: str
    backward: bool
    rows: int

    def __str__(self) -> str:
        how = f"{self.kind}{' backward' if self.backward else ''}"
        return f"{how} of {self.table} {self.index}: {self.rows:,} rows"


@dataclass(frozen=True)
class Plan:
    """A statement, and how PostgreSQL ran it."""

    sql: str
    scans: list[Scan]

    @property
    def rows(self) -> int:
        """The rows read from tables that grow, those thrown away included."""
        return sum(scan.rows for scan in self.scans if scan.table not in SMALL)

    @property
    def sequential(self) -> list[Scan]:
        """The scans that read a whole table that grows, if it has grown at all."""
        return [
            scan
            for scan in self.scans
            if scan.kind == "Seq Scan" and scan.table not in SMALL and scan.rows > FEW
        ]

    def __str__(self) -> str:
        return "\n    ".join([" ".join(self.sql.split())[:400], *map(str, self.scans)])


@contextmanager
def captured() -> Iterator[list[tuple[str, Any]]]:
    """Collect the statements that are run meanwhile, with their values."""
    statements: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        statements.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        yield statements


def explain(sql: str, params: Any = None) -> Plan | None:
    """Run a statement once more, take back what it changed, and return its plan.

    None for what has no plan, such as SAVEPOINT, and for INSERT, which cannot be run twice.
    """
    word = sql.split(maxsplit=1)[0].upper()
    if word not in {"SELECT", "WITH", "UPDATE", "EXECUTE"}:
        return None
    with transaction.atomic(), connection.cursor() as cursor:
        # Where tables are small, PostgreSQL would rather read them whole, or sort what an index
        # has in order. The question is whether it has to, as it would where they are large.
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
        found = cursor.fetchone()[0]
        transaction.set_rollback(True)
    tree = json.loads(found) if isinstance(found, str) else found
    return Plan(sql, list(_scans(tree[0]["Plan"])))


def _scans(node: dict[str, Any]) -> Iterator[Scan]:
    if "Relation Name" in node and node["Node Type"] != "ModifyTable":
        loops = node["Actual Loops"]
        read = node["Actual Rows"] + sum(
            node.get(name, 0)
            for name in ("Rows Removed by Filter", "Rows Removed by Index Recheck")
        )
        backward = node.get("Scan Direction") == "Backward"
        index = node.get("Index Name", "")
        yield Scan(node["Node Type"], node["Relation Name"], index, backward, round(read * loops))
    for child in node.get("Plans", []):
        yield from _scans(child)
