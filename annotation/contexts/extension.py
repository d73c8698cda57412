"""What the search for paragraphs adds to the rooms below."""

import datetime as dt

from accounts.models import User
from annotation.contexts.searches import JOB_KIND
from annotation.core.models.jobs import Job
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    JobKind,
    JobWords,
    LogEntries,
    Tab,
)
from annotation.jobs.services import RunningJob
from annotation.protocols.registry import Feature


def _run(work: RunningJob) -> None:
    # Loaded by the worker alone: most commands need none of it.
    from annotation.contexts.services import run_job

    run_job(work)


def _again(job: Job, by: User, now: dt.datetime) -> Job:
    from annotation.contexts.services import start_again

    return start_again(job, by, now)


EXTENSION = Extension(
    key="annotation.contexts",
    jobs=(
        JobKind(
            key=JOB_KIND,
            run=_run,
            retry=_again,
            words=JobWords(
                title="Search for context paragraphs",
                failed="The search did not finish",
                stop="Stop, and keep what is found",
                counts=(
                    ("found", "paragraphs found"),
                    ("without", "without one"),
                    ("given", "given in the file"),
                    ("opened", "taken in the meantime"),
                    ("pages_missing", "pages not found"),
                ),
            ),
        ),
    ),
    tabs=(Tab("contexts", "Contexts", "project-contexts", "setup", 190, needs=Feature.CONTEXTS),),
    log=(
        LogEntries(
            {
                "context_threshold_changed": (
                    "{who} changed [the paragraph limit]: {before} → {after}."
                ),
                "contexts_searched": "{who} searched [paragraphs for the disambiguations].",
            },
            pages={
                "context_threshold_changed": "project-contexts",
                "contexts_searched": "project-contexts",
            },
        ),
    ),
)
