"""The page on which questions are made, and its card."""

import json
from typing import Any

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access.data import check_can_import
from annotation.access.loaders import UserRequest, get_project
from annotation.core.refusals import Conflict
from annotation.models import Project
from annotation.pages.views import project_page
from qampari.making.choices import read_choice, write_choice
from qampari.making.editing.queries import list_asked_relations
from qampari.making.forms import SPLITS, MakingForm
from qampari.making.jobs import PROTOCOL, start_making_job
from qampari.making.previews import list_previews
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
    wanted = (request.POST or request.GET).get("graph", "")
    graph = wanted if wanted in graphs else (graphs[0] if graphs else "")
    relations = list_asked_relations(project)
    offered: dict[str, Any] = {
        "graphs": graphs,
        "relations": relations,
        "previews": list_previews(graph, relations) if graph else [],
        "initial": {"graph": graph},
    }
    if request.method != "POST" or "show" in request.POST:
        return _show_form(request, project, MakingForm(**offered))
    form = MakingForm(request.POST, request.FILES, **offered)
    if not form.is_valid():
        return _show_form(request, project, form)
    try:
        job = start_making_job(
            project=project,
            graph=form.cleaned_data["graph"],
            choice=form.get_choice(),
            judge=form.cleaned_data["judge"],
            try_only="try" in request.POST,
            sample_only="sample" in request.POST,
            by=request.user,
            now=timezone.now(),
        )
    except (Conflict, GraphProblem) as problem:
        form.add_error(None, str(problem))
        return _show_form(request, project, form)
    return redirect("job-detail", slug, job.pk)


@require_safe
def making_choices(request: UserRequest, slug: str) -> HttpResponse:
    """Send the usual choices as a file, with the relations of the project, to be changed."""
    project = get_project(request, slug, check_can_import)
    usual = read_choice({}, list_asked_relations(project))
    text = json.dumps(write_choice(usual), ensure_ascii=False, indent=2)
    response = HttpResponse(text + "\n", content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="choices.json"'
    return response


def _show_form(request: UserRequest, project: Project, form: MakingForm) -> HttpResponse:
    context = project_page(request, project, "overview") | {
        "form": form,
        "splits": SPLITS,
        "graphs": list_graphs(),
        "made_here": project.protocol == PROTOCOL,
    }
    status = 422 if form.is_bound else 200
    return render(request, "qampari/making.html", context, status=status)
