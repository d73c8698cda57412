"""Where what the answers of a system measure is stored; room scores measures it."""

from typing import Any

from annotation.models import StoredFigures
from evaluation.systems.models import System

REPORT = "scores"


def place_of(system: System, split: str) -> dict[str, Any]:
    """Return what stored figures of a system on a split are found by."""
    return {
        "project_id": system.project_id,
        "report": REPORT,
        "subject": str(system.pk),
        "filters": f"split={split}",
    }


def delete_stored_scores(system: System) -> None:
    """Delete what was measured of a system."""
    rows = StoredFigures.objects.filter(project=system.project_id, report=REPORT)
    rows.filter(subject=str(system.pk)).delete()
