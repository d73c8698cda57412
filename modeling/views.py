"""The page that runs a baseline."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.models import Project
from annotation.policies import Conflict
from annotation.queries.data import splits_of
from annotation.views.loaders import UserRequest, get_project
from annotation.views.tabs import project_page
from evaluation.policies.systems import check_can_import_outputs
from evaluation.views.systems import TAB
from modeling.base import MissingModel
from modeling.forms import RunForm
from modeling.offers import Offer, offers
from modeling.services import running


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def system_run(request: UserRequest, slug: str) -> HttpResponse:
    """Choose a baseline and questions; then the page of the job."""
    project = get_project(request, slug, check_can_import_outputs)
    every = offers(project)
    entries = [offer.entry for offer in every if not offer.problem]
    splits = splits_of(project)
    data = request.POST if request.method == "POST" else None
    form = RunForm(data, entries=entries, splits=splits)
    if data is None or not form.is_valid():
        return _page(request, project, form, every, status=200 if data is None else 422)
    try:
        job = running.predict(
            project=project, choice=form.choice(), by=request.user, now=timezone.now()
        )
    except (Conflict, MissingModel) as problem:
        form.add_error(None, str(problem))
        return _page(request, project, form, every, status=422)
    return redirect("job-detail", slug, job.pk)


def _page(
    request: UserRequest, project: Project, form: RunForm, every: list[Offer], *, status: int
) -> HttpResponse:
    empty = "" if form.splits else "Import questions first: a baseline answers those of a split."
    if not form.entries:
        empty = "No baseline can run here. The reasons are below."
    context = project_page(request, project, TAB) | {
        "form": None if empty else form,
        "empty": empty,
        "missing": [offer for offer in every if offer.problem],
    }
    return render(request, "modeling/run.html", context, status=status)
