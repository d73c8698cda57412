"""The page that starts copying accepted questions of an AmbigQA project."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access.data import check_can_import
from annotation.access.loaders import UserRequest, get_project
from annotation.core.refusals import Conflict
from annotation.imports.adapters import sources_of
from annotation.long_answers.arriving import MAX_DISAMBIGUATIONS
from annotation.models import Project
from annotation.pages.views import project_page
from validation.copying import services as bringing
from validation.copying.forms import BringForm, sources_for


def bring_panel(project: Project) -> dict[str, Any]:
    """Return the context of _bring.html for the page of a project."""
    return {"shown": bool(sources_of(project))}


@never_cache
@require_http_methods(["GET", "POST"])
def copy_project_questions(request: UserRequest, slug: str) -> HttpResponse:
    """Choose a project and a split; then the page of the job."""
    project = get_project(request, slug, check_can_import)
    if not sources_of(project):
        raise Http404
    sources = list(sources_for(request.user, project))
    if request.method == "GET":
        return _page(request, project, BringForm(sources=sources))
    form = BringForm(request.POST, sources=sources)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    try:
        job = bringing.start_bringing(
            project=project, **form.service_arguments(), by=request.user, now=timezone.now()
        )
    except Conflict as conflict:
        form.add_error(None, str(conflict))
        return _page(request, project, form, status=422)
    return redirect("job-detail", slug, job.pk)


def _page(
    request: UserRequest, project: Project, form: BringForm, status: int = 200
) -> HttpResponse:
    context = project_page(request, project, "overview") | {
        "form": form,
        "most": MAX_DISAMBIGUATIONS,
    }
    return render(request, "validation/copying/bring.html", context, status=status)
