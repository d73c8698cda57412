"""A validation that is not in hand: what was decided, or what is in the draft, for reading."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from annotation import stages
from annotation.models import Assignment
from annotation.views.flow import resuming
from annotation.views.loaders import UserRequest
from validation import queries
from validation.responses import Response, letter
from validation.views.shown import SetShown, annotators

State = Assignment.State


@dataclass(frozen=True)
class VerdictShown:
    """The verdict on one annotation."""

    label: str
    correct: bool


def page(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Show what the person decided, or left."""
    context: dict[str, Any] = {
        "assignment": assignment,
        "project": assignment.project,
        "question": assignment.task.question,
        "section": "work",
    } | resuming(assignment)
    if assignment.state == State.SUBMITTED:
        context |= _decided(assignment)
    else:
        context |= _left(assignment)
    return render(request, "validation/work_ended.html", context)


def _decided(assignment: Assignment) -> dict[str, Any]:
    """Return the verdicts and what the decision accepted. Six queries."""
    validation = queries.validation_of(assignment)
    found = queries.in_order(assignment, validation.verdicts.all())
    numbers = {each.annotation_id: number for number, each in enumerate(found, start=1)}
    decision = validation.decision
    return {
        "decision": decision,
        "left_out": decision.excluded.all(),
        "verdicts": [VerdictShown(annotators([n]), v.correct) for n, v in enumerate(found, 1)],
        "sets": [
            SetShown(
                title=f"As {annotators([numbers[each.annotation_id]]).lower()} wrote it"
                if each.annotation_id in numbers
                else "The final set",
                pairs=tuple(
                    (
                        tuple(question.text for question in pair.questions.all())
                        or (assignment.task.question.prompt,),
                        tuple(answer.text for answer in pair.answers.all()),
                    )
                    for pair in each.pairs.all()
                ),
            )
            for each in decision.accepted.all()
        ],
    }


def _left(assignment: Assignment) -> dict[str, Any]:
    """Return what is in the draft."""
    draft = stages.get(assignment.stage).read_draft(assignment.draft)
    assert isinstance(draft, Response)
    return {
        "draft": draft,
        "draft_rows": [(letter(place), row) for place, row in enumerate(draft.rows)],
    }
