"""The stored figures of agreement: of a project and of each of its splits (ADR 21)."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from annotation.extensions.parts import JobWords
from annotation.figures.stored import ComputedFigures, FigureKind, FigurePlace, Parts, Progress
from annotation.models import Project, Split
from validation.agreement.project_report import report_project
from validation.agreement.reporting import (
    AgreementReport,
    FigureGroup,
    LabelledFigure,
    PersonFigures,
)

AGREEMENT_KIND = FigureKind(
    key="agreement",
    unit="splits",
    words=JobWords(
        title="Figures of agreement", failed="The figures could not be computed", stop="Stop"
    ),
    compute="validation.agreement.stored.compute_agreement",
)


class StoredAgreement(ComputedFigures):
    """The stored figures, and the newest job that computes them."""

    def report(self, split: str = "") -> AgreementReport | None:
        """Return the figures of a split, or of the whole project; None where there are none."""
        return _report(self.payload[split]) if split in self.payload else None


def find_agreement(project: Project) -> StoredAgreement:
    """Return the stored figures, and whether they are current. Three queries."""
    return StoredAgreement.find(FigurePlace(AGREEMENT_KIND, project))


def compute_agreement(place: FigurePlace, now: datetime, progress: Progress) -> Parts:
    """Compute the report of the project, which is that of the split "", and of each split."""
    splits: list[str] = ["", *Split.values]
    progress.total = len(splits)
    reports = {}
    for split in splits:
        reports[split] = asdict(report_project(place.project, split or None))
        progress.step()
    return {"": reports}


def _report(stored: dict[str, Any]) -> AgreementReport:
    return AgreementReport(
        groups=tuple(
            FigureGroup(**group | {"figures": _figures(group["figures"])})
            for group in stored["groups"]
        ),
        generators=_people(stored["generators"]),
        validators=_people(stored["validators"]),
    )


def _figures(stored: list[dict[str, Any]]) -> tuple[LabelledFigure, ...]:
    return tuple(LabelledFigure(**figure) for figure in stored)


def _people(stored: list[dict[str, Any]]) -> tuple[PersonFigures, ...]:
    return tuple(
        PersonFigures(
            row["person"],
            _figures(row["figures"]),
            tuple(row["nudges"]),
            row.get("can_validate", False),  # of before it was told
        )
        for row in stored
    )
