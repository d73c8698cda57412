"""The page on which staff choose the similarity from which a paragraph is shown (S21)."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.contexts import queries, services
from annotation.contexts.forms import ThresholdForm
from annotation.contexts.policies import check_can_choose_contexts, check_has_contexts
from annotation.contexts.threshold import ThresholdChange, set_threshold
from annotation.core.models.projects import Project
from annotation.core.refusals import is_allowed
from annotation.figures import counts as stored_counts
from annotation.figures.counts import CONTEXTS
from annotation.imports.queries import job_context
from annotation.pages.views import project_page


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def project_contexts(request: UserRequest, slug: str) -> HttpResponse:
    """Show what each threshold would keep; `?threshold=` previews one, a post applies it."""
    project = get_project(request, slug, check_can_manage)
    check_has_contexts(project)
    form = _form(request, project)
    chosen = project.context_threshold
    if form.is_bound and form.is_valid():
        chosen = abs(float(form.cleaned_data["threshold"]))  # “-0” is 0
        if request.method == "POST":
            applied = set_threshold(
                project=project, threshold=chosen, by=request.user, now=timezone.now()
            )
            messages.success(request, _said(chosen, applied))
            return redirect("project-contexts", slug)
    context = project_page(request, project, "contexts") | _shown(request, project, chosen)
    context["form"] = form
    status = 422 if form.is_bound and form.errors else 200
    return render(request, "annotation/contexts/project_contexts.html", context, status=status)


@require_POST
def contexts_search(request: UserRequest, slug: str) -> HttpResponse:
    """Look for paragraphs; with `again` also for questions searched before."""
    project = get_project(request, slug, check_can_manage)
    again = request.POST.get("again") == "yes"
    services.start_search_job(project=project, again=again, by=request.user, now=timezone.now())
    return redirect("project-contexts", slug)


def _form(request: UserRequest, project: Project) -> ThresholdForm:
    if request.method == "POST":
        return ThresholdForm(request.POST)
    if "threshold" in request.GET:
        return ThresholdForm(request.GET)
    return ThresholdForm(initial={"threshold": f"{project.context_threshold:.2f}"})


def _shown(request: UserRequest, project: Project, chosen: float) -> dict[str, Any]:
    job = queries.latest_job(project)
    stored_counts.load_figures([project], CONTEXTS, now=timezone.now())
    overview = queries.get_overview(project)
    above, below = queries.list_threshold_examples(project, chosen)
    return {
        "counted_at": stored_counts.counted_at(project, CONTEXTS),
        "found": overview,
        "levels": overview.list_levels(),
        "now": overview.level_at(project.context_threshold),
        "chosen": overview.level_at(chosen),
        "previews": chosen != project.context_threshold,
        "effect": queries.preview_threshold(project, chosen),
        "above": above,
        "below": below,
        "missing": queries.get_missing_pages(project),
        "waiting": queries.waiting_questions(project),
        "may_choose": is_allowed(check_can_choose_contexts, request.user, project),
        **(job_context(job) if job else {}),
    }


def _said(threshold: float, applied: ThresholdChange) -> str:
    if applied.shown or applied.hidden:
        what = f"Paragraphs: {applied.shown:,} more shown, {applied.hidden:,} hidden."
    else:
        what = "The paragraphs shown stay the same."
    kept = f" Questions left as their writers saw them: {applied.kept:,}." if applied.kept else ""
    return f"The threshold is {threshold:.2f}. {what}{kept}"
