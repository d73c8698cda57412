"""Figures that a job computes: how old they are, whether they are current, which job runs.

Nothing here computes a figure (ADR 21).
"""

import datetime as dt
from dataclasses import dataclass, replace
from typing import Literal, Self

from annotation.core.models.jobs import Job
from annotation.jobs.services import UNFINISHED

State = Literal["current", "failed", "computing", "outdated"]


@dataclass(frozen=True)
class ComputedFigures:
    """When figures were computed, and the newest job that computes them.

    `current`: nothing has changed since they were computed. `computed_at` is None without figures.
    """

    computed_at: dt.datetime | None
    current: bool
    job: Job | None

    @property
    def computing(self) -> bool:
        """Whether a job is computing new figures."""
        return self.job is not None and self.job.state in UNFINISHED

    @property
    def problem(self) -> str:
        """Why there are no newer figures: the sentence of the failed job, otherwise empty."""
        failed = not self.current and self.job is not None and self.job.state == Job.State.FAILED
        return self.job.problem if failed and self.job else ""

    @property
    def due(self) -> bool:
        """Whether a job has to be started. Only people start a failed one again."""
        return not (self.current or self.computing or self.problem)

    @property
    def state(self) -> State:
        """Whether the figures are current, and if not, what becomes of them."""
        if self.current:
            return "current"
        return "failed" if self.problem else "computing" if self.computing else "outdated"

    def with_job(self, job: Job) -> Self:
        """Return a copy with the job that was just started."""
        return replace(self, job=job)
