"""Bring in what systems answered: from files, or what people wrote in the project."""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from django.db import transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.imports.records import BadLine, LeftOut, WrongFormat
from annotation.models import LongAnswer, Project, Question, Split
from annotation.text.cleaning import ResponseError, line_of
from evaluation.systems import formats, policies, stored_scores
from evaluation.systems.models import Output, System

MOST_BYTES = 100 * 1024 * 1024
MOST_RECORDS = 100_000
NAMED = 10  # of each kind of mismatch
MOST_LINES = 1_000  # that are named
_BATCH = 500
ANY = "any"


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


class _OutputText(NamedTuple):
    text: str
    author: int | None = None


def import_outputs(
    *,
    project: Project,
    file: BinaryIO,
    name: str,
    version: str = "",
    kind: str = System.Kind.MODEL,
    options: Mapping[str, Any] | None = None,
    annotation: int = 0,
    by: User | None,
    now: dt.datetime,
    on_read: Callable[[int], None] = lambda number: None,
    on_store: Callable[[System, SystemImportReport], None] = lambda system, report: None,
) -> tuple[System, SystemImportReport]:
    """Import a file of answers into the system with this name and version, which is made if needed.

    Answers are matched by the external id of their question. annotation: which annotation of an
    ASQA file holds them, from 1; 0: the file holds a system's answers. What cannot be matched is in
    the report. Staff only (`by=None`: a command on the server). Raises WrongFormat if the file as a
    whole cannot be read or nothing in it matches, Conflict where it changes texts that people
    judge; neither changes anything. `on_read` is called with how many records were read,
    `on_store` in the transaction that stores everything.
    """
    if by is not None:
        policies.check_can_import_outputs(by, project)
    check_size(file)
    reads = formats.read_annotations(file, annotation) if annotation else formats.read_records(file)
    report = SystemImportReport()
    texts = _matched(project, reads, report, on_read)
    with transaction.atomic():
        system = system_of(project, name, version, kind, options, by, now)
        _write(system, texts, report, by=by, now=now)
        on_store(system, report)
    return system, report


def check_size(file: BinaryIO) -> None:
    """Raise WrongFormat for a file that is too large."""
    size = file.seek(0, 2)
    if size > MOST_BYTES:
        raise WrongFormat(
            f"The file has {size / 1024**2:,.0f} MB. The maximum is {MOST_BYTES // 1024**2} MB."
        )


@transaction.atomic
def from_long_answers(
    *,
    project: Project,
    name: str,
    version: str = "",
    inputs: str = ANY,
    nth: int = 1,
    by: User | None,
    now: dt.datetime,
) -> tuple[System, SystemImportReport]:
    """Make a human reference of the project's own long answers, each with its author.

    One for each question, the `nth` in the order of writing, of those that count: submitted and
    used, or imported as accepted. inputs: only those whose writers were given this ("full" or
    "question"; "any": all). Raises Conflict where there is none, and as `import_outputs` does.
    """
    if by is not None:
        policies.check_can_import_outputs(by, project)
    texts: dict[int, _OutputText] = {}
    seen: dict[int, int] = {}
    for question, text, author in _long_answers(project, inputs):
        seen[question] = seen.get(question, 0) + 1
        if seen[question] == nth:
            texts[question] = _OutputText(text, author)
    if not texts:
        such = "such a long answer" if nth == 1 else f"{nth} such long answers"
        raise Conflict(f"No question of this project has {such} yet.")
    options = {"source": "long answers", "inputs": inputs, "number": nth}
    system = system_of(project, name, version, System.Kind.HUMAN, options, by, now)
    return _write(system, texts, SystemImportReport(), by=by, now=now)


def splits_of(system: System) -> list[str]:
    """Return the splits of the questions that a system has answered."""
    rows = Question.objects.filter(outputs__system=system).order_by()
    used = set(rows.values_list("split", flat=True).distinct())
    return [split for split in Split.values if split in used]


def has_long_answers(project: Project) -> bool:
    """Return whether `from_long_answers` would find one."""
    return bool(_long_answers(project, ANY)[:1])


def _long_answers(project: Project, inputs: str) -> Any:
    rows = LongAnswer.objects.filter(question__project=project)
    rows = rows.exclude(question__state=Question.State.EXCLUDED)
    counts = rows.filter(assignment__state="submitted", assignment__used=True)
    if inputs != ANY:
        counts = counts.filter(assignment__inputs=inputs)
    imported = rows.filter(assignment__isnull=True) if inputs != "question" else rows.none()
    return (counts | imported).order_by("question", "pk").values_list("question", "text", "author")


@transaction.atomic
def delete_system(*, system: System, by: User, now: dt.datetime) -> None:
    """Delete a system that no study uses, with its texts. Staff only."""
    check_can_manage(by, system.project)
    locked = System.objects.select_for_update().select_related(None).get(pk=system.pk)
    policies.check_can_delete(locked)
    texts = locked.outputs.count()
    audit.record_action(
        "system_deleted", locked, by=by, now=now, project=system.project, system=str(locked),
        texts=texts,
    )  # fmt: skip
    stored_scores.delete_stored_scores(locked)
    locked.delete()


# --- matching and writing --------------------------------------------------------------------


def _matched(
    project: Project,
    reads: Iterable[formats.OutputRecord],
    report: SystemImportReport,
    on_read: Callable[[int], None],
) -> dict[int, _OutputText]:
    """Return the texts of the file by question; count and name in the report what has none."""
    texts: dict[int, _OutputText] = {}
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
                texts[question] = _OutputText(row.found)
        on_read(number)
    if not number:
        raise WrongFormat("The file holds no records.")
    if not texts:
        raise WrongFormat(_nothing(report, number))
    return texts


def _fitting(
    row: formats.OutputRecord, ids: Mapping[str, int], seen: set[str], report: SystemImportReport
) -> int | None:
    if isinstance(row.found, BadLine):
        named = f"“{row.id[:60]}”" if row.id else f"Line {row.line:,}"
        report.bad.add(f"{named}: {row.found.reason}")
        report.name_refused(
            row, f"“{row.id[:60]}”: {row.found.reason}" if row.id else row.found.reason
        )
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


def system_of(
    project: Project,
    name: str,
    version: str,
    kind: str,
    options: Mapping[str, Any] | None,
    by: User | None,
    now: dt.datetime,
) -> System:
    """Return the system, locked, with these settings; it is made if it does not exist.

    A study that starts locks its systems, too: no text changes once people see it.
    """
    name, version = clean_name_and_version(name, version)
    row = System(
        project=project,
        name=name,
        version=version,
        kind=kind,
        options=options or {},
        created_by=by,
        created_at=now,
    )
    System.objects.bulk_create([row], ignore_conflicts=True)
    system = System.objects.select_for_update().get(project=project, name=name, version=version)
    if any(str(other) == str(row) for other in project.systems.exclude(pk=system.pk)):
        raise Conflict(f"There is a system “{row}” already, whose version begins elsewhere.")
    system.kind, system.options = kind, system.options if options is None else dict(options)
    system.save(update_fields=["kind", "options"])
    return system


def clean_name_and_version(name: str, version: str) -> tuple[str, str]:
    """Return the name and the version of a system, on one line each. Raises Conflict."""
    name, version = one_line(name, 80, "name"), one_line(version, 40, "version")
    if not name:
        raise Conflict("Give the system a name.")
    return name, version


def one_line(value: str, most: int, what: str) -> str:
    """Return a name or a title on one line. Raises Conflict if it is too long."""
    try:
        return line_of(value, most, f"The {what}")
    except ResponseError as error:
        raise Conflict(str(error)) from None


def _write(
    system: System,
    texts: Mapping[int, _OutputText],
    report: SystemImportReport,
    *,
    by: User | None,
    now: dt.datetime,
) -> tuple[System, SystemImportReport]:
    before = {
        question: _OutputText(text, author)
        for question, text, author in system.outputs.values_list("question", "text", "author")
    }
    new = {question: text for question, text in texts.items() if before.get(question) != text}
    report.changed = len(new.keys() & before.keys())
    report.created = len(new) - report.changed
    report.unchanged = len(texts) - len(new)
    if report.changed:
        policies.check_texts_may_change(system, report.changed)
    Output.objects.bulk_create(
        [
            Output(system=system, question_id=question, text=row.text, author_id=row.author)
            for question, row in new.items()
        ],
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["system", "question"],
        update_fields=["text", "author"],
    )
    _name_missing(system, report)
    audit.record_action(
        "outputs_imported",
        system,
        by=by,
        now=now,
        project=system.project_id,
        system=str(system),
        **report.as_json(),
    )
    return system, report


def _name_missing(system: System, report: SystemImportReport) -> None:
    answered = system.outputs.values("question")
    splits = Question.objects.filter(pk__in=answered).order_by().values("split").distinct()
    missing = Question.objects.filter(project=system.project_id, split__in=splits)
    missing = missing.exclude(pk__in=answered).exclude(state=Question.State.EXCLUDED)
    report.missing.count = missing.count()
    ids = missing.order_by("created_at", "pk").values_list("external_id", flat=True)
    report.missing.first = list(ids[:NAMED])
