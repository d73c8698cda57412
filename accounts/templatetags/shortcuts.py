"""The keys of a page, as the signed-in person has set them."""

from functools import lru_cache

from django import template
from django.template.context import Context

from accounts.shortcuts import PAGES, PageKeys

register = template.Library()


@register.simple_tag(takes_context=True)
def page_keys(context: Context, page: str = "") -> PageKeys:
    """Return the keys of this page; none if single keys are switched off.

    Without a name it is the work page of the assignment; stages without keys of their own
    (audits) use those of generation.
    """
    user, assignment = context["user"], context.get("assignment")
    if not page and assignment is not None:
        page = assignment.stage if assignment.stage in PAGES else "generation"
    own = user.keys if page and user.single_keys else {}
    return _keys(page if user.single_keys else "", tuple(own.items()))


@lru_cache(maxsize=256)
def _keys(page: str, own: tuple[tuple[str, str], ...]) -> PageKeys:
    return PageKeys(page, dict(own))
