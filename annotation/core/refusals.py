"""Exceptions and helpers for all policies."""

from collections.abc import Callable
from typing import Any, ParamSpec

from accounts.models import User
from annotation.core.models.people import OFFERED_ROLES, Membership
from annotation.core.models.projects import Project

P = ParamSpec("P")


class Denied(Exception):
    """The person may not do this now. The text is the sentence they read.

    leads_to: the address of the page on which they can do what is missing, "" if there is none.
    """

    status = 403
    leads_to = ""


class Conflict(Denied):
    """The request no longer fits the current state (409)."""

    status = 409


def roles_in(user: User, project: Project) -> frozenset[str]:
    """Return the person's roles in the project; superusers have every role on offer. One query."""
    if user.is_superuser:
        return frozenset(role for role, _ in OFFERED_ROLES)
    return frozenset(
        Membership.objects.filter(user=user, project=project).values_list("role", flat=True)
    )


def is_allowed(check: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Return whether the check passes, for templates."""
    try:
        check(*args, **kwargs)
    except Denied:
        return False
    return True


class ResponseRefused(Denied):
    """The response has errors or unanswered warnings. `report` lists them (422)."""

    status = 422

    def __init__(self, report: Any) -> None:
        super().__init__("Some things are still to do before this can be submitted.")
        self.report = report


class TooMuch(Denied):
    """More was sent than can be stored (413)."""

    status = 413
