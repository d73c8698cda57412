"""The keys of a work page, as the person who looks at it has them."""

from django import template
from django.template.context import Context

from accounts.shortcuts import PAGES, PageKeys

register = template.Library()


@register.simple_tag(takes_context=True)
def page_keys(context: Context) -> PageKeys:
    """Return the keys of this page; none of them while single keys are switched off.

    Stages without keys of their own (audits) have the page of generation.
    """
    user, assignment = context["user"], context.get("assignment")
    if assignment is None or not user.single_keys:
        return PageKeys("", {})
    return PageKeys(assignment.stage if assignment.stage in PAGES else "generation", user.keys)
