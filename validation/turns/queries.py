"""What the page of an ended turn shows."""

from collections.abc import Iterable

from annotation.models import Assignment
from validation.verdicts.models import Validation, Verdict
from validation.verdicts.tokens import column_place


def validation_of(assignment: Assignment) -> Validation:
    """Return the validation of an assignment, with its decision and the accepted sets."""
    return (
        Validation.objects.select_related("decision")
        .prefetch_related(
            "verdicts",
            "decision__accepted__pairs__questions",
            "decision__accepted__pairs__answers",
            "decision__excluded",
        )
        .get(assignment_id=assignment.pk)
    )


def in_order(assignment: Assignment, verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Return verdicts in the order of the columns on the validator's page."""
    return sorted(verdicts, key=lambda each: column_place(assignment.pk, each.annotation_id))
