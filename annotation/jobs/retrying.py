"""Try again: a new job like one that failed or was stopped.

Each kind of job says how one is started (`JobKind.retry`), so that permissions and refusals are
those of a first start. What a job has stored is kept, and the new one passes over it.
"""

import datetime as dt

from accounts.models import User
from annotation.access.data import check_can_retry
from annotation.core.models.jobs import Job
from annotation.jobs.services import find_kind, kind_of


def can_retry_job(job: Job) -> bool:
    """Whether a job ended without success, and is of a kind that can be tried again."""
    ended = job.state in (Job.State.FAILED, Job.State.CANCELLED)
    kind = find_kind(job.kind)
    return ended and kind is not None and kind.retry is not None


def retry_job(*, job: Job, by: User, now: dt.datetime) -> Job:
    """Start a job like this one. Staff only; raises Conflict where it cannot be tried again."""
    check_can_retry(by, job, possible=can_retry_job(job))
    start = kind_of(job).retry
    assert start is not None
    return start(job, by, now)
