"""Which qualifications stand before somebody's work."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, OuterRef, Subquery

from accounts.models import User
from annotation.models import Qualification, QualificationAttempt
from annotation.policies.qualification import first_sentence

State = QualificationAttempt.State


@dataclass(frozen=True)
class Demand:
    """A qualification that stands before somebody's work, and how far they are with it."""

    qualification: Qualification
    items: int
    attempt_state: str | None

    @property
    def sentence(self) -> str:
        """What they read under My work."""
        if self.attempt_state == State.IN_REVIEW:
            return "The team is reading your qualification. Work comes here when you have passed."
        return first_sentence(self.items)


def demands(user: User, qualification_ids: Sequence[int]) -> dict[int, Demand]:
    """Return what stands before the person's work, by id of the qualification. One query."""
    if not qualification_ids:
        return {}
    last = QualificationAttempt.objects.filter(qualification=OuterRef("pk"), user=user)
    rows = (
        Qualification.objects.filter(pk__in=qualification_ids)
        .annotate(
            count=Count("items"), last_state=Subquery(last.order_by("-id").values("state")[:1])
        )
        .order_by("pk")
    )
    return {row.pk: Demand(row, row.count, row.last_state) for row in rows}
