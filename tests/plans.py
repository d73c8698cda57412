"""What statements read: explain each one that some code runs, just before it runs."""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection

# Tables that grow with each piece of work.
GROWING = (
    *("annotation_question", "annotation_task", "annotation_assignment", "annotation_submission"),
    *("annotation_golditem", "annotation_event", "annotation_payentry", "annotation_auditentry"),
    *("qampari_candidate", "validation_decision", "validation_submissionoutcome"),
)


def count_rows() -> None:
    """Tell the planner how many rows there are: no autovacuum sees those of one transaction, and
    what it knows of the tests before may lead it to read whole tables for each answer.
    """
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(GROWING)}")


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
EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "EXECUTE")


@dataclass(frozen=True)
class Scan:
    """One node of a plan that reads a table: how, and how many rows in all its loops.

    `whole`: from one end to the other, or until enough is found.
    """

    kind: str
    table: str
    index: str
    backward: bool
    whole: bool
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

    def walks(self, names: Collection[str]) -> list[Scan]:
        """The scans that read one of these tables or indexes without a condition for where."""
        return [scan for scan in self.scans if scan.whole and (scan.index or scan.table) in names]

    def __str__(self) -> str:
        return "\n    ".join([" ".join(self._text.split())[:400], *map(str, self.scans)])

    @property
    def _text(self) -> str:
        if not self.sql.startswith("EXECUTE"):
            return self.sql
        with connection.connection.cursor() as cursor:
            name = self.sql.split()[1]
            cursor.execute("SELECT statement FROM pg_prepared_statements WHERE name = %s", [name])
            return str(cursor.fetchone()[0])


def analyse() -> None:
    """Tell PostgreSQL how many rows there are. It remembers those of earlier tests, and would
    choose its indexes by them.
    """
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


@contextmanager
def explained(*, large: bool = False, analysed: bool = False) -> Iterator[list[Plan]]:
    """Collect the plans of the statements that are run meanwhile.

    With `large`, as PostgreSQL would have to run them where tables are large: in small ones it
    would rather read them whole, or sort what an index has in order. It is told how many rows
    there are, unless the caller has done so (`analysed`), since it takes a second.
    """
    plans: list[Plan] = []
    if large and not analysed:
        analyse()

    def explain(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().startswith(EXPLAINED) and not many:
            plans.append(Plan(sql, list(_scans(_tree(sql, params, large)))))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield plans


def _tree(sql: str, params: Any, large: bool) -> dict[str, Any]:
    """Run a statement and take back what it changed; return its plan."""
    inside = connection.in_atomic_block
    # Past Django's cursor, so that nothing of this is explained or counted.
    with connection.connection.cursor() as cursor:
        cursor.execute("SAVEPOINT explained" if inside else "BEGIN")
        try:
            if large:
                cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
            found = cursor.fetchone()[0]
        finally:
            back = "ROLLBACK TO SAVEPOINT explained; RELEASE SAVEPOINT explained"
            cursor.execute(back if inside else "ROLLBACK")
    tree: dict[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return tree


def _scans(node: dict[str, Any]) -> Iterator[Scan]:
    if "Relation Name" in node and node["Node Type"] != "ModifyTable":
        loops = node["Actual Loops"]
        read = node["Actual Rows"] + sum(
            node.get(name, 0)
            for name in ("Rows Removed by Filter", "Rows Removed by Index Recheck")
        )
        backward = node.get("Scan Direction") == "Backward"
        index = node.get("Index Name", "")
        kind = node["Node Type"]
        whole = kind == "Seq Scan" or (bool(index) and "Index Cond" not in node)
        table = node["Relation Name"]
        yield Scan(kind, table, index, backward, whole, round(read * loops))
    for child in node.get("Plans", []):
        yield from _scans(child)
