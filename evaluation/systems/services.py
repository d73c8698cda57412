"""Bring in what systems answered: from files, or what people wrote in the project."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from django.db import transaction

from accounts.models import User
from annotation.access.projects import check_can_manage
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.imports.records import WrongFormat
from annotation.models import LongAnswer, Project, Question, Split
from annotation.text.cleaning import ResponseError, line_of
from evaluation.systems import formats, output_files, policies, stored_scores
from evaluation.systems.matching import NAMED, SystemImportReport, match_records
from evaluation.systems.models import Output, System
from evaluation.systems.output_files import OutputText

MOST_BYTES = 100 * 1024 * 1024
_BATCH = 500
ANY = "any"


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
    ASQA file holds them, from 1; 0: the file holds a system's answers, as texts or as the scorer of
    the project's data set takes them (`output_files`). What cannot be matched is in
    the report. Staff only (`by=None`: a command on the server). Raises WrongFormat if the file as a
    whole cannot be read or nothing in it matches, Conflict where it changes texts that people
    judge; neither changes anything. `on_read` is called with how many records were read,
    `on_store` in the transaction that stores everything.
    """
    if by is not None:
        policies.check_can_import_outputs(by, project)
    check_size(file)
    own = output_files.find_file(project)
    reads = (
        formats.read_annotations(file, annotation)
        if annotation
        else formats.read_records(file, own)
    )
    report = SystemImportReport()
    texts = match_records(project, reads, report, own, on_read)
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
    texts: dict[int, OutputText] = {}
    seen: dict[int, int] = {}
    for question, text, author in _long_answers(project, inputs):
        seen[question] = seen.get(question, 0) + 1
        if seen[question] == nth:
            texts[question] = OutputText(text, author)
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


# --- writing -----------------------------------------------------------------------------------


def _write(
    system: System,
    texts: Mapping[int, OutputText],
    report: SystemImportReport,
    *,
    by: User | None,
    now: dt.datetime,
) -> tuple[System, SystemImportReport]:
    before = _stored_texts(system, any(row.content is not None for row in texts.values()))
    changed = {pk for pk, row in texts.items() if pk in before and row[:2] != before[pk][:2]}
    moved = {
        pk
        for pk, row in texts.items()
        if pk in before and row.content is not None and row.content != before[pk].content
    }
    new = [pk for pk in texts if pk not in before or pk in changed or pk in moved]
    report.changed = len(changed | moved)
    report.created = len(new) - report.changed
    report.unchanged = len(texts) - len(new)
    if changed:
        policies.check_texts_may_change(system, len(changed))
    Output.objects.bulk_create(
        [
            Output(
                system=system,
                question_id=pk,
                text=texts[pk].text,
                author_id=texts[pk].author,
                details=texts[pk].content or {},
            )
            for pk in new
        ],
        batch_size=_BATCH,
        update_conflicts=True,
        unique_fields=["system", "question"],
        update_fields=["text", "author", "details"],
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


def _stored_texts(system: System, with_content: bool) -> dict[int, OutputText]:
    """Return what is stored, by question. Content can be large, and is read if it is compared."""
    names = ("question", "text", "author", *(["details"] if with_content else []))
    return {pk: OutputText(*row) for pk, *row in system.outputs.values_list(*names)}


def _name_missing(system: System, report: SystemImportReport) -> None:
    answered = system.outputs.values("question")
    splits = Question.objects.filter(pk__in=answered).order_by().values("split").distinct()
    missing = Question.objects.filter(project=system.project_id, split__in=splits)
    missing = missing.exclude(pk__in=answered).exclude(state=Question.State.EXCLUDED)
    report.missing.count = missing.count()
    ids = missing.order_by("created_at", "pk").values_list("external_id", flat=True)
    report.missing.first = list(ids[:NAMED])
