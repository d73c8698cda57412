"""The type of an export format; each format is declared in the module of its records."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.exports.selection import Selection
from annotation.stages import registry as stages

JSON = "application/json"
JSON_LINES = "application/x-ndjson"
CSV = "text/csv"
EXTENSIONS = {JSON: "json", JSON_LINES: "jsonl", CSV: "csv"}


def no_studies(project: Project) -> Sequence[tuple[str, str]]:
    """Return the studies that a format without any can be limited to."""
    return []


@dataclass(frozen=True)
class Format:
    """One export format. `records` yields the encoded records, within a snapshot.

    `count` returns how many there are now. `headings`: how many of the first records are headers.
    `studies`: those it can be limited to, number and label. `check` raises Conflict, with a
    sentence, where it cannot hold what was chosen.
    """

    key: str
    label: str
    hint: str
    content_type: str
    records: Callable[[Project, Selection], Iterator[bytes]]
    count: Callable[[Project], int]
    headings: int = 0
    studies: Callable[[Project], Sequence[tuple[str, str]]] = no_studies
    check: Callable[[Project, Selection], None] = lambda project, selection: None


def count_submissions(project: Project) -> int:
    """Return the number of writers' submissions."""
    rows = Assignment.objects.filter(
        project=project, stage__in=stages.list_writing_stages(project), gold=False
    )
    return rows.filter(state=Assignment.State.SUBMITTED).count()


def make_raw_format(records: Callable[[Project, Selection], Iterator[bytes]]) -> Format:
    """Return a protocol's format with everything known about each submission."""
    return Format(
        key="annotations",
        label="Raw annotations",
        hint="Every submission with its quotes and events, under pseudonyms",
        content_type=JSON_LINES,
        records=records,
        count=count_submissions,
    )


def make_light_raw_format(records: Callable[[Project, Selection], Iterator[bytes]]) -> Format:
    """Return the same format without events."""
    return Format(
        key="annotations-light",
        label="Raw annotations, light",
        hint="The same without events: nothing about searches and pages read",
        content_type=JSON_LINES,
        records=records,
        count=count_submissions,
    )
