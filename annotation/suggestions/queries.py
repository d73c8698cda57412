"""Suggestions for display: those on offer in an assignment, and the systems that have some."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import orjson
from django.db.models.expressions import RawSQL

from accounts import prepared_statements
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment
from annotation.exports.rows import fetch_rows
from annotation.extensions import hooks
from annotation.reading.articles import page_address
from annotation.suggestions.models import Suggestion
from annotation.suggestions.statements import (
    ASKED_QUESTION,
    OFFERED_SUGGESTIONS,
    SUGGESTIONS_SHOWN,
)
from annotation.suggestions.values import (
    OfferedSuggestion,
    Progress,
    SuggestedContent,
    SuggestionOffers,
    held_out,
)

# The kind of job that makes suggestions; its options name their system.
SUGGEST = "suggest"


class _OfferRows:
    """The offers of an assignment, in one statement until something is decided."""

    def __init__(self, assignment: Assignment, kinds: Collection[str]) -> None:
        self.assignment, self.kinds = assignment, kinds
        self.read: tuple[OfferedSuggestion, ...] | None = None

    def __call__(self) -> Sequence[OfferedSuggestion]:
        if self.read is None:
            self.read = tuple(list_offers(self.assignment, self.kinds))
        return self.read

    def forget(self) -> None:
        self.read = None


def find_suggestions(assignment: Assignment, kinds: Collection[str]) -> SuggestionOffers | None:
    """Return the suggestions of these kinds, None where the assignment shows none. No statement."""
    policy = assignment.policy
    if not policy.suggestions or not kinds:
        return None
    if held_out(assignment.task.question_id, policy.suggestions_held_out):
        return None
    rows = _OfferRows(assignment, kinds)
    return SuggestionOffers(
        policy.suggestions, rows, rows.forget, lambda: read_progress(assignment)
    )


def read_progress(assignment: Assignment) -> Progress:
    """Return whether the system's suggestions are being made, or could not be. One query.

    Of a gold item it is what is true of the question that it was handed out beside.
    """
    asked = ASKED_QUESTION.format(settled_on=hooks.settled_on_sql())
    jobs = Job.objects.filter(
        project_id=assignment.project_id,
        kind=SUGGEST,
        options__system=assignment.policy.suggestions,
        options__split__in=["", assignment.task.question.split],
    )
    jobs = jobs.annotate(asked=RawSQL(asked, [assignment.pk])).order_by("-pk")  # noqa: S611 - constants
    newest = jobs.values_list("state", "result__errors", "asked").first()
    if newest is None:
        return ""
    state, errors, name = newest
    if state in (Job.State.QUEUED, Job.State.RUNNING):
        return "making"
    named = {error["name"] for error in errors or ()}
    failed = state == Job.State.FAILED or name in named
    return "failed" if failed else ""


def list_offers(assignment: Assignment, kinds: Collection[str]) -> Iterable[OfferedSuggestion]:
    """Give the suggestions on offer, in the order of their positions. One statement."""
    rows = prepared_statements.fetch_rows(
        OFFERED_SUGGESTIONS.format(settled_on=hooks.settled_on_sql()),
        {
            "assignment": assignment.pk,
            "question": assignment.task.question_id,
            "system": assignment.policy.suggestions,
            "kinds": list(kinds),
        },
    )
    for number, (pk, kind, content, older, shown, fate, reason, before) in enumerate(rows, start=1):
        yield OfferedSuggestion(
            pk=pk,
            number=number,
            system=assignment.policy.suggestions,
            content=(suggested := suggested_of(kind, orjson.loads(content))),
            url=_address(assignment.pk, suggested.path),
            older=older,
            shown=shown,
            fate=fate,
            reason=reason,
            before=before,
        )


def suggested_of(kind: Any, content: dict[str, Any]) -> SuggestedContent:
    """Return a stored suggestion as the value it was stored from."""
    return SuggestedContent(kind, **content | {"answers": tuple(content["answers"])})


def _address(assignment_id: int, path: str) -> str:
    return f"{page_address(assignment_id, path)}?via=suggestion" if path else ""


def find_suggested(questions: Collection[int], system: str, kinds: Collection[str]) -> set[int]:
    """Return which of some questions have suggestions of a system. One query."""
    rows = Suggestion.objects.filter(question__in=questions, system=system, kind__in=kinds)
    return set(rows.values_list("question", flat=True))


def systems_of(project: Project, split: str, kinds: Collection[str]) -> list[str]:
    """Return the names of the systems with suggestions for questions of the split. One query."""
    rows = Suggestion.objects.filter(
        question__project=project, question__split=split, kind__in=kinds
    )
    return list(rows.order_by("system").values_list("system", flat=True).distinct())


def suggested_in(assignments: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return what is exported of the suggestions shown in assignments, where any were. One query.

    An empty fate says that the person did not decide.
    """
    rows = fetch_rows(SUGGESTIONS_SHOWN, [list(assignments)])
    return {row[0]: {"suggestions": orjson.Fragment(row[1])} for row in rows}
