"""Bring questions into a project: idempotent, in batches, resumable, with every bad line named."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

from django.core.files.base import File
from django.db import connection, transaction

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core import audit
from annotation.core.models.audit import AuditEntry
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.refusals import Conflict
from annotation.imports import formats, seen_ids
from annotation.imports.adapters import adapter_of, check_closed, check_format
from annotation.imports.batches import read_batches
from annotation.imports.detection import FileReading, reading_from_json
from annotation.imports.formats import Format, ReadRecord, WrongFormat
from annotation.imports.import_rules import NO_RULES, ImportRules, rules_from_json
from annotation.imports.sorting import ImportCounts, Target, sort_batch
from annotation.imports.statements import LOCK_POLICIES, WAIT_FOR_TURN
from annotation.jobs import services as jobs_services
from annotation.work.tasks import accept_untouched, open_following, open_tasks
from wikipedia.providers.base import ProviderUnavailable

JOB_KIND = "import"
BATCH = 500
TRY_LATER = "What was imported before stays. Import the file again to continue."
_LOCK = 0x616D_6269  # any number; with the project's id it names our advisory lock


class BrokenFile(Exception):
    """Raised with `strict`: some lines cannot be taken, so nothing was; `tally` names them."""

    def __init__(self, tally: ImportCounts, total: int, unit: str) -> None:
        self.tally = tally
        super().__init__(
            f"{tally.rejected:,} of {total:,} {unit} were rejected, so nothing was imported."
        )


def import_questions(
    *,
    project: Project,
    file: BinaryIO,
    format: str | Format,
    split: str | None,
    by: User | None,
    now: dt.datetime,
    strict: bool = False,
    finished: bool = False,
    closed: bool = False,
    rules: ImportRules = NO_RULES,
    job: Job | None = None,
    start_at: int = 0,
    tally: ImportCounts | None = None,
    on_save: Callable[[int, ImportCounts], None] = lambda number, tally: None,
    on_step: Callable[[], None] = lambda: None,
) -> ImportCounts:
    """Import every record of a seekable binary file, 500 in a transaction.

    A question is identified by its external id: one that exists is unchanged, or updated where
    the file differs; fields that the file leaves out stay. A question keeps its split, and its
    text once someone works on it: records that would change these are rejected and named.
    Records that name a split keep it, all others go into `split`. With `strict` the whole file
    is checked before anything is written, and BrokenFile raised if any record cannot be
    taken. `start_at` records (with their `tally`) were imported before. `on_save` is called in
    the transaction of each batch, `on_step` between batches. New questions remember the `job`
    that brought them. Raises WrongFormat.

    With `finished` the annotations of the file are imported as accepted work and the questions are
    not handed out; Conflict where this format or the project's protocol has none, and where the
    format does not fit the protocol at all. With `closed` new questions are handed out once they
    are opened (`annotation.imports.opening`). `rules` say which questions are taken (N1), and
    whether splits are drawn for records that name none (N25).
    """
    if by is not None:
        check_can_import(by, project)
    kind = formats.get_format(format)
    check_closed(project, closed=closed, finished=finished)
    target = replace(_target(project, kind, split, finished, rules), closed=closed)
    if strict and not start_at:
        _refuse_broken(target, file, kind, on_step)
    tally = tally or ImportCounts()
    tally.begin_counts(target.adapter.zero_counts(kind.key), rules)
    with seen_ids.temporary_tables(project):
        for batch in read_batches(target, file, kind, on_step, BATCH, after=start_at):
            on_step()
            if batch[-1].number <= start_at:
                seen_ids.remember_records(batch)
                if target.once_a_text:
                    seen_ids.remember_texts(batch)
                continue
            with transaction.atomic():
                _import_batch(target, batch, start_at, tally, by, now, job)
                on_save(batch[-1].number, tally)
    return tally


@dataclass(frozen=True)
class FileCheck:
    """What importing a file would do. `splits`: the new questions of each split."""

    tally: ImportCounts
    total: int
    unit: str
    splits: Mapping[str, int]


def check_file(
    *,
    project: Project,
    file: BinaryIO,
    format: str | Format,
    split: str | None,
    finished: bool = False,
    rules: ImportRules = NO_RULES,
    on_step: Callable[[], None] = lambda: None,
) -> FileCheck:
    """Read a whole file and return what importing it would do. Nothing is changed.

    Raises WrongFormat, and Conflict where the format does not fit the project.
    """
    kind = formats.get_format(format)
    return _check_records(_target(project, kind, split, finished, rules), file, kind, on_step)


def _target(
    project: Project, kind: Format, split: str | None, finished: bool, rules: ImportRules
) -> Target:
    check_format(project, kind, finished=finished)
    adapter = adapter_of(project)
    return Target(
        project=project,
        split=split,
        adapter=adapter,
        finished=finished,
        unfit=adapter.problems_of(project),
        named=kind.unit == "records",
        once_a_text=kind.once_a_text,
        rules=rules,
    )


def _check_records(
    target: Target, file: BinaryIO, kind: Format, on_step: Callable[[], None]
) -> FileCheck:
    tally = ImportCounts(shows_text=True)
    tally.begin_counts(target.adapter.zero_counts(kind.key), target.rules)
    total, splits = 0, Counter[str]()
    with seen_ids.temporary_tables(target.project):
        for batch in read_batches(target, file, kind, on_step, BATCH):
            on_step()
            found = sort_batch(target, batch, 0, tally)
            splits.update(question.split for question in found.new)
            total = batch[-1].number
    return FileCheck(tally, total, kind.unit, splits)


def _refuse_broken(
    target: Target, file: BinaryIO, kind: Format, on_step: Callable[[], None]
) -> None:
    check = _check_records(target, file, kind, on_step)
    if check.tally.rejected:
        broken = ImportCounts(
            rejected=check.tally.rejected,
            left_out=target.adapter.zero_counts(kind.key),
            errors=[{"line": e["line"], "reason": e["reason"]} for e in check.tally.errors],
        )
        raise BrokenFile(broken, check.total, kind.unit)


def _import_batch(
    target: Target,
    batch: Sequence[ReadRecord],
    start_at: int,
    tally: ImportCounts,
    by: User | None,
    now: dt.datetime,
    job: Job | None,
) -> None:
    take_turn(target.project)
    found = sort_batch(target, batch, start_at, tally, lock=True)
    for question in found.new:
        question.created_at, question.job = now, job
    Question.objects.bulk_create(found.new)
    target.adapter.clean_up_replaced(question for question, _ in found.changed)
    _update(target.project, found.changed, by, now)
    target.adapter.store_attachments(found.taken)
    if not (target.finished or target.closed):
        open_tasks(question_ids=[question.pk for question in found.new], now=now)
    elif found.finished:
        came_before = [q.pk for q, _ in found.finished if q.state != Question.State.ACCEPTED]
        accept_untouched(question_ids=came_before, project=target.project, by=by, now=now)
        target.adapter.write_finished(found.finished, by=by, now=now)
        accepted = {q.pk: (q.state, Question.State.ACCEPTED.value) for q, _ in found.finished}
        open_following(changed=accepted, protocol=target.project.protocol, now=now)


def take_turn(project: Project) -> None:
    """Make other imports into the project wait until this transaction ends.

    Its policies are locked before any question, as everywhere (annotation.work.seats).
    """
    with connection.cursor() as cursor:
        cursor.execute(WAIT_FOR_TURN, [_LOCK, project.pk])
        cursor.execute(LOCK_POLICIES, [project.pk])


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


# --- as a job ------------------------------------------------------------------------------


@transaction.atomic
def start_import(
    *,
    project: Project,
    file: "File[bytes] | str",
    file_name: str,
    format: str | FileReading,
    split: str | None,
    strict: bool,
    finished: bool = False,
    closed: bool = False,
    rules: ImportRules = NO_RULES,
    by: User,
    now: dt.datetime,
) -> Job:
    """Store the uploaded file and make the job that imports it.

    `file`: an upload, or the name of one that is stored.
    """
    check_can_import(by, project)
    options = _options_of(format)
    kind = _format_of(options)
    check_closed(project, closed=closed, finished=finished)
    check_format(project, kind, finished=finished)
    choices: dict[str, Any] = {"split": split, "strict": strict, "finished": finished}
    choices |= {"closed": True} if closed else {}
    choices |= {"rules": rules.as_json()} if rules != NO_RULES else {}
    return jobs_services.create_job(
        project=project,
        kind=JOB_KIND,
        options=options | choices,
        file=file,
        file_name=file_name,
        unit=kind.unit,
        by=by,
        now=now,
    )


def _options_of(format: str | FileReading) -> dict[str, Any]:
    if isinstance(format, str):
        return {"format": format}
    return {"format": format.format, "reading": format.as_json()}


def _format_of(options: Mapping[str, Any]) -> Format:
    """Return the format that the options of a job name or describe."""
    if reading := options.get("reading"):
        return reading_from_json(reading).as_format()
    return formats.all_formats()[options["format"]]


@transaction.atomic
def import_the_rest(*, job: Job, by: User, now: dt.datetime) -> Job:
    """Import the valid records of a file that a strict import refused: a new job, the same file."""
    job = Job.objects.select_for_update(of=("self",)).select_related("project").get(pk=job.pk)
    check_can_import(by, job.project)
    if job.kind != JOB_KIND or job.state != Job.State.FAILED or not job.file:
        raise Conflict("The uploaded file is no longer here. Choose it again.")
    name = str(job.file.name)
    Job.objects.filter(pk=job.pk).update(file="")
    return jobs_services.create_job(
        project=job.project,
        kind=JOB_KIND,
        options={**job.options, "strict": False},
        file=name,
        file_name=job.file_name,
        unit=job.unit,
        by=by,
        now=now,
    )


def run_job(work: jobs_services.RunningJob) -> None:
    """Run an import job from where it stopped. Progress is saved with each batch."""
    job, options = work.job, work.job.options
    try:
        with jobs_services.keep_heartbeat(
            work
        ):  # a file of another host's may take a while to come
            opened = job.file.open("rb")
    except (FileNotFoundError, ValueError):
        raise jobs_services.JobProblem(
            "The uploaded file is no longer here. Upload it again."
        ) from None
    tally = ImportCounts(**job.result) if job.result else ImportCounts()
    kind = _format_of(options)
    with opened as stored:
        file: BinaryIO = stored.file
        try:
            if job.total is None:
                with jobs_services.keep_heartbeat(work):
                    total = formats.count_records(file, kind, work.write_heartbeat)
                work.save(total=total)
            import_questions(
                project=job.project,
                file=file,
                format=kind,
                split=options["split"],
                strict=options["strict"],
                finished=options.get("finished", False),
                closed=options.get("closed", False),
                rules=rules_from_json(options.get("rules", {})),
                job=job,
                by=None,  # it was checked when the job was made
                now=job.started_at or work.clock(),
                start_at=job.done,
                tally=tally,
                on_save=lambda number, tally: work.save(done=number, result=tally.as_json()),
                on_step=work.write_heartbeat,
            )
        except WrongFormat as error:
            advice = formats.explain_refusal(
                error, adapter_of(job.project).formats_for(job.project)
            )
            raise jobs_services.JobProblem(f"{advice} Nothing was imported.") from None
        except ProviderUnavailable as error:
            raise jobs_services.JobProblem(f"{error} {TRY_LATER}", keep_file=True) from None
        except BrokenFile as error:
            work.save(result=error.tally.as_json())
            raise jobs_services.JobProblem(str(error), keep_file=True) from None
    # The refused lines, and those left out by filters, can be downloaded from it.
    work.keeps_file = bool(tally.rejected or tally.filtered)
    adapter_of(job.project).follow_up_import(job.project, by=job.created_by, now=work.clock())


def record_import(
    *, project: Project, tally: ImportCounts, by: User | None, now: dt.datetime
) -> None:
    """Write the audit row of an import that had no job (the command)."""
    named = ("errors", "filtered", "equals", "parts")
    counts = {key: value for key, value in tally.as_json().items() if key not in named}
    audit.record_action("questions_imported", project, by=by, now=now, project=project, **counts)
