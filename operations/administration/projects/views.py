"""The page of all projects, and what is pressed there."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest
from annotation.core.models.projects import Project
from annotation.projects import services as projects_services
from operations.administration.frame import (
    for_administrators,
    for_administrators_asked_again,
    render_section,
)
from operations.administration.projects import queries, services


@for_administrators
@require_safe
def project_list(request: UserRequest) -> HttpResponse:
    """List all projects with state, size and last activity."""
    sizes = queries.list_sizes()
    context = {
        "sizes": sizes,
        "states": queries.describe_states(sizes),
        "bytes": sum(size.bytes for size in sizes),
    }
    return render_section(request, "projects", "projects.html", context)


@for_administrators
@require_POST
def project_archive(request: UserRequest, slug: str) -> HttpResponse:
    """Archive a project: it can be read, and nobody gets work in it."""
    project = get_object_or_404(Project, slug=slug)
    projects_services.change_state(
        project=project, state=Project.State.ARCHIVED, by=request.user, now=timezone.now()
    )
    messages.success(request, f"{project.title} is archived. You can reopen it at any time.")
    return redirect("administration-projects")


@for_administrators
@require_POST
def project_reopen(request: UserRequest, slug: str) -> HttpResponse:
    """Give an archived project the state that it had before."""
    project = get_object_or_404(Project, slug=slug)
    projects_services.reopen_project(project=project, by=request.user, now=timezone.now())
    project.refresh_from_db()
    state = project.get_state_display().lower()
    messages.success(request, f"{project.title} is {state} again, as before.")
    return redirect("administration-projects")


@for_administrators_asked_again
def project_delete(request: UserRequest, slug: str) -> HttpResponse:
    """Delete an empty project."""
    project = get_object_or_404(Project, slug=slug)
    services.delete_project(project=project, by=request.user, now=timezone.now())
    messages.success(request, f"{project.title} is deleted.")
    return redirect("administration-projects")
