"""Compute the panels of a report, with their pictures (ADR 31)."""

import logging
from datetime import datetime
from typing import Any

from django.db import OperationalError, transaction

from annotation.figures import pictures
from annotation.figures.panel import Panel, panel_to_json
from annotation.figures.queries import ROWS, shorten_panel
from annotation.figures.registry import Entry, Request, find_report
from annotation.figures.stored import FigurePlace, Parts, Progress
from annotation.jobs.services import JobProblem

logger = logging.getLogger(__name__)

PROBLEM = (
    "This panel could not be computed because of a fault in the program ({}). The worker’s log has "
    "the details."
)


def compute_report(place: FigurePlace, now: datetime, progress: Progress) -> Parts:
    """Compute the panels of a report; beside it, all rows of each panel that is long.

    Raises JobProblem where the project does not have the report.
    """
    report = find_report(place.project, place.report)
    if report is None:
        raise JobProblem("This project no longer has this report.")
    entries = report.entries(place.project)
    progress.total = len(entries)
    request = Request(place.project, place.filters, now)
    panels: list[dict[str, Any]] = []
    rows: dict[str, dict[str, Any]] = {}
    for entry in entries:
        panel = _compute_panel(entry, request)
        panels.append(shorten_panel(panel) | _draw_pictures(panel))
        if len(panel["rows"]) > ROWS:
            rows[entry.key] = {"rows": panel["rows"]}
        progress.step()
    return {"": {"panels": panels, "drawn": pictures.can_draw()}, **rows}


def _compute_panel(entry: Entry, request: Request) -> dict[str, Any]:
    """Compute a panel. One that fails says so in its place, and the others are there."""
    try:
        with transaction.atomic():  # a statement that fails undoes no more than its own panel
            panel = panel_to_json(entry.panel(request))
    except OperationalError:
        raise  # the database is unavailable, and so is every other panel
    except Exception as error:
        logger.exception("panel %s of project %s failed", entry.key, request.project.pk)
        panel = panel_to_json(Panel((), (), 0, "", problem=PROBLEM.format(type(error).__name__)))
    ignored = request.filters.unknown_to(entry.filters)
    return panel | {"key": entry.key, "title": entry.title, "ignored": ignored}


def _draw_pictures(panel: dict[str, Any]) -> dict[str, str]:
    """Draw a panel for screens and for phones; without its pictures it still has its table."""
    try:
        return {
            "svg": pictures.draw_svg(panel),
            "narrow_svg": pictures.draw_svg(panel, narrow=True),
        }
    except Exception:
        logger.exception("the picture of panel %s failed", panel["key"])
        return {"svg": "", "narrow_svg": ""}
