"""What people say of sentences: whether they show their facts."""

import datetime as dt
from collections.abc import Collection

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core.refusals import Conflict
from qampari.models import EvidenceOpinion, EvidenceVerdict


def store_opinion(*, verdict: EvidenceVerdict, shows: bool, by: User, now: dt.datetime) -> None:
    """Store whether a sentence shows its fact, in place of what the person said before.

    It is theirs alone, so that the newest word counts, from whichever window. The row says who and
    when; the log has no line of each. Staff only. Raises Conflict where there is no sentence.
    """
    check_can_import(by, verdict.project)
    if not verdict.path:
        raise Conflict("No sentence names both, so there is nothing to judge.")
    EvidenceOpinion.objects.bulk_create(
        [EvidenceOpinion(verdict=verdict, person=by, shows=shows, at=now)],
        update_conflicts=True,
        unique_fields=["verdict", "person"],
        update_fields=["shows", "at"],
    )


def find_own_opinions(by: User, verdicts: Collection[EvidenceVerdict]) -> dict[int, bool]:
    """Return what a person said of some verdicts, by their ids. One query."""
    rows = EvidenceOpinion.objects.filter(person=by, verdict__in=verdicts)
    return dict(rows.values_list("verdict", "shows"))
