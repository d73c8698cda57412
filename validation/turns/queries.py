"""What the page of an ended turn shows, and how a validator has judged until now."""

from collections.abc import Iterable

from accounts import prepared_statements
from accounts.models import User
from annotation.models import Assignment, Project
from validation.turns.statements import OWN_SIZES
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


# A validator's shares are those of their newest validations: who has changed is told so soon.
NEWEST = 100


def list_own_kinds(validator: User, project: Project) -> list[str]:
    """Return the kind of what a validator accepted on each of their newest questions: "multiple",
    "single" or "none". One query.
    """
    values = {"validator": validator.pk, "project": project.pk, "most": NEWEST}
    sizes = prepared_statements.fetch_rows(OWN_SIZES, values)
    return [("none", "single")[size] if size < 2 else "multiple" for (size,) in sizes]
