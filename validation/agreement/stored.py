"""The stored figures of agreement: how old they are, whether they are current, which job runs.

Nothing here computes a figure; a job does (validation.agreement.services, ADR 21).
"""

from dataclasses import dataclass
from typing import Any

from annotation.core.data_state import data_state
from annotation.jobs.computed_figures import ComputedFigures
from annotation.models import Job, Project
from validation.agreement.models import Agreement
from validation.agreement.reporting import Group, Person, Report, Shown

JOB_KIND = "agreement"


@dataclass(frozen=True)
class StoredAgreement(ComputedFigures):
    """The stored figures, and the newest job that computes them."""

    reports: dict[str, Any]

    def report(self, split: str = "") -> Report | None:
        """Return the figures of a split, or of the whole project; None where there are none."""
        return _report(self.reports[split]) if split in self.reports else None


def agreement_of(project: Project) -> StoredAgreement:
    """Return the stored figures, and whether they are current. Three queries."""
    # Read the job first: if it has ended, the figures read next include its own.
    job = Job.objects.filter(project=project, kind=JOB_KIND).order_by("-pk").first()
    stored = Agreement.objects.filter(project=project).first()
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
