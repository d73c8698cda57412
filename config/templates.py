"""Templates as they are read: without indentation, which browsers ignore and readers need."""

import re

from django.template.base import Origin
from django.template.loaders import filesystem

# A field of several lines, or the spaces that a line begins with.
_INDENTED = re.compile(r"(<(textarea|pre)\b.*?</\2>)|\n[ \t]+", re.DOTALL)


class Loader(filesystem.Loader):
    """Reads pages without the spaces at the start of lines.

    Fields of several lines and <pre> stay as they are, and so does everything a page is filled
    with. Line breaks stay, so that messages of the template engine name the right line.
    """

    def get_contents(self, origin: Origin) -> str:
        """Return the source of a template."""
        source: str = super().get_contents(origin)
        return unindented(source) if origin.name.endswith(".html") else source


def unindented(source: str) -> str:
    """Return the source of a page without the spaces at the start of lines."""
    return _INDENTED.sub(lambda match: match[1] or "\n", source)
