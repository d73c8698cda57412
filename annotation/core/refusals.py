"""Exceptions and helpers for all policies."""

from collections.abc import Callable
from typing import ParamSpec

from accounts.models import User
from annotation.core.models.people import OFFERED_ROLES, Membership
from annotation.core.models.projects import Project

P = ParamSpec("P")


class Denied(Exception):
    """The person may not do this now. The text is the sentence they read."""

    status = 403


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


def allowed(check: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> bool:
    """Return whether the check passes, for templates."""
    try:
        check(*args, **kwargs)
    except Denied:
        return False
    return True
