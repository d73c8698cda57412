"""What importing a file would do, for the page and the API. Nothing is changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.imports.columns import show_value
from annotation.imports.formats import QuestionRecord
from annotation.imports.import_rules import NO_RULES, ImportRules
from annotation.imports.recognition import RecognisedFile, find_here
from annotation.imports.records import BadLine
from annotation.imports.services import FileCheck, check_file

CHECKED_BYTES = 10_000_000
"""A larger file is not read whole before it is imported, as somebody waits for the answer."""


@dataclass(frozen=True)
class PreviewLine:
    """One of the first records as it would be imported; `here`: its id is in the project.

    `problem` says why it cannot be taken, "" where it can.
    """

    line: int
    id: str = ""
    question: str = ""
    answers: Sequence[str] = ()
    split: str | None = None
    kept: Mapping[str, str] = field(default_factory=dict)
    here: bool = False
    changed: bool = False
    problem: str = ""
    text: str = ""

    @property
    def unmarked(self) -> bool:
        """Whether the question has no question mark."""
        return not self.problem and not self.question.rstrip().endswith(("?", "？", "؟", ";"))


@dataclass(frozen=True)
class UploadCheck:
    """What a file is and what importing it would do; `check` is None where it was not read whole.

    `problem` says why the file as a whole cannot be imported, "" where it can.
    """

    found: RecognisedFile
    preview: Sequence[PreviewLine]
    check: FileCheck | None
    problem: str

    @property
    def size(self) -> str:
        """How many records the file has, in words; "" where it was not read whole."""
        if self.check is None:
            return ""
        one = self.check.total == 1
        return f"{self.check.total:,} {self.check.unit[:-1] if one else self.check.unit}"

    @property
    def unit(self) -> str:
        """The word for the records of the file, for people."""
        return self.found.reading.as_format().unit

    @property
    def records_read(self) -> int:
        """How many records were read: all of them, or the first where `check` is None."""
        return len(self.preview) if self.check is None else self.check.total

    @property
    def counts(self) -> dict[str, Any] | None:
        """The counts as jobs have them, without the problems."""
        if self.check is None:
            return None
        hidden = ("errors", "repeats", "filtered", "equals", "parts")
        counts = self.check.tally.as_json()
        return {key: value for key, value in counts.items() if key not in hidden}


def check_upload(
    project: Project,
    file: BinaryIO,
    found: RecognisedFile,
    split: str | None,
    finished: bool,
    rules: ImportRules = NO_RULES,
) -> UploadCheck:
    """Return what importing a recognised file would do.

    Raises WrongFormat, and Conflict where the file does not fit the project.
    """
    check = None
    file.seek(0, 2)
    if not found.problem and file.tell() <= CHECKED_BYTES:
        kind = found.reading.as_format()
        check = check_file(
            project=project,
            file=file,
            format=kind,
            split=split,
            finished=finished,
            rules=rules,
        )
    file.seek(0)
    return UploadCheck(found, preview_lines(project, found), check, found.problem)


def preview_lines(project: Project, found: RecognisedFile) -> list[PreviewLine]:
    """Return the first records with what the project has of them. One query."""
    here = find_here(project, found.records)
    lines = []
    for _, line, record in found.records:
        if isinstance(record, BadLine):
            lines.append(PreviewLine(line, problem=record.reason, text=record.text))
        elif isinstance(record, QuestionRecord):
            lines.append(_preview(line, record, here.get(record.external_id)))
    return lines


def _preview(line: int, record: QuestionRecord, known: Question | None) -> PreviewLine:
    return PreviewLine(
        line=line,
        id=record.external_id,
        question=record.text,
        answers=record.known_answers,
        split=record.split,
        kept={name: show_value(value) for name, value in record.context.items()},
        here=known is not None,
        changed=known is not None and known.text != record.text,
    )
