"""Titles and sentences for jobs, by kind."""

from annotation.core.models.jobs import Job
from annotation.extensions.parts import JobWords
from annotation.jobs.services import find_kind, kind_of


def title_of(key: str) -> str:
    """Return the title of a kind of job; its key as words if this installation has no such kind."""
    kind = find_kind(key)
    return kind.words.title if kind else key.replace("_", " ").capitalize()


def words_of(job: Job) -> JobWords:
    """Return the words for a job."""
    return kind_of(job).words


def outcome_said(job: Job) -> str:
    """Return the outcome of a finished job without a file, as one sentence."""
    words = words_of(job)
    if job.state == Job.State.FAILED:
        return f"{words.failed}: {job.problem}"
    ended = "stopped" if job.state == Job.State.CANCELLED else "finished"
    if note := job.result.get("note"):
        return str(note)
    counts = ", ".join(f"{job.result.get(key, 0):,} {label}" for key, label in words.counts)
    return f"{words.title} {ended}{': ' if counts else ''}{counts}."
