"""Take data out: streamed in bounded memory, the same rows giving the same bytes."""

import datetime as dt
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from django.db import transaction

from accounts.models import User
from annotation.models import Project
from annotation.policies import Conflict
from annotation.policies.data import check_can_export
from annotation.services import audit
from annotation.services.exports import (
    ambignq,
    annotations,
    concerns,
    long_answers,
    pages,
    skips,
)
from annotation.services.exports.dataset import (
    Dataset,
    array,
    described,
    indented,
    lines,
)
from annotation.services.exports.selection import Selection

JSON = "application/json"
JSON_LINES = "application/x-ndjson"
CSV = "text/csv"
EXTENSIONS = {JSON: "json", JSON_LINES: "jsonl", CSV: "csv"}
SCHEMA_VERSION = 1
"""Of the manifest."""


@dataclass(frozen=True)
class Format:
    """One export format. `records` gives the encoded records one by one, within a snapshot.

    `count` says how many there are now. `protocol`: the one whose layout it is, "" where it fits
    any. `headings`: how many of the first records name columns and are none themselves.
    """

    key: str
    label: str
    hint: str
    content_type: str
    records: Callable[[Project, Selection], Iterator[bytes]]
    count: Callable[[Project], int]
    protocol: str = ""
    headings: int = 0


FORMATS: dict[str, Format] = {}


def register(format: Format) -> None:
    """Make a format known; floors above add theirs when they are ready."""
    FORMATS[format.key] = format


def _submissions(project: Project, chosen: Selection, *, events: bool = True) -> Iterator[bytes]:
    """Give every submission, as the project's protocol has them."""
    records = long_answers.records if project.protocol == "asqa" else annotations.records
    return records(project, chosen, events=events)


for _format in (
    Format(
        key="ambignq-light",
        label="AmbigNQ, light",
        hint="Questions with what was submitted, in the released layout",
        content_type=JSON,
        records=ambignq.light,
        count=annotations.count_questions,
        protocol="ambigqa",
    ),
    Format(
        key="ambignq",
        label="AmbigNQ, full",
        hint="With searches, results and pages read",
        content_type=JSON,
        records=ambignq.full,
        count=annotations.count_questions,
        protocol="ambigqa",
    ),
    Format(
        key="annotations",
        label="Raw annotations",
        hint="Every submission with its quotes and events, under pseudonyms",
        content_type=JSON_LINES,
        records=_submissions,
        count=annotations.count,
    ),
    Format(
        key="annotations-light",
        label="Raw annotations, light",
        hint="The same without events: nothing about searches and pages read",
        content_type=JSON_LINES,
        records=partial(_submissions, events=False),
        count=annotations.count,
    ),
    Format(
        key="skips",
        label="Skips",
        hint="Every skipped question with its reason and feedback",
        content_type=JSON_LINES,
        records=skips.records,
        count=skips.count,
    ),
    Format(
        key="concerns",
        label="Concerns",
        hint="Every concern about disambiguations, with what was decided",
        content_type=JSON_LINES,
        records=concerns.records,
        count=concerns.count,
        protocol="asqa",
    ),
    Format(
        key="pages-read",
        label="Pages read",
        hint="A line per submission: pages opened from search results, and all pages",
        content_type=CSV,
        records=pages.records,
        count=annotations.count,
        headings=1,
    ),
):
    register(_format)


def formats_of(project: Project) -> list[Format]:
    """Return the formats that fit the project's protocol."""
    return [each for each in FORMATS.values() if each.protocol in ("", project.protocol)]


class Export(Dataset):
    """A download: its name, its type, its bytes, and the manifest once these are read."""

    def __init__(self, project: Project, format: Format, chosen: Selection) -> None:
        super().__init__(project)
        self.format = format
        self.chosen = chosen
        self.records = -format.headings

    @property
    def file_name(self) -> str:
        """The name says what the file is a part of."""
        parts = [self.project.slug, *self.chosen.words(), self.format.key]
        return f"{'-'.join(parts)}.{EXTENSIONS[self.format.content_type]}"

    @property
    def content_type(self) -> str:
        """The type of the data."""
        return self.format.content_type

    def parts(self) -> Generator[bytes]:
        """Give the records in their layout."""
        lay_out = array if self.content_type == JSON else lines
        with closing(lay_out(self._counted())) as laid_out:
            yield from laid_out

    def _counted(self) -> Iterator[bytes]:
        for record in self.format.records(self.project, self.chosen):
            self.records += 1
            yield record

    def manifest(self, file_name: str) -> bytes:
        """Return the manifest, as indented JSON. Only after `blocks` is read to its end."""
        manifest = {
            "schema_version": SCHEMA_VERSION,
            "format": self.format.key,
            "filters": self.chosen.as_json(),
            **self.written(file_name),
            "counts": {"records": self.records},
            **described(self.project),
        }
        return indented(manifest)


@transaction.atomic
def start_export(
    *,
    project: Project,
    format: str,
    chosen: Selection = Selection(),  # noqa: B008 - it cannot be changed
    by: User | None,
    now: dt.datetime,
) -> Export:
    """Open an export of what is chosen, and log who took it.

    Read `blocks` outside this transaction; they come from one snapshot of the database. Staff
    only (`by=None`: the machine's own command). Raises Conflict where the layout is of another
    protocol.
    """
    if by is not None:
        check_can_export(by, project)
    kind = FORMATS[format]
    if kind not in formats_of(project):
        known = ", ".join(each.key for each in formats_of(project))
        raise Conflict(
            f"{kind.label} is a layout of another protocol than {project.protocol_label}. "
            f"This project is exported as {known}."
        )
    filters = {name: value for name, value in chosen.as_json().items() if value}
    taken = {"format": format, "split": "all", **filters}
    audit.record("exported", project, by=by, now=now, project=project, **taken)
    return Export(project, kind, chosen)
