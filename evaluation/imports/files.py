"""A file that a job imports: looked at before there is a job, then read by it.

What a look at the file shows is refused before there is a job. The job reads the file, saving how
far it is, then stores everything in one transaction with its result: where a worker is lost, either
nothing is stored, or the result is and the job has nothing left to do.
"""

import codecs
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from annotation.core.refusals import Denied
from annotation.imports.records import MAX_RECORD, WrongFormat
from annotation.jobs import services as jobs_services

_BLOCK = 1 << 20
_BEGINNING = 2 * MAX_RECORD


def beginning_of(file: BinaryIO) -> tuple[BinaryIO, bool]:
    """Return what is looked at of a file before there is a job, and whether that is all of it.

    It holds any first record, and is not so long that looking at it takes long.
    """
    file.seek(0)
    content = file.read(_BEGINNING)
    return io.BytesIO(content), len(content) < _BEGINNING


def check_utf8(file: BinaryIO) -> None:
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


def save_place(work: jobs_services.RunningJob, number: int) -> None:
    """Save how many records of the file are read."""
    work.save(done=number)


@contextmanager
def open_uploaded_file(work: jobs_services.RunningJob) -> Iterator[BinaryIO]:
    """Open the uploaded file; the job fails with a sentence where its content cannot be taken."""
    with jobs_services.keep_heartbeat(work):
        try:
            opened = work.job.file.open("rb")
        except (FileNotFoundError, ValueError):
            raise jobs_services.JobProblem(
                "The uploaded file is no longer here. Upload it again."
            ) from None
        with opened as stored:
            try:
                yield stored.file
            except (Denied, WrongFormat) as problem:
                raise jobs_services.JobProblem(f"{problem} Nothing was imported.") from None
