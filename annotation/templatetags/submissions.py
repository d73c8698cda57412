"""Submissions that are kept as JSON, in words: their stage knows how to read them."""

from collections.abc import Sequence

from django import template

from annotation import stages
from annotation.models import Submission

register = template.Library()


@register.filter
def texts(submission: Submission) -> Sequence[tuple[str, str]]:
    """Return label and text of every field that has one."""
    stage = stages.get(submission.stage)
    return stage.texts(submission) if isinstance(stage, stages.WritesJson) else []
