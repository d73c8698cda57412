"""Match the records of a file of answers with the questions of a project, and report what fits."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from annotation.imports.records import BadLine, LeftOut, WrongFormat
from annotation.models import Project, Question
from evaluation.systems import formats
from evaluation.systems.output_files import Content, GivenContent, OutputFile, OutputText

MOST_RECORDS = 100_000
NAMED = 10  # of each kind of mismatch
MOST_LINES = 1_000  # that are named
_BATCH = 500


@dataclass
class ProblemTally:
    """How many there are of something that is wrong, and the first few of them."""

    count: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, name: str) -> None:
        """Count one, and name it if it is one of the first."""
        self.count += 1
        if len(self.first) < NAMED:
            self.first.append(name)


@dataclass
class SystemImportReport:
    """What an import did, and what it could not match.

    lines: the first records of the file that were not taken, each with its line and the reason.

    unknown: ids of no question of the project; repeated: ids that the file has again, where the
    first one counts; empty: ids without a text; bad: records that cannot be read; missing: ids of
    questions without an answer, in the splits that the file is about.
    """

    created: int = 0
    changed: int = 0
    unchanged: int = 0
    unknown: ProblemTally = field(default_factory=ProblemTally)
    repeated: ProblemTally = field(default_factory=ProblemTally)
    empty: ProblemTally = field(default_factory=ProblemTally)
    bad: ProblemTally = field(default_factory=ProblemTally)
    missing: ProblemTally = field(default_factory=ProblemTally)
    lines: list[dict[str, Any]] = field(default_factory=list)

    @property
    def refused(self) -> int:
        """The number of records that were not taken."""
        return sum(kind.count for kind in (self.unknown, self.repeated, self.empty, self.bad))

    @property
    def taken(self) -> int:
        """The number of texts that were matched."""
        return self.created + self.changed + self.unchanged

    def name_refused(self, row: formats.OutputRecord, reason: str) -> None:
        """Name a record that was not taken, with its line, if it is one of the first."""
        if len(self.lines) < MOST_LINES:
            self.lines.append({"line": row.line, "reason": reason})

    def as_json(self) -> dict[str, Any]:
        """Return the counts, and of each kind of mismatch its count and first names."""
        return {name: value for name, value in asdict(self).items() if name != "lines"}


MISMATCHES: Mapping[str, str] = {
    "unknown": "not the id of a question in this project",
    "repeated": "twice in the file; the first answer counts",
    "empty": "no text",
    "bad": "cannot be read",
    "missing": "in the project, without an answer",
}


def list_mismatches(report: Mapping[str, Any]) -> list[tuple[str, int, list[str]]]:
    """Return the words, the count and the first names of every mismatch in a report as JSON."""
    return [
        (words, row["count"], row["first"])
        for kind, words in MISMATCHES.items()
        if (row := report.get(kind) or {"count": 0})["count"]
    ]


def match_records(
    project: Project,
    reads: Iterable[formats.OutputRecord],
    report: SystemImportReport,
    own: OutputFile | None,
    on_read: Callable[[int], None],
) -> dict[int, OutputText]:
    """Return the texts of the file by question; count and name in the report what has none."""
    texts: dict[int, OutputText] = {}
    given: dict[int, tuple[formats.OutputRecord, Content]] = {}
    seen: set[str] = set()
    number = 0
    for batch in _batches(iter(reads)):
        number += len(batch)
        if number > MOST_RECORDS:
            raise WrongFormat(f"The file has more than {MOST_RECORDS:,} records. Cut it in two.")
        ids = _questions(project, [row.id for row in batch])
        for row in batch:
            question = _fitting(row, ids, seen, report)
            if question is not None and isinstance(row.found, str):
                texts[question] = OutputText(row.found)
            elif question is not None and isinstance(row.found, GivenContent):
                given[question] = row, row.found.content
        on_read(number)
    if not number:
        raise WrongFormat("The file holds no records.")
    if own is not None and given:
        texts |= _rendered(own, given, report)
    if not texts:
        raise WrongFormat(_nothing(report, number))
    return texts


def _rendered(
    own: OutputFile,
    given: Mapping[int, tuple[formats.OutputRecord, Content]],
    report: SystemImportReport,
) -> dict[int, OutputText]:
    texts = {}
    for question, found in own.render({pk: content for pk, (_, content) in given.items()}).items():
        if isinstance(found, BadLine):
            _refuse(given[question][0], found, report)
        else:
            texts[question] = found
    return texts


def _fitting(
    row: formats.OutputRecord, ids: Mapping[str, int], seen: set[str], report: SystemImportReport
) -> int | None:
    if isinstance(row.found, BadLine):
        _refuse(row, row.found, report)
        return None
    kind = "unknown" if row.id not in ids else "repeated" if row.id in seen else ""
    if not kind:
        seen.add(row.id)
        if not isinstance(row.found, LeftOut):
            return ids[row.id]
        kind = "empty"
    named_kind: ProblemTally = getattr(report, kind)
    named_kind.add(row.id)
    report.name_refused(row, f"“{row.id[:60]}”: {MISMATCHES[kind]}.")
    return None


def _refuse(row: formats.OutputRecord, why: BadLine, report: SystemImportReport) -> None:
    """Count and name a record that cannot be read."""
    named = f"“{row.id[:60]}”" if row.id else f"Line {row.line:,}"
    report.bad.add(f"{named}: {why.reason}")
    report.name_refused(row, f"“{row.id[:60]}”: {why.reason}" if row.id else why.reason)


def _nothing(report: SystemImportReport, number: int) -> str:
    """Return the sentence for a file of which nothing can be taken."""
    records = "Its only record" if number == 1 else f"None of its {number:,} records"
    be = "cannot" if number == 1 else "can"
    for kind in ("bad", "unknown", "empty"):
        named: ProblemTally = getattr(report, kind)
        if named.count:
            why = named.first[0] if kind == "bad" else f"“{named.first[0]}”: {MISMATCHES[kind]}"
            return f"{records} {be} be imported. {why.removesuffix('.')}."
    return f"{records} {be} be imported."


def _batches(reads: Iterator[formats.OutputRecord]) -> Iterator[list[formats.OutputRecord]]:
    while batch := list(islice(reads, _BATCH)):
        yield batch


def _questions(project: Project, ids: Iterable[str]) -> dict[str, int]:
    wanted = [key for key in ids if key and len(key) <= 200]
    rows = Question.objects.filter(project=project, external_id__in=wanted)
    return dict(rows.values_list("external_id", "pk"))
