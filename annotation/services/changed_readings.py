"""What people marked about readings that an import replaces.

Marks and kept warnings are known by the position of a disambiguation, and must not stand beside
another. People who have the question in hand keep its disambiguations; this is about those who
left it and may come back.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import F

from annotation import protocols
from annotation.cleaning import ResponseError
from annotation.long_answers.inputs import Disambiguation, inputs_of
from annotation.long_answers.response import Response, from_json, to_json
from annotation.models import Assignment, Project, Question
from annotation.protocols import Feature
from annotation.stages import LONG_ANSWERS
from annotation.states import LEFT

State = Assignment.State


def forget_marks(project: Project, questions: Iterable[Question]) -> None:
    """Take out of drafts what is about readings that these questions, not saved yet, replace.

    The text and its evidence stay. The caller holds the questions' locks. One query where nobody
    has left one of them, else two and one for each draft.
    """
    if not protocols.of(project).has(Feature.CONCERNS):
        return
    new = {question.pk: question.context for question in questions}
    drafts = list(
        Assignment.objects.filter(
            task__question__in=new,
            stage=LONG_ANSWERS,
            state__in=LEFT,
            draft_saved_at__isnull=False,
        ).values_list("pk", "task__question", "draft")
    )
    stored = Question.objects.filter(pk__in={question for _, question, _ in drafts})
    known = dict(stored.values_list("pk", "context")) if drafts else {}
    for pk, question, draft in drafts:
        gone = _replaced(known[question], new[question])
        try:
            before = from_json(draft)
        except ResponseError:
            continue  # nobody can open it as it is
        after = _without(before, gone)
        if after != before:
            # A window left open before that may not save over it.
            Assignment.objects.filter(pk=pk).update(
                draft=to_json(after), draft_version=F("draft_version") + 1
            )


def _replaced(before: Mapping[str, Any], after: Mapping[str, Any]) -> frozenset[int]:
    """Return the positions at which another reading stands, or none any more."""
    old, new = (_readings(each) for each in (before, after))
    return frozenset(
        at for at, each in enumerate(old) if at >= len(new) or _said(each) != _said(new[at])
    )


def _readings(context: Mapping[str, Any]) -> Sequence[Disambiguation]:
    return inputs_of("", context, {}).disambiguations


def _said(reading: Disambiguation) -> tuple[str, tuple[str, ...]]:
    return reading.question, reading.answers


def _without(response: Response, gone: frozenset[int]) -> Response:
    fields = {f"answer-{position + 1}" for position in gone}
    return replace(
        response,
        said=tuple(each for each in response.said if each.disambiguation not in gone),
        keeps=tuple(keep for keep in response.keeps if keep.field not in fields),
    )
