"""What the page of an ended turn shows, and how a validator has judged until now."""

from collections.abc import Iterable
from functools import lru_cache

from accounts import prepared_statements
from annotation.models import Assignment
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


def list_own_kinds(validator: int, project: int) -> list[str]:
    """Return the kind of what a validator accepted on each of their newest questions: "multiple",
    "single" or "none". One query.
    """
    values = {"validator": validator, "project": project, "most": NEWEST}
    sizes = prepared_statements.fetch_rows(OWN_SIZES, values)
    return [("none", "single")[size] if size < 2 else "multiple" for (size,) in sizes]


@lru_cache(maxsize=4_096)
def recall_own_kinds(validator: int, project: int, hour: int) -> tuple[str, ...]:
    """Return the same as it was first asked for in an hour (of the epoch) by this process.

    Shares change slowly, and the page of a turn is counted statement by statement.
    """
    return tuple(list_own_kinds(validator, project))
