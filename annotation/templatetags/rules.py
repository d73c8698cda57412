"""Rules and fields in words, for pages that show kept warnings."""

from django import template

from annotation.protocols import rule_of

register = template.Library()


@register.filter
def rule_title(key: str) -> str:
    """Return the title of a rule; the key itself where the rule is gone."""
    rule = rule_of(key)
    return rule.title if rule else key


@register.filter
def field_name(field: str) -> str:
    """Return what people call a field of the form: question-2 is Question 2."""
    return field.replace("-", " ").capitalize()
