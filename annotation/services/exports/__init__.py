"""Take data out: streamed in bounded memory, the same rows giving the same bytes."""

import datetime as dt
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial

from django.db import transaction

from accounts.models import User
from annotation.models import Project
from annotation.policies import Conflict
from annotation.policies.data import check_can_export
from annotation.services import audit
from annotation.services.exports import ambignq, annotations, long_answers, pages

JSON = "application/json"
JSON_LINES = "application/x-ndjson"
CSV = "text/csv"


@dataclass(frozen=True)
class Format:
    """One export format. `records` gives the encoded records one by one.

    `protocol`: the one whose layout it is, "" where it fits any.
    """

    key: str
    label: str
    hint: str
    extension: str
    content_type: str
    records: Callable[[Project, str | None], Iterator[bytes]]
    protocol: str = ""

    @property
    def by_submission(self) -> bool:
        """Whether a record is one submission, rather than one question with all of its own."""
        return self.content_type != JSON


def _submissions(project: Project, split: str | None, *, events: bool = True) -> Iterator[bytes]:
    """Give every submission, as the project's protocol has them."""
    records = long_answers.records if project.protocol == "asqa" else annotations.records
    return records(project, split, events=events)


FORMATS: dict[str, Format] = {
    format.key: format
    for format in (
        Format(
            key="ambignq-light",
            label="AmbigNQ, light",
            hint="Questions with what was submitted, in the released layout",
            extension="json",
            content_type=JSON,
            records=ambignq.light,
            protocol="ambigqa",
        ),
        Format(
            key="ambignq",
            label="AmbigNQ, full",
            hint="With searches, results and pages read",
            extension="json",
            content_type=JSON,
            records=ambignq.full,
            protocol="ambigqa",
        ),
        Format(
            key="annotations",
            label="Raw annotations",
            hint="Every submission with its quotes and events, under pseudonyms",
            extension="jsonl",
            content_type=JSON_LINES,
            records=_submissions,
        ),
        Format(
            key="annotations-light",
            label="Raw annotations, light",
            hint="The same without the events: nothing of what was searched and read",
            extension="jsonl",
            content_type=JSON_LINES,
            records=partial(_submissions, events=False),
        ),
        Format(
            key="pages-read",
            label="Pages read",
            hint="A line per submission: pages opened from search results, and all pages",
            extension="csv",
            content_type=CSV,
            records=pages.records,
        ),
    )
}
BLOCK = 1 << 16


def formats_of(project: Project) -> list[Format]:
    """Return the formats that fit the project's protocol."""
    return [each for each in FORMATS.values() if each.protocol in ("", project.protocol)]


@dataclass(frozen=True)
class Export:
    """A download about to be read: its name, its type, and its bytes."""

    file_name: str
    content_type: str
    blocks: Iterator[bytes]


@transaction.atomic
def start_export(
    *, project: Project, format: str, split: str | None, by: User | None, now: dt.datetime
) -> Export:
    """Open an export of everything submitted in `split` (None: all splits), and log who took it.

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
            f"{kind.label} is a layout of another protocol than {project.get_protocol_display()}. "
            f"This project is exported as {known}."
        )
    audit.record(
        "exported", project, by=by, now=now, project=project, format=format, split=split or "all"
    )
    name = "-".join([project.slug, *([split] if split else []), format])
    records = kind.records(project, split)
    lines = array(records) if kind.content_type == JSON else _lines(records)
    return Export(f"{name}.{kind.extension}", kind.content_type, blocks(lines))


def array(records: Iterator[bytes]) -> Iterator[bytes]:
    """Lay records out as the released files are: one array; here with a record on each line."""
    separator = b"[\n"
    for record in records:
        yield separator
        yield record
        separator = b",\n"
    yield b"[]\n" if separator == b"[\n" else b"\n]\n"


def _lines(records: Iterator[bytes]) -> Iterator[bytes]:
    for record in records:
        yield record
        yield b"\n"


def blocks(parts: Iterator[bytes]) -> Generator[bytes]:
    """Join small parts into blocks worth sending or writing."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= BLOCK:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
