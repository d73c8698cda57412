"""The FAQ of a project: all members read and search it, staff write it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import trigger_client_event

from annotation.access.loaders import (
    UserRequest,
    get_assignment_of_member,
    get_project,
)
from annotation.core.models.projects import Guideline, Project
from annotation.faq import queries, services
from annotation.faq.forms import FaqForm
from annotation.faq.models import FaqEntry
from annotation.faq.policies import check_can_edit_faq
from annotation.pages.views import project_page
from annotation.text import markdown
from annotation.work.turn_views import is_fragment

SEARCH_LIMIT = 200
FAQ_HAS_IT = "Waiting for an answer? The FAQ may have it."


@require_http_methods(["GET", "HEAD", "POST"])
def project_faq(request: UserRequest, slug: str) -> HttpResponse:
    """Read and search the FAQ; staff add an entry."""
    project = get_project(request, slug)
    form = FaqForm(request.POST or None)
    if request.method == "POST":
        check_can_edit_faq(request.user, project)
        if form.is_valid():
            services.add_entry(
                project=project, by=request.user, now=timezone.now(), **form.cleaned_data
            )
            messages.success(
                request, "Added to the end of the FAQ. Everyone in the project can read it."
            )
            return redirect("project-faq", slug)
    search = request.GET.get("q", "")[:SEARCH_LIMIT].replace("\x00", "")
    entries = list(queries.list_entries(project, search))
    context = project_page(request, project, "faq") | {
        "form": form,
        "search": search,
        "entries": [(entry, markdown.render_markdown(entry.answer)) for entry in entries],
    }
    status = 422 if form.is_bound else 200
    return render(request, "annotation/faq/faq_list.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def faq_change(request: UserRequest, slug: str, entry_id: int) -> HttpResponse:
    """Change one entry."""
    project = get_project(request, slug, check_can_edit_faq)
    entry = _entry(project, entry_id)
    initial = {"question": entry.question, "answer": entry.answer}
    form = FaqForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        services.change_entry(entry=entry, by=request.user, now=timezone.now(), **form.cleaned_data)
        messages.success(request, "Saved. The log keeps the text from before.")
        return redirect("project-faq", slug)
    context = project_page(request, project, "faq") | {"form": form, "entry": entry}
    status = 422 if form.is_bound else 200
    return render(request, "annotation/faq/faq_change.html", context, status=status)


@require_POST
def faq_move(request: UserRequest, slug: str, entry_id: int) -> HttpResponse:
    """Move one entry up or down."""
    project = get_project(request, slug, check_can_edit_faq)
    services.move_entry(
        entry=_entry(project, entry_id),
        direction=request.POST.get("direction", ""),
        by=request.user,
        now=timezone.now(),
    )
    return redirect("project-faq", slug)


@require_POST
def faq_remove(request: UserRequest, slug: str, entry_id: int) -> HttpResponse:
    """Take one entry out."""
    project = get_project(request, slug, check_can_edit_faq)
    services.remove_entry(entry=_entry(project, entry_id), by=request.user, now=timezone.now())
    messages.success(request, "Removed. The log keeps its text.")
    return redirect("project-faq", slug)


@require_GET
def work_faq(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Show entries that match the reason a person types for parking a question."""
    assignment = get_assignment_of_member(request, assignment_id)
    reason = request.GET.get("reason", "")[:500].replace("\x00", "")
    found = queries.list_matching_entries(assignment.project_id, reason)
    entries = [(entry, markdown.render_markdown(entry.answer)) for entry in found]
    context = {"entries": entries, "label": FAQ_HAS_IT}
    response = render(request, "annotation/faq/_faq_matches.html", context)
    return trigger_client_event(response, "announce", {"value": FAQ_HAS_IT}) if found else response


def _entry(project: Project, entry_id: int) -> FaqEntry:
    return get_object_or_404(
        FaqEntry.objects.select_related("project"), project=project, pk=entry_id
    )


@require_GET
@never_cache
def work_guidelines(request: UserRequest, assignment_id: int) -> HttpResponse:
    """Show the project's guidelines, next to the work or as a page."""
    assignment = get_assignment_of_member(request, assignment_id)
    guideline = Guideline.newest_of(assignment.project_id)
    context = {
        "assignment": assignment,
        "project": assignment.project,
        "guideline": guideline,
        "parts": markdown.render_sections(guideline.body) if guideline else [],
        "faq": assignment.project.faq.exists(),
        "section": "work",
    }
    template = "_guidelines" if is_fragment(request) else "work_guidelines"
    return render(request, f"annotation/faq/{template}.html", context)
