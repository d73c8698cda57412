"""The qualifications that a person's work requires, and those they have got lately."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from accounts.models import User
from annotation.core.models.qualifications import Qualification
from annotation.qualifications.models import QualificationAttempt, Qualified
from annotation.qualifications.policies import first_sentence
from annotation.qualifications.training import TrainingFacts, next_step_sentence
from annotation.qualifications.training_queries import with_facts

State = QualificationAttempt.State
ACCEPTED_DAYS = 14


@dataclass(frozen=True)
class Demand:
    """A qualification that a person's work requires, and how far they are with it."""

    qualification: Qualification
    facts: TrainingFacts

    @property
    def sentence(self) -> str:
        """The sentence for the person under My work."""
        if self.facts.trains:
            return next_step_sentence(self.facts)
        if self.facts.exam == State.IN_REVIEW:
            return "The team is reading your qualification. Work appears here once you have passed."
        return first_sentence(self.facts.items)


def list_demands(user: User, qualification_ids: Sequence[int]) -> dict[int, Demand]:
    """Return what the person's work requires, by id of the qualification. One query."""
    if not qualification_ids:
        return {}
    rows = Qualification.objects.filter(pk__in=qualification_ids).order_by("pk")
    return {row.pk: Demand(row, facts) for row, facts in with_facts(user, rows)}


def list_recent_acceptances(user: User, *, now: dt.datetime) -> list[Qualified]:
    """Return the qualifications the team gave the person in the last days, newest first. One query.

    Without those passed automatically, as the person was told at once.
    """
    rows = Qualified.objects.filter(
        user=user,
        revoked_at=None,
        given_at__gte=now - dt.timedelta(days=ACCEPTED_DAYS),
        attempt__decided_by__isnull=False,
    )
    return list(rows.select_related("qualification__project").order_by("-given_at"))
