"""Bring questions into a project: idempotent, in batches, resumable, with every bad line named."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, BinaryIO

from django.core.files.base import File
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q

from accounts.models import User
from annotation import formats
from annotation.formats import BadLine, QuestionRecord, Read, WrongFormat
from annotation.models import Assignment, AuditEntry, Job, Project, Question
from annotation.policies import Conflict
from annotation.policies.data import check_can_import
from annotation.services import audit, jobs, seen
from annotation.services.tasks import open_tasks

JOB_KIND = "import"
BATCH = 500
MAX_ERRORS = 1_000
_LOCK = 0x616D_6269  # any number; names our advisory lock beside the project's id


@dataclass
class Tally:
    """What an import did. `errors` holds the first 1,000; `rejected` counts them all."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    rejected: int = 0
    errors: list[dict[str, object]] = field(default_factory=list)

    def reject(self, line: int, reason: str) -> None:
        """Count a line that was not taken, and why."""
        self.rejected += 1
        if len(self.errors) < MAX_ERRORS:
            self.errors.append({"line": line, "reason": reason})

    def as_json(self) -> dict[str, Any]:
        """Return the keys that commands, jobs and the API show."""
        return asdict(self)


class BrokenFile(Exception):
    """With `strict`: lines cannot be taken, so nothing was. `tally` names them."""

    def __init__(self, tally: Tally, total: int, unit: str) -> None:
        self.tally = tally
        super().__init__(
            f"{tally.rejected:,} of {total:,} {unit} cannot be taken, so nothing was imported."
        )


def import_questions(
    *,
    project: Project,
    file: BinaryIO,
    format: str,
    split: str | None,
    by: User | None,
    now: dt.datetime,
    strict: bool = False,
    start_at: int = 0,
    tally: Tally | None = None,
    on_save: Callable[[int, Tally], None] = lambda number, tally: None,
    on_step: Callable[[], None] = lambda: None,
) -> Tally:
    """Import every record of a seekable binary file, 500 in a transaction.

    A question is known by its external id: what is already there is unchanged, or updated where
    the file says something else about it; fields that the file leaves out stay. A question keeps
    its split, and its text once somebody works on it: such records are rejected and named.
    Records that name a split keep it, all others go into `split`. With `strict` the whole file
    is checked before anything is written, and BrokenFile raised when a single record is not
    taken. `start_at` records (with their `tally`) were imported before. `on_save` is called in
    the transaction of each batch, `on_step` between batches. Raises WrongFormat.
    """
    if by is not None:
        check_can_import(by, project)
    if strict and not start_at:
        _check_all(project, file, format, split, on_step)
    tally = tally or Tally()
    with seen.table():
        for batch in _batches(formats.read(file, format)):
            on_step()
            if batch[-1].number <= start_at:
                seen.remember(batch)
                continue
            with transaction.atomic():
                _import_batch(project, batch, split, start_at, tally, by, now)
                on_save(batch[-1].number, tally)
    return tally


def _check_all(
    project: Project, file: BinaryIO, format: str, split: str | None, on_step: Callable[[], None]
) -> None:
    tally, total = Tally(), 0
    with seen.table():
        for batch in _batches(formats.read(file, format)):
            on_step()
            _sort_batch(project, batch, split, 0, tally)
            total = batch[-1].number
    if tally.rejected:
        broken = Tally(rejected=tally.rejected, errors=tally.errors)
        raise BrokenFile(broken, total, formats.FORMATS[format].unit)


def _batches(reads: Iterator[Read]) -> Iterator[list[Read]]:
    while batch := list(islice(reads, BATCH)):
        yield batch


def _import_batch(
    project: Project,
    batch: Sequence[Read],
    split: str | None,
    start_at: int,
    tally: Tally,
    by: User | None,
    now: dt.datetime,
) -> None:
    with connection.cursor() as cursor:
        # Two imports into one project take turns, batch by batch. Policies are locked before
        # questions, as everywhere (annotation.services.seats).
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, project.pk])
        cursor.execute(
            "SELECT 1 FROM annotation_stagepolicy WHERE project_id = %s ORDER BY id FOR SHARE",
            [project.pk],
        )
    new, changed = _sort_batch(project, batch, split, start_at, tally, lock=True)
    for question in new:
        question.created_at = now
    Question.objects.bulk_create(new)
    _update(project, changed, by, now)
    open_tasks(question_ids=[question.pk for question in new], now=now)


def _update(
    project: Project, changed: Sequence[tuple[Question, str]], by: User | None, now: dt.datetime
) -> None:
    Question.objects.bulk_create(
        [
            Question(
                project=project,
                external_id=question.external_id,
                text=question.text,
                split=question.split,
                known_answers=question.known_answers,
                context=question.context,
                created_at=question.created_at,
            )
            for question, _ in changed
        ],
        update_conflicts=True,
        unique_fields=["project", "external_id"],
        update_fields=["text", "known_answers", "context"],
    )
    AuditEntry.objects.bulk_create(
        AuditEntry(
            at=now,
            actor=by.pk if by else None,
            project=project.pk,
            action="question_text_changed",
            target=f"question:{question.pk}",
            data={"before": before, "after": question.text},
        )
        for question, before in changed
        if before != question.text
    )


def _sort_batch(
    project: Project,
    batch: Sequence[Read],
    split: str | None,
    start_at: int,
    tally: Tally,
    *,
    lock: bool = False,
) -> tuple[list[Question], list[tuple[Question, str]]]:
    """Count and name what is unchanged and rejected; return (new, [(changed, text before)])."""
    earlier = seen.remember(batch)
    there = _existing(project, batch, lock)
    new: list[Question] = []
    changed: list[tuple[Question, str]] = []
    for number, line, record in batch:
        if number <= start_at:
            continue
        if isinstance(record, BadLine):
            tally.reject(line, record.reason)
            continue
        into, known = record.split or split, there.get(record.external_id)
        first = earlier.get(number)
        if first is not None:
            if first.same:
                tally.unchanged += 1
            else:
                tally.reject(line, _repeated(record, first.line))
        elif into is None:
            tally.reject(line, "The record names no split, and none was chosen for the import.")
        elif known is None:
            new.append(_new(project, record, into))
            tally.created += 1
        elif problem := _conflict(known, record, into):
            tally.reject(line, problem)
        elif before := _take_over(known, record):
            changed.append((known, before))
            tally.updated += 1
        else:
            tally.unchanged += 1
    return new, changed


def _existing(project: Project, batch: Sequence[Read], lock: bool) -> dict[str, Question]:
    """Return the questions of the project that the batch speaks of, with `worked_on`."""
    ids = [item.found.external_id for item in batch if isinstance(item.found, QuestionRecord)]
    # A lease that ended is no end of the work: its answer is accepted late.
    taken = Assignment.objects.filter(task__question=OuterRef("pk")).filter(
        Q(state__in=["active", "parked", "submitted"])
        | Q(state="expired", draft_saved_at__isnull=False)
    )
    questions = (
        Question.objects.filter(project=project, external_id__in=ids)
        .annotate(worked_on=Exists(taken))
        .order_by("pk")
    )
    if lock:
        # A submission locks its question too, so none comes in before this batch is written.
        questions = questions.select_for_update(of=("self",), no_key=True)
    return {question.external_id: question for question in questions}


def _new(project: Project, record: QuestionRecord, split: str) -> Question:
    return Question(
        project=project,
        external_id=record.external_id,
        text=record.text,
        split=split,
        known_answers=list(record.known_answers),
        context=record.context,
    )


def _conflict(known: Question, record: QuestionRecord, split: str) -> str:
    """Say why this record cannot be taken over the question that is there, or ""."""
    if known.split != split:
        return (
            f"The id “{record.external_id}” is already in split {known.split}. "
            "A question stays in its split."
        )
    if known.text != record.text and getattr(known, "worked_on", False):
        return (
            f"The id “{record.external_id}” is already used by “{_short(known.text)}”, "
            "which somebody works on. Its text stays."
        )
    return ""


def _take_over(known: Question, record: QuestionRecord) -> str:
    """Put what the record says into the question; return its text before, "" if all is equal."""
    answers = list(record.known_answers) or known.known_answers
    context = {**known.context, **record.context}
    before = known.text
    if (before, known.known_answers, known.context) == (record.text, answers, context):
        return ""
    known.text, known.known_answers, known.context = record.text, answers, context
    return before


def _repeated(record: QuestionRecord, line: int) -> str:
    return (
        f"The id “{record.external_id}” was on line {line} already, with something else. "
        "The first one counts."
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}…"


# --- as a job ------------------------------------------------------------------------------


@transaction.atomic
def start_import(
    *,
    project: Project,
    file: "File[bytes]",
    file_name: str,
    format: str,
    split: str | None,
    strict: bool,
    by: User,
    now: dt.datetime,
) -> Job:
    """Keep the uploaded file and make the job that imports it."""
    check_can_import(by, project)
    return jobs.create(
        project=project,
        kind=JOB_KIND,
        options={"format": format, "split": split, "strict": strict},
        file=file,
        file_name=file_name,
        unit=formats.FORMATS[format].unit,
        by=by,
        now=now,
    )


@transaction.atomic
def import_the_rest(*, job: Job, by: User, now: dt.datetime) -> Job:
    """Import what can be taken of a file that a strict import refused: a new job, the same file."""
    job = Job.objects.select_for_update(of=("self",)).select_related("project").get(pk=job.pk)
    check_can_import(by, job.project)
    if job.kind != JOB_KIND or job.state != Job.State.FAILED or not job.file:
        raise Conflict("The uploaded file is no longer here. Choose it again.")
    name = str(job.file.name)
    Job.objects.filter(pk=job.pk).update(file="")
    return jobs.create(
        project=job.project,
        kind=JOB_KIND,
        options={**job.options, "strict": False},
        file=name,
        file_name=job.file_name,
        unit=job.unit,
        by=by,
        now=now,
    )


def run_job(work: jobs.Running) -> None:
    """Do an import job, from where it was left. Progress is saved with each batch."""
    job, options = work.job, work.job.options
    try:
        opened = job.file.open("rb")
    except (FileNotFoundError, ValueError):
        raise jobs.JobProblem("The uploaded file is no longer here. Upload it again.") from None
    tally = Tally(**job.result) if job.result else Tally()
    with opened as stored:
        file: BinaryIO = stored.file
        try:
            if job.total is None:
                work.save(total=formats.count(file, options["format"]))
            import_questions(
                project=job.project,
                file=file,
                format=options["format"],
                split=options["split"],
                strict=options["strict"],
                by=None,  # it was checked when the job was made
                now=job.started_at or work.clock(),
                start_at=job.done,
                tally=tally,
                on_save=lambda number, tally: work.save(done=number, result=tally.as_json()),
                on_step=work.beat,
            )
        except WrongFormat as error:
            raise jobs.JobProblem(f"{error} Nothing was imported.") from None
        except BrokenFile as error:
            work.save(result=error.tally.as_json())
            raise jobs.JobProblem(str(error), keep_file=True) from None


jobs.register(JOB_KIND, run_job)


def record_import(*, project: Project, tally: Tally, by: User | None, now: dt.datetime) -> None:
    """Write the audit row of an import that had no job (the command)."""
    counts = {key: value for key, value in tally.as_json().items() if key != "errors"}
    audit.record("questions_imported", project, by=by, now=now, project=project, **counts)
