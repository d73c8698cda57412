"""Refused lines as files: with the reasons, and as they are in the file that they came from."""

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from django.http import HttpResponse

from annotation.core.models.jobs import Job
from annotation.core.refusals import Conflict
from annotation.imports.detection import FileReading, reading_from_json
from annotation.imports.formats import all_formats
from annotation.imports.records import WrongFormat
from annotation.imports.refused_lines import copy_refused, find_layout
from annotation.text.spreadsheets import defuse_formula

_TYPES = {"csv": "text/csv", "tsv": "text/tab-separated-values", "json": "application/json"}
_GONE = "The uploaded file is no longer here. Download the lines with the reasons."


def reading_of(job: Job) -> FileReading:
    """Return how the file of an import is read."""
    if reading := job.options.get("reading"):
        return reading_from_json(reading)
    kind = all_formats()[job.options["format"]]
    return FileReading(kind.key, kind.label)


def can_be_copied(job: Job) -> bool:
    """Return whether the refused lines of an import can be given as they are in its file."""
    return bool(job.kind == "import" and job.file) and find_layout(reading_of(job)) != ""


def list_lines(result: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the lines that an import refused or filtered out, in the order of the file."""
    lines = [*result.get("errors", ()), *result.get("filtered", ())]
    return sorted(lines, key=lambda each: int(each["line"]))


def problems_file(errors: Sequence[Mapping[str, Any]]) -> HttpResponse:
    """Return refused lines with the reasons as a CSV file, safe to be opened in a spreadsheet."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["line", "reason", "text"])
    for error in errors:
        reason, text = str(error["reason"]), str(error.get("text", ""))
        writer.writerow([error["line"], defuse_formula(reason), defuse_formula(text)])
    return _attach(out.getvalue().encode(), "csv")


def refused_file(
    file: BinaryIO, reading: FileReading, errors: Sequence[Mapping[str, Any]]
) -> HttpResponse:
    """Return refused lines as they are in their file, to be corrected and imported.

    Raises Conflict where they cannot be given like this.
    """
    try:
        content, suffix = copy_refused(file, reading, {error["line"] for error in errors})
    except (ValueError, WrongFormat) as refusal:
        raise Conflict(f"{refusal} Download the lines with the reasons.") from None
    return _attach(content, suffix)


def refused_file_of(job: Job) -> HttpResponse:
    """Return the refused lines of an import as they are in its file. Raises Conflict."""
    if not can_be_copied(job):
        raise Conflict(_GONE)
    try:
        opened = job.file.open("rb")
    except (FileNotFoundError, ValueError):
        raise Conflict(_GONE) from None
    with opened as stored:
        return refused_file(stored.file, reading_of(job), list_lines(job.result or {}))


def _attach(content: bytes, suffix: str) -> HttpResponse:
    kind = _TYPES.get(suffix, "text/plain")
    response = HttpResponse(content, content_type=f"{kind}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="refused-lines.{suffix}"'
    return response
