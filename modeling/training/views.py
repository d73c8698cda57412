"""The page on which a training set is chosen; filled in, it is the download."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access.data import check_can_export
from annotation.access.loaders import UserRequest, get_project
from annotation.core.refusals import Conflict
from annotation.exports.downloads import send_zip
from annotation.models import Project
from annotation.pages.views import project_page
from evaluation.systems.views import TAB
from modeling.base import MissingModel
from modeling.training.forms import TrainingSetPageForm
from modeling.training.sets import start_training_set


@require_safe
def training_set(request: UserRequest, slug: str) -> HttpResponseBase:
    """Show the form of a training set; if filled in, send the file with its manifest."""
    project = get_project(request, slug, check_can_export)
    form = TrainingSetPageForm(request.GET or None)
    if not form.is_valid():
        return _show_form(request, project, form)
    try:
        made = start_training_set(
            project=project,
            choice=form.get_choice(),
            layout=form.cleaned_data["layout"],
            by=request.user,
            now=timezone.now(),
        )
    except (Conflict, MissingModel) as problem:
        form.add_error(None, str(problem))
        return _show_form(request, project, form)
    return send_zip(made)


def _show_form(request: UserRequest, project: Project, form: TrainingSetPageForm) -> HttpResponse:
    context = project_page(request, project, TAB) | {"form": form}
    status = 422 if form.is_bound else 200
    return render(request, "modeling/training/set.html", context, status=status)
