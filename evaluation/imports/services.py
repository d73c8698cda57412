"""Imports of answers and of judgments as jobs.

What a look at the file shows is refused before there is a job. The job reads the file, saving how
far it is, then stores everything in one transaction with its result: where a worker is lost, either
nothing is stored, or the result is and the job has nothing left to do.
"""

import codecs
import datetime as dt
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, cast

from django.core.files.base import File
from django.db import transaction

from accounts.models import User
from annotation.core.refusals import Denied
from annotation.imports.records import MAX_RECORD, WrongFormat
from annotation.jobs import services as jobs
from annotation.models import Job, Project
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.judgments import judgment_files
from evaluation.judgments import services as judgments
from evaluation.judgments.given import BadRows
from evaluation.systems import formats
from evaluation.systems import services as systems
from evaluation.systems.models import System
from evaluation.systems.policies import check_can_import_outputs

OUTPUTS = "outputs"
JUDGMENTS = "judgments"
_BLOCK = 1 << 20
_BEGINNING = 2 * MAX_RECORD


@transaction.atomic
def start_outputs(
    *,
    project: Project,
    file: "File[bytes]",
    file_name: str,
    name: str,
    version: str = "",
    kind: str = System.Kind.MODEL,
    options: Mapping[str, Any] | None = None,
    annotation: int = 0,
    by: User,
    now: dt.datetime,
) -> Job:
    """Store a file of answers and make the job that imports it (`systems.import_outputs`).

    Staff only. Raises WrongFormat where the file is too large, not UTF-8 or plainly something else,
    Conflict where the system cannot be called so.
    """
    check_can_import_outputs(by, project)
    name, version = systems.named(name, version)
    content = cast(BinaryIO, file.file)
    systems.check_size(content)
    formats.check(_beginning(content)[0], annotation)
    _check_utf8(content)
    asked = {"name": name, "version": version, "system_kind": kind, "annotation": annotation}
    return jobs.create(
        project=project,
        kind=OUTPUTS,
        options=asked | {"settings": None if options is None else dict(options)},
        file=file,
        file_name=file_name,
        unit="records",
        by=by,
        now=now,
    )


@transaction.atomic
def start_judgments(
    *,
    project: Project,
    file: "File[bytes]",
    file_name: str,
    title: str = "",
    by: User,
    now: dt.datetime,
) -> Job:
    """Store a file of judgments and make the job that imports it (`judgments.import_judgments`).

    Staff only. Raises WrongFormat where the file is too large, not UTF-8 or plainly something else,
    Conflict where the study has no title or one that is too long.
    """
    check_can_import_outputs(by, project)
    content = cast(BinaryIO, file.file)
    judgment_files.check_size(content)
    beginning, whole = _beginning(content)
    design = judgment_files.design_in(beginning, whole=whole)
    _check_utf8(content)
    title = judgments.title_of(design, title)
    return jobs.create(
        project=project,
        kind=JUDGMENTS,
        options={"title": title},
        file=file,
        file_name=file_name,
        unit="rows",
        by=by,
        now=now,
    )


def _beginning(file: BinaryIO) -> tuple[BinaryIO, bool]:
    """Return what is looked at of a file before there is a job, and whether that is all of it.

    It holds any first record, and is not so long that looking at it takes long.
    """
    file.seek(0)
    content = file.read(_BEGINNING)
    return io.BytesIO(content), len(content) < _BEGINNING


def _check_utf8(file: BinaryIO) -> None:
    """Raise WrongFormat for the first line that is not UTF-8."""
    file.seek(0)
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, block = 1, b"\n"
    while block:
        block = file.read(_BLOCK)
        try:
            decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            line += error.object[: error.start].count(b"\n")
            raise WrongFormat(f"Line {line:,} is not UTF-8. Save the file as UTF-8.") from None
        line += block.count(b"\n")
    file.seek(0)


# --- the jobs --------------------------------------------------------------------------------


def run_outputs(work: jobs.Running) -> None:
    """Read the file, then store what matches."""
    job, options = work.job, work.job.options
    if "system_id" in job.result:
        return  # its worker was lost after everything was stored
    with _reading(work) as file:
        work.save(done=0, total=formats.count(file, options["annotation"]))
        systems.import_outputs(
            project=job.project,
            file=file,
            name=options["name"],
            version=options["version"],
            kind=options["system_kind"],
            options=options["settings"],
            annotation=options["annotation"],
            by=job.created_by,
            now=work.clock(),
            on_read=partial(_read, work),
            on_store=lambda system, report: work.save(result=_stored(job.project, system, report)),
        )


def _stored(project: Project, system: System, report: systems.Report) -> dict[str, Any]:
    scored = protocols.of(project).has(Feature.DISAMBIGUATIONS)
    return {
        "system_id": system.pk,
        "splits": systems.splits_of(system) if scored else [],
        "created": report.created,
        "changed": report.changed,
        "unchanged": report.unchanged,
        "rejected": report.refused,
        "errors": report.lines,
    }


def run_judgments(work: jobs.Running) -> None:
    """Read the file, then make the study, unless it is there."""
    if "study_id" in work.job.result:
        return  # its worker was lost after everything was stored
    with _reading(work) as file:
        work.save(done=0, total=judgment_files.count(file))
        judgments.import_judgments(
            project=work.job.project,
            file=file,
            title=work.job.options["title"],
            by=work.job.created_by,
            now=work.clock(),
            on_read=partial(_read, work),
            on_store=lambda imported: work.save(result=_made(imported)),
        )


def _made(imported: judgments.Imported) -> dict[str, Any]:
    counts = ("judgments", "questions", "judges")
    made: dict[str, Any] = {
        name: 0 if imported.again else getattr(imported, name) for name in counts
    }
    note = f"The study “{imported.title}” has these judgments already. Nothing was imported."
    made |= {"study_id": imported.study, "again": imported.again}
    return made | ({"note": note} if imported.again else {})


def _read(work: jobs.Running, number: int) -> None:
    work.save(done=number)


@contextmanager
def _reading(work: jobs.Running) -> Iterator[BinaryIO]:
    """Open the uploaded file; the job fails with a sentence where its content cannot be taken."""
    with jobs.beating(work):
        try:
            opened = work.job.file.open("rb")
        except (FileNotFoundError, ValueError):
            raise jobs.JobProblem("The uploaded file is no longer here. Upload it again.") from None
        with opened as stored:
            try:
                yield stored.file
            except BadRows as bad:
                rows = [
                    {"line": number, "name": f"Row {number:,}", "reason": row.sentence}
                    for number, row in bad.rows
                ]
                work.save(result={"rejected": bad.count, "errors": rows})
                raise jobs.JobProblem(bad.summary) from None
            except (Denied, WrongFormat) as problem:
                raise jobs.JobProblem(f"{problem} Nothing was imported.") from None
