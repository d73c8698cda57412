"""What running jobs adds to the rooms below."""

from collections.abc import Mapping
from typing import Any

from annotation.core.models.jobs import Job
from annotation.extensions.extension import Extension
from annotation.extensions.parts import (
    LogEntries,
    LogTarget,
)
from annotation.jobs.sentences import title_of


def _name(row: Mapping[str, Any]) -> str:
    return row["file_name"] or title_of(row["kind"])


EXTENSION = Extension(
    key="annotation.jobs",
    log=(
        LogEntries(
            {
                "job_cancel_asked": "{who} asked to stop [{what}].",
                "job_cancelled": "[{what}] was stopped{counts}.",
                "job_created": "{who} started [{what}].",
                "job_done": "[{what}] finished{counts}.",
                "job_failed": "[{what}] failed{counts}.",
            },
            targets={
                "job": LogTarget(
                    Job, ("file_name", "kind"), "job-detail", "pk", name=_name, gone="a job"
                )
            },
        ),
    ),
)
