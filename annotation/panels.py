"""Cards that floors above add to the page of a project, for its staff."""

from collections.abc import Callable
from typing import Any

from annotation.models import Project

_panels: dict[str, Callable[[Project], dict[str, Any]]] = {}


def register(template: str, context: Callable[[Project], dict[str, Any]]) -> None:
    """Add a card: its template, which gets the value of `context(project)` as `panel`."""
    _panels[template] = context


def panels_of(project: Project) -> list[tuple[str, dict[str, Any]]]:
    """Return template and context of each card, in the order they were registered."""
    return [(template, context(project)) for template, context in _panels.items()]
