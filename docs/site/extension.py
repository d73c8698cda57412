"""Sphinx extension: what the site of docs/ shows that nobody writes by hand.

- docs/command_help.md gets the help of every command (`docs.site.commands`),
- docs/api_reference.md every operation of the API (`docs.site.operations`),
- a picture is followed by the day it was taken (`docs.site.pictures`),
- a diagram of states becomes a table, since the site has no foreign scripts (`docs.site.states`).
"""

import os
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from docs.site import pictures
from docs.site.states import replace_diagrams

LANDMARKS = {
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
}


def start_django() -> None:
    """Load Ambit's settings and apps, without a database."""
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()


def complete_page(app: Sphinx, name: str, source: list[str]) -> None:
    """Add to the text of a page what is made for it."""
    if name == "docs/command_help":
        start_django()
        from docs.site.commands import describe_commands  # needs Django's apps

        source[0] += describe_commands()
    elif name == "docs/api_reference":
        start_django()
        from docs.site.operations import describe_operations  # needs Django's apps

        source[0] += describe_operations()
    elif name == "docs/states":
        source[0] = replace_diagrams(source[0])
    else:
        source[0] = pictures.add_notes(source[0])


def name_landmarks(app: Sphinx, failed: Exception | None) -> None:
    """Name the theme's two asides, give its captions a level, and let keys scroll its tables."""
    for page in Path(app.outdir).rglob("*.html"):
        text = before = page.read_text(encoding="utf-8")
        for found, named in LANDMARKS.items():
            text = text.replace(found, named)
        if text != before:
            page.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("source-read", complete_page)
    app.connect("build-finished", name_landmarks)
    return {"parallel_read_safe": True}
