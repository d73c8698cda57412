"""What a person has done here, counted before they are erased."""

from dataclasses import dataclass

from accounts.models import User
from annotation.core.models.people import Membership
from annotation.core.models.work import Assignment
from annotation.core.states import HELD
from annotation.pay.models import PayEntry


@dataclass(frozen=True)
class PersonWork:
    """projects: where they have a role; held: questions in hand; submitted: finished ones; paid:
    entries in the ledger."""

    projects: list[str]
    held: int
    submitted: int
    paid: int


def work_of(user: User) -> PersonWork:
    """Return the person's work. Four queries."""
    memberships = Membership.objects.filter(user=user).order_by("project__title")
    titles = memberships.values_list("project__title", flat=True).distinct()
    assignments = Assignment.objects.filter(user=user)
    return PersonWork(
        projects=list(titles),
        held=assignments.filter(state__in=HELD).count(),
        submitted=assignments.filter(state=Assignment.State.SUBMITTED).count(),
        paid=PayEntry.objects.filter(user=user).count(),
    )
