"""Template tags every page uses; built in, so that no template loads them."""

from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def icon(name: str) -> SafeString:
    """Return the named drawing of static/icons.svg. It is decoration: words stand beside it."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#i-{}"/></svg>',
        static("icons.svg"),
        name,
    )


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
