"""Cards that features add to a page of a project, for its staff."""

from typing import Any

from annotation.core.models.projects import Project
from annotation.extensions.parts import OVERVIEW
from annotation.extensions.registry import all_extensions


def panels_of(project: Project, page: str = OVERVIEW) -> list[tuple[str, dict[str, Any]]]:
    """Return template and context of each card, in the order they were registered."""
    panels = all_extensions().panels
    return [(panel.template, panel.context(project)) for panel in panels if panel.page == page]
