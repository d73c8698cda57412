"""The page on which questions are made, and its card."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access.data import check_can_import
from annotation.access.loaders import UserRequest, get_project
from annotation.core.refusals import Conflict
from annotation.models import Project
from annotation.pages.views import project_page
from qampari.making.forms import MakingForm
from qampari.making.jobs import PROTOCOL, start_making_job
from wikipedia.wikidata.extracts import GraphProblem
from wikipedia.wikidata.folders import list_graphs


def making_panel(project: Project) -> dict[str, Any]:
    """Return the context of _making.html for the page of a project."""
    return {"made_here": project.protocol == PROTOCOL}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def make_questions(request: UserRequest, slug: str) -> HttpResponse:
    """Choose what is made; then the page of the job that makes it, or shows some."""
    project = get_project(request, slug, check_can_import)
    graphs = list_graphs()
    if request.method != "POST":
        return _show_form(request, project, MakingForm(graphs=graphs))
    form = MakingForm(request.POST, request.FILES, graphs=graphs)
    if not form.is_valid():
        return _show_form(request, project, form)
    try:
        job = start_making_job(
            project=project,
            graph=form.cleaned_data["graph"],
            choice=form.get_choice(),
            judge=form.cleaned_data["judge"],
            try_only="try" in request.POST,
            by=request.user,
            now=timezone.now(),
        )
    except (Conflict, GraphProblem) as problem:
        form.add_error(None, str(problem))
        return _show_form(request, project, form)
    return redirect("job-detail", slug, job.pk)


def _show_form(request: UserRequest, project: Project, form: MakingForm) -> HttpResponse:
    context = project_page(request, project, "overview") | {
        "form": form,
        "graphs": list_graphs(),
        "made_here": project.protocol == PROTOCOL,
    }
    status = 422 if form.is_bound else 200
    return render(request, "qampari/making.html", context, status=status)
