"""Compute the panels of a report, with their pictures (ADR 31)."""

import logging
from dataclasses import replace
from datetime import datetime
from typing import Any

import orjson
from django.conf import settings
from django.db import OperationalError, transaction

from annotation.figures import pictures
from annotation.figures.filters import Filters
from annotation.figures.memory import digest_program, use_memory
from annotation.figures.models import StoredFigures
from annotation.figures.panel import Panel, panel_to_json
from annotation.figures.queries import ROWS, shorten_panel
from annotation.figures.registry import Entry, Request, find_report
from annotation.figures.stored import FigurePlace, Parts, Progress
from annotation.jobs.services import JobProblem

logger = logging.getLogger(__name__)

MEMORY = ":memory"  # the part with what panels may recall; no panel has such a key
PICTURES = ("svg", "narrow_svg")

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
    drawn = _read_drawn_panels(place)
    panels: list[dict[str, Any]] = []
    rows: dict[str, dict[str, Any]] = {}
    with use_memory(_read_memory(place)) as memory:
        for entry in entries:
            panel = _compute_panel(entry, request)
            short = _as_stored(shorten_panel(panel))
            panels.append(short | (_find_pictures(drawn, short) or _draw_pictures(panel)))
            if len(panel["rows"]) > ROWS:
                rows[entry.key] = {"rows": panel["rows"]}
            progress.step()
    program = digest_program(settings.BASE_DIR)
    if memory.used and not place.filters.key:
        rows[MEMORY] = {"program": program, "made": _as_stored(memory.used)}
    return {"": {"panels": panels, "drawn": pictures.can_draw(), "program": program}, **rows}


def _read_memory(place: FigurePlace) -> dict[str, Any]:
    """Return what this very program computed for the report without filters."""
    whole = replace(place, filters=Filters())
    rows = StoredFigures.objects.filter(
        project=place.project, report=whole.name_part(MEMORY), **whole.key
    )
    stored: dict[str, Any] = next(iter(rows.values_list("figures", flat=True)), {})
    return stored["made"] if stored.get("program") == digest_program(settings.BASE_DIR) else {}


def _read_drawn_panels(place: FigurePlace) -> dict[str, dict[str, Any]]:
    """Return the panels that this very program stored last, by key."""
    rows = place.find_rows().values_list("figures", flat=True)
    stored: dict[str, Any] = next(iter(rows), {})
    drawn, program = pictures.can_draw(), digest_program(settings.BASE_DIR)
    if (stored.get("drawn"), stored.get("program")) != (drawn, program):
        return {}
    return {panel["key"]: panel for panel in stored["panels"]}


def _find_pictures(
    drawn: dict[str, dict[str, Any]], panel: dict[str, Any]
) -> dict[str, str] | None:
    """Return the pictures of a panel that is as it was; None where it has to be drawn."""
    before = drawn.get(panel["key"], {})
    found = {name: before[name] for name in PICTURES if name in before}
    return found if before == panel | found and len(found) == len(PICTURES) else None


def _as_stored(panel: dict[str, Any]) -> dict[str, Any]:
    """Return a panel as the database gives it back: with lists in place of tuples."""
    stored: dict[str, Any] = orjson.loads(orjson.dumps(panel))
    return stored


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
