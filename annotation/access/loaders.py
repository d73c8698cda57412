"""Load objects and check rights in one line: strangers get 404, members without the right 403."""

import datetime as dt
from collections.abc import Callable

from django.db.models import Exists, OuterRef
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from accounts.models import User
from annotation.access import projects
from annotation.access.turns import turn_of
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.work import Assignment


class UserRequest(HttpRequest):
    """A request of a signed-in person."""

    user: User


def parse_number(text: str) -> int:
    """Return a number from an address or a form; 0 for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def parse_date_time(text: str) -> dt.datetime | None:
    """Read a date and time from a form; None for anything else."""
    try:
        parsed = parse_datetime(text)
        # The text may be an impossible date, or one out of range in another time zone.
        return parsed.astimezone(dt.UTC) if parsed and timezone.is_aware(parsed) else None
    except (ValueError, OverflowError):
        return None


def get_project(
    request: UserRequest, slug: str, check: Callable[[User, Project], None] | None = None
) -> Project:
    """Return the project if the person is a member and `check` lets them."""
    project = get_object_or_404(Project.objects.select_related("snapshot"), slug=slug)
    if not projects.is_member(request.user, project):
        raise Http404
    if check:
        check(request.user, project)
    return project


def get_member(project: Project, user_id: int) -> User:
    """Return a person with any role in the project, or answer 404."""
    return get_object_or_404(
        User.objects.filter(memberships__project=project).distinct(), pk=user_id
    )


def get_worker(project: Project, user_id: int) -> User:
    """Return a person with a role in the project, or who has worked in it; else answer 404."""
    worked = Assignment.objects.filter(project=project, user=OuterRef("pk"))
    belongs = Membership.objects.filter(project=project, user=OuterRef("pk"))
    return get_object_or_404(User.objects.filter(Exists(belongs) | Exists(worked)), pk=user_id)


def get_assignment(request: UserRequest, assignment_id: int) -> Assignment:
    """Return the person's own assignment, with what its work page needs, in one query."""
    assignment = turn_of(request.user, assignment_id)
    if assignment is None:
        raise Http404
    return assignment


def get_assignment_of_member(request: UserRequest, assignment_id: int) -> Assignment:
    """Return the same for pages that only members of the project may see: Wikipedia, guidelines.

    People who have left a project keep what they typed, and see nothing new in it.
    """
    assignment = get_assignment(request, assignment_id)
    if not projects.is_member(request.user, assignment.project):
        raise Http404
    return assignment
