"""Data for the pages of a project."""

from django.db.models import Q, QuerySet

from accounts.models import User
from annotation.core.models.people import Membership
from annotation.core.models.projects import Project
from annotation.core.models.questions import Question
from annotation.core.models.work import Assignment
from annotation.long_answers.models import LongAnswer

PAGE = 50


def paused_members(project: Project) -> QuerySet[Membership]:
    """Return the people who get no new work until staff lift the pause, latest first."""
    paused = project.memberships.filter(paused_at__isnull=False)
    return paused.select_related("user").order_by("-paused_at")


def projects_of(user: User, *, archived: bool | None = None) -> QuerySet[Project]:
    """Return the projects the person may see, newest first: all, or only (un)archived ones."""
    projects = Project.objects.select_related("snapshot").order_by("-id")
    if archived is not None:
        chosen = Q(state=Project.State.ARCHIVED)
        projects = projects.filter(chosen if archived else ~chosen)
    if user.is_superuser:
        return projects
    return projects.filter(pk__in=Membership.objects.filter(user=user).values("project"))


def came_finished(question: Question) -> QuerySet[LongAnswer]:
    """Return the long answers imported as finished work, which no one here wrote."""
    rows = LongAnswer.objects.filter(question=question, assignment__isnull=True)
    return rows.prefetch_related(
        "knowledge__quote__page", "knowledge__more_quotes__page", "overrides"
    ).order_by("pk")


def answers_to(question: Question) -> QuerySet[Assignment]:
    """Return every assignment on the question with its submission, oldest first."""
    return (
        Assignment.objects.filter(task__question=question)
        .select_related("user", "annotation", "long_answer", "submission", "policy")
        .prefetch_related(
            "annotation__pairs__answers__quote__page",
            "annotation__pairs__answers__more_quotes__page",
            "annotation__kept_warnings",
            "long_answer__knowledge__quote__page",
            "long_answer__knowledge__more_quotes__page",
            "long_answer__overrides",
            "submission__quotes__page",
        )
        .order_by("pk")
    )


def roles_of(user: User) -> dict[int, list[str]]:
    """Return the person's roles by project id."""
    roles: dict[int, list[str]] = {}
    for project_id, role in (
        Membership.objects.filter(user=user)
        .order_by("project", "id")
        .values_list("project", "role")
    ):
        roles.setdefault(project_id, []).append(role)
    return roles
