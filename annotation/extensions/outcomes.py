"""Outcomes of submissions, asked of the floor above that decides on them."""

import datetime as dt
from collections.abc import Collection

from accounts.models import User
from annotation.extensions.registry import all_extensions


def accepted_since(user: User, since: dt.datetime) -> tuple[int, int]:
    """Return how many submissions since then have a result, and how many of these are accepted."""
    counts = [source.tally(user, since=since) for source in all_extensions().outcomes]
    return sum(decided for decided, _ in counts), sum(accepted for _, accepted in counts)


def read_outcome_labels(user: User, assignments: Collection[int]) -> dict[int, tuple[str, str]]:
    """Return label and tone of a person's own submissions, for those whose stage has results."""
    labels: dict[int, tuple[str, str]] = {}
    for source in all_extensions().outcomes:
        labels |= source.labels(user, assignments)
    return labels
