"""Try again: a new job like one that failed or was stopped.

Each kind of job says how one is started (`register`), so that permissions and refusals are those of
a first start. What a job has stored is kept, and the new one passes over it.
"""

import datetime as dt
from collections.abc import Callable

from accounts.models import User
from annotation.access.data import check_can_retry
from annotation.core.models.jobs import Job

# (job, by, now): starts a job with the options of that one, or returns the same one under way.
Start = Callable[[Job, User, dt.datetime], Job]
_starts: dict[str, Start] = {}


def register(kind: str, start: Start) -> None:
    """Let jobs of a kind be tried again. `start` raises Conflict where that is not possible."""
    _starts[kind] = start


def possible(job: Job) -> bool:
    """Whether a job ended without success, and is of a kind that can be tried again."""
    return job.kind in _starts and job.state in (Job.State.FAILED, Job.State.CANCELLED)


def retry(*, job: Job, by: User, now: dt.datetime) -> Job:
    """Start a job like this one. Staff only; raises Conflict where it cannot be tried again."""
    check_can_retry(by, job, possible=possible(job))
    return _starts[job.kind](job, by, now)
