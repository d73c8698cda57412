"""The keys of a page, as the signed-in person has set them."""

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
    return PageKeys(page, user.keys) if page and user.single_keys else PageKeys("", {})
