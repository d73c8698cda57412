"""The stored figures of agreement: how old they are, whether they are current, which job runs.

Nothing here computes a figure; a job does (validation.services.agreement, ADR 21).
"""

import datetime as dt
from dataclasses import dataclass, replace
from typing import Any

from annotation.models import Job, Project
from annotation.queries.log import data_state
from annotation.services.jobs import UNFINISHED
from validation import models
from validation.reporting import Group, Person, Report, Shown

JOB_KIND = "agreement"


@dataclass(frozen=True)
class StoredAgreement:
    """The stored figures, and the newest job that computes them.

    `current`: nothing has changed since they were computed. `computed_at` is None without figures.
    """

    computed_at: dt.datetime | None
    current: bool
    job: Job | None
    reports: dict[str, Any]

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
    def state(self) -> str:
        """One of "current", "failed", "computing" and "outdated"."""
        if self.current:
            return "current"
        return "failed" if self.problem else "computing" if self.computing else "outdated"

    def report(self, split: str = "") -> Report | None:
        """Return the figures of a split, or of the whole project; None where there are none."""
        return _report(self.reports[split]) if split in self.reports else None

    def with_job(self, job: Job) -> "StoredAgreement":
        """Return a copy with the job that was just started."""
        return replace(self, job=job)


def agreement_of(project: Project) -> StoredAgreement:
    """Return the stored figures, and whether they are current. Three queries."""
    # Read the job first: if it has ended, the figures read next include its own.
    job = Job.objects.filter(project=project, kind=JOB_KIND).order_by("-pk").first()
    stored = models.Agreement.objects.filter(project=project).first()
    return StoredAgreement(
        computed_at=stored.computed_at if stored else None,
        current=stored is not None and stored.data_state == data_state(project),
        job=job,
        reports=stored.reports if stored else {},
    )


def _report(stored: dict[str, Any]) -> Report:
    return Report(
        groups=tuple(
            Group(**group | {"figures": _figures(group["figures"])}) for group in stored["groups"]
        ),
        generators=_people(stored["generators"]),
        validators=_people(stored["validators"]),
    )


def _figures(stored: list[dict[str, Any]]) -> tuple[Shown, ...]:
    return tuple(Shown(**figure) for figure in stored)


def _people(stored: list[dict[str, Any]]) -> tuple[Person, ...]:
    return tuple(
        Person(row["person"], _figures(row["figures"]), tuple(row["nudges"])) for row in stored
    )
