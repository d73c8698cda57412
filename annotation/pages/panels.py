"""Cards that floors above add to a page of a project, for its staff."""

from collections.abc import Callable
from typing import Any

from annotation.core.models.projects import Project

OVERVIEW = "overview"
_panels: dict[tuple[str, str], Callable[[Project], dict[str, Any]]] = {}


def register(
    template: str, context: Callable[[Project], dict[str, Any]], *, page: str = OVERVIEW
) -> None:
    """Add a card: its template, which gets the value of `context(project)` as `panel`."""
    _panels[page, template] = context


def panels_of(project: Project, page: str = OVERVIEW) -> list[tuple[str, dict[str, Any]]]:
    """Return template and context of each card, in the order they were registered."""
    return [
        (template, context(project))
        for (where, template), context in _panels.items()
        if where == page
    ]
