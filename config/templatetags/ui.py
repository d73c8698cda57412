"""Template tags every page uses; built in, so that no template loads them."""

import re

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()

# Up to the first full stop before a space that is not within quotation marks.
OPENING = re.compile(r"(?:[^“.]|“[^”]*”|\.(?! ))+\.(?= )")

# A field of several lines, or the spaces that a line begins with.
INDENTED = re.compile(r"(<(textarea|pre)\b.*?</\2>)|\n\s+", re.DOTALL)


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return the named drawing of static/icons.svg. It is decoration next to words."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#i-{}"/></svg>',
        static("icons.svg"),
        name,
    )


@register.simple_block_tag
def unindented(content: SafeString) -> SafeString:
    """Return the block without the spaces at the start of lines, for blocks that repeat often.

    Multi-line fields and <pre> stay as they are.
    """
    return SafeString(INDENTED.sub(lambda found: found[1] or "\n", content))  # escaped when drawn


@register.filter
def phrasings(question: str) -> str:
    """Return a question that holds several phrasings, joined by "|" as in AmbigNQ, for reading."""
    return " or ".join(filter(None, map(str.strip, question.split("|")))) or question


@register.filter
def spaced(name: str) -> str:
    """Return a stored name as words: assignment_taken is "assignment taken"."""
    return re.sub("[_:]+", " ", name)


@register.filter
def opening(text: str) -> SafeString:
    """Return the text with its first sentence, the finding, set apart from the reasons."""
    first = OPENING.match(text)
    if not first:
        return format_html("{}", text)
    return format_html("<strong>{}</strong>{}", first.group(), text[first.end() :])


@register.filter
def duration(seconds: float | None) -> str:
    """Return seconds as people say them: 40 s, 12 min, 1 h 32 min."""
    total = int(seconds or 0)
    if total < 60:
        return f"{total} s"
    hours, minutes = divmod(total // 60, 60)
    if not hours:
        return f"{minutes} min"
    return f"{hours} h {minutes:02d} min" if minutes else f"{hours} h"


@register.filter
def cut_time(since: str) -> str:
    """Return the larger part of a `timesince` text: "2 days" of "2 days, 3 hours"."""
    return "now" if since.startswith("0") else since.split(",")[0]
