"""Data for the import and export cards and the job page."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from annotation.core.models.jobs import Job
from annotation.core.models.people import Role
from annotation.core.models.projects import Project
from annotation.core.models.questions import Split
from annotation.exports.format import Format
from annotation.figures import counts as stored_counts
from annotation.figures.counts import OVERVIEW
from annotation.imports.adapters import left_out_in_words, list_left_out
from annotation.imports.downloads import can_be_copied
from annotation.jobs import retrying
from annotation.jobs.sentences import outcome_said, words_of
from annotation.protocols import registry as protocols

SHOWN_ERRORS = 20


@dataclass(frozen=True)
class ExportRow:
    """One line of the export card."""

    format: Format
    records: int


def export_rows(project: Project) -> list[ExportRow]:
    """Return the export formats that fit, each with its current number of records.

    One query for each way of counting.
    """
    formats = protocols.protocol_of(project).exports
    records = stored_counts.find_stored_part(project, OVERVIEW, "exports")
    if records is None:
        records = _records(project)
    return [ExportRow(format, records.get(format.key, 0)) for format in formats]


def _records(project: Project) -> dict[str, int]:
    formats = protocols.protocol_of(project).exports
    counts = {count: count(project) for count in {format.count for format in formats}}
    return {format.key: counts[format.count] for format in formats}


stored_counts.register_part(OVERVIEW, "exports", lambda project, now: _records(project))


def imports_of(project: Project) -> list[Job]:
    """Return the last imports of the project, newest first."""
    return list(Job.objects.filter(project=project, kind__in=Job.IMPORTS).order_by("-id")[:10])


def splits_of(project: Project) -> list[str]:
    """Return the splits that have questions, for the choice of files."""
    used = stored_counts.find_stored_part(project, OVERVIEW, "splits")
    if used is None:
        used = set(project.questions.order_by().values_list("split", flat=True).distinct())
    return [split for split in Split.values if split in used]


stored_counts.register_part(OVERVIEW, "splits", lambda project, now: splits_of(project))


def has_workers(project: Project) -> bool:
    """Return whether anyone can be given questions of the project."""
    return project.memberships.filter(role__in=[Role.ANNOTATOR, Role.VALIDATOR]).exists()


def job_context(job: Job) -> dict[str, Any]:
    """Return the template context for a job's fragment."""
    result = job.result or {}
    errors = result.get("errors", [])
    rejected = result.get("rejected", 0)
    taken = result.get("created", 0) + result.get("updated", 0) + result.get("unchanged", 0)
    return {
        "job": job,
        "words": words_of(job),
        "sentence": describe_outcome(job) if job.ended_at else "",
        "counts": [(label, result.get(key, 0)) for key, label in words_of(job).counts]
        + list_left_out(result.get("left_out", {})),
        "share": int(100 * job.done / job.total) if job.total else 0,
        "unfinished": job.ended_at is None,
        # How much each of several workers did, and why others could not help.
        "workers": (job.options or {}).get("workers", {}),
        "absent": (job.options or {}).get("absent", {}),
        # How fast a model is, and what it has written of the answer in hand.
        "pace": (job.options or {}).get("pace", ""),
        "writing": (job.options or {}).get("writing", ""),
        "first": _waits_for_its_first_answer(job),
        "log": log_of(job),
        "retry": retrying.can_retry_job(job),
        "taken": taken,
        "errors": errors[:SHOWN_ERRORS],
        "more_errors": max(rejected - SHOWN_ERRORS, 0),
        "rejected": rejected,
        "copied": bool(errors) and can_be_copied(job),
        "rest": job.total - rejected if job.total and job.file and job.state == "failed" else 0,
    }


def _waits_for_its_first_answer(job: Job) -> bool:
    """Return whether a model runs and has not answered anything yet."""
    heavy = bool((job.options or {}).get("heavy"))
    return heavy and job.state == Job.State.RUNNING and not job.done


def log_of(job: Job) -> list[tuple[dt.datetime, str]]:
    """Return what happened to a job, in the order of time, as sentences."""
    ended = {"done": "Done.", "failed": "Failed.", "cancelled": "Stopped."}.get(job.state, "")
    lines = [
        (job.created_at, f"Started by {job.created_by}."),
        (job.started_at, "A worker began."),
        *((dt.datetime.fromisoformat(at), sentence) for at, sentence in job.log),
        (job.cancel_asked_at, "Asked to stop."),
        (job.ended_at, ended),
    ]
    # Sorting is stable: what has the same time stays in this order.
    return sorted(((at, text) for at, text in lines if at), key=lambda line: line[0])


def describe_outcome(job: Job) -> str:
    """Return the outcome of a job that is over, as one sentence."""
    if job.kind not in Job.IMPORTS:
        return outcome_said(job)
    name, result = job.file_name or "The job", job.result or {}
    if job.state == Job.State.FAILED:
        return f"{name}: {job.problem}"
    words = "stopped" if job.state == Job.State.CANCELLED else "imported"
    left_out = left_out_in_words(result.get("left_out", {}))
    return (
        f"{name} {words}: {result.get('created', 0):,} new, {result.get('updated', 0):,} updated, "
        f"{result.get('unchanged', 0):,} unchanged, {result.get('rejected', 0):,} rejected"
        f"{f'; left out: {left_out}' if left_out else ''}."
    )
