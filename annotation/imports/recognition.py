"""What a file is for a project: the format it takes, or the columns as they were mapped last."""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import orjson

from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.refusals import Conflict
from annotation.imports.adapters import adapter_of, check_format, stands_for
from annotation.imports.columns import (
    ANSWERS,
    ColumnMapping,
    FileColumn,
    describe_columns,
    mapping_from_json,
)
from annotation.imports.detection import (
    MAPPED,
    Detection,
    FileReading,
    detect_file,
    trace_fields,
)
from annotation.imports.formats import QuestionRecord, ReadRecord, all_formats
from annotation.imports.models import RememberedColumns

DEFAULT_SPLIT = "dev"


@dataclass(frozen=True)
class RecognisedFile:
    """A file as it can be imported into a project; `problem` says why it cannot, "" where it can.

    `remembered`: its columns are mapped as they were before. `records`: the first five.
    """

    detection: Detection
    reading: FileReading
    problem: str
    remembered: bool
    records: Sequence[ReadRecord]

    @property
    def is_mapped(self) -> bool:
        """Whether the columns of the file are mapped."""
        return self.reading.format == MAPPED

    @property
    def columns(self) -> tuple[FileColumn, ...]:
        """The columns of a file that is mapped, with what becomes of them."""
        if self.reading.mapping is None:
            return ()
        detection = self.detection
        return describe_columns(detection.names, detection.sample, self.reading.mapping)

    def list_fields(self) -> list[tuple[str, str]]:
        """Return what becomes of each field, as far as the first records show: name and use."""
        if self.is_mapped:
            return [(column.name, column.proposed) for column in self.columns]
        fields: dict[str, str] = {}
        for record, read in zip(self.detection.sample, self.records, strict=False):
            if isinstance(read.found, QuestionRecord):
                fields = dict(trace_fields(record, read.found)) | fields
        return list(fields.items())

    def has_made_ids(self) -> bool:
        """Whether the ids are made from the questions."""
        found = [read.found for read in self.records if isinstance(read.found, QuestionRecord)]
        return any(each.external_id.startswith(("q-", "nq-open-")) for each in found)

    def names_split(self) -> bool:
        """Whether all of the first records name their split."""
        found = [read.found for read in self.records if isinstance(read.found, QuestionRecord)]
        return bool(found) and all(each.split for each in found)


def recognise_file(
    project: Project,
    file: BinaryIO,
    *,
    format: str = "",
    changes: Mapping[str, Any] | None = None,
    strict: bool = True,
) -> RecognisedFile:
    """Recognise a file for a project.

    `format`: a key of FORMATS, or "mapped", in place of the one that the file shows. `changes`:
    what is to be changed in the mapping, with its keys. With `strict` Conflict is raised, else
    `problem` has the sentence. Raises WrongFormat, and ValueError for a mapping of no use.
    """
    detection = detect_file(file)
    reading, remembered = _choose(project, detection, format)
    if changes and reading.mapping is not None:
        reading = replace(reading, mapping=_change(reading.mapping, changes, detection.names))
    problem = ""
    try:
        kind = reading.as_format()
        check_format(project, kind)
        if reading.mapping is not None:
            reading.mapping.check_uses()
    except (Conflict, ValueError) as refusal:
        if strict:
            raise
        problem = str(refusal)
    records = detection.preview_records(reading) if not problem else []
    return RecognisedFile(detection, reading, problem, remembered, records)


def _choose(project: Project, detection: Detection, format: str) -> tuple[FileReading, bool]:
    """Return how the file is read, and whether the project remembers its columns."""
    known, mapped = detection.known, detection.mapped
    taken = adapter_of(project).formats_for(project)
    if format and format != MAPPED:
        kind = all_formats()[format]
        encoding = (known or mapped or FileReading("", "")).encoding
        return FileReading(kind.key, kind.label, encoding), False
    if known is not None and (mapped is None or (not format and known.format in taken)):
        return known, False
    assert mapped is not None
    if known is not None and stands_for(mapped.as_format()) not in taken:
        return known, False  # neither fits, and this says which project takes it
    remembered = RememberedColumns.objects.filter(
        project=project, columns=digest_columns(detection.names)
    ).first()
    if remembered is None:
        return mapped, False
    mapping = mapping_from_json(remembered.mapping)
    return replace(mapped, mapping=mapping), True


def _change(
    mapping: ColumnMapping, changes: Mapping[str, Any], names: Sequence[str]
) -> ColumnMapping:
    uses = dict(changes.get("uses", {}))
    if unknown := next((name for name in uses if name not in names), None):
        there = ", ".join(f"“{name}”" for name in names[:20])
        raise ValueError(f"The file has no column “{unknown}”. It has {there}.")
    freed = set(uses.values()) - {ANSWERS, "keep", "leave"}
    before = {name: "keep" if use in freed else use for name, use in mapping.uses.items()}
    return ColumnMapping(
        uses=before | uses,
        separator=changes.get("separator", mapping.separator),
        splits={**mapping.splits, **changes.get("splits", {})},
    )


def digest_columns(names: Sequence[str]) -> str:
    """Return what stands for a set of columns."""
    return hashlib.sha256(orjson.dumps(sorted(names))).hexdigest()


def remember_columns(
    project: Project, names: Sequence[str], mapping: ColumnMapping, *, now: dt.datetime
) -> None:
    """Keep what the columns become, for the next file of the project with the same ones."""
    RememberedColumns.objects.update_or_create(
        project=project,
        columns=digest_columns(names),
        defaults={"mapping": mapping.as_json(), "remembered_at": now},
    )


def find_here(project: Project, records: Sequence[ReadRecord]) -> dict[str, Question]:
    """Return the questions of a project that these records name, by their ids. One query."""
    ids = [read.found.external_id for read in records if isinstance(read.found, QuestionRecord)]
    found = Question.objects.filter(project=project, external_id__in=ids)
    return {question.external_id: question for question in found}
