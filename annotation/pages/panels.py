"""Cards that features add to a page of a project or of a row in it, for its staff, and to home."""

from typing import Any

from django.db.models import Model

from accounts.models import User
from annotation.core.models.projects import Project
from annotation.extensions.parts import OVERVIEW
from annotation.extensions.registry import all_extensions


def home_panels_of(user: User) -> list[tuple[str, dict[str, Any]]]:
    """Return template and context of each card of a person's home."""
    found = [(panel.template, panel.context(user)) for panel in all_extensions().home_panels]
    return [(template, context) for template, context in found if context is not None]


def panels_of(project: Project, page: str = OVERVIEW) -> list[tuple[str, dict[str, Any]]]:
    """Return template and context of each card, in the order they were registered."""
    panels = all_extensions().panels
    return [(panel.template, panel.context(project)) for panel in panels if panel.page == page]


def row_panels_of(row: Model, page: str, user: User) -> list[tuple[str, dict[str, Any]]]:
    """Return template and context of each card of a page about one row, for people who run
    its project."""
    panels = [panel for panel in all_extensions().row_panels if panel.page == page]
    found = [(panel.template, panel.context(row, user)) for panel in panels]
    return [(template, context) for template, context in found if context is not None]
