"""The pages on which a training set, and a training, are chosen."""

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access.data import check_can_export
from annotation.access.loaders import UserRequest, get_project
from annotation.core.refusals import Conflict
from annotation.exports.downloads import send_zip
from annotation.models import Project
from annotation.pages.views import project_page
from evaluation.systems.policies import check_can_import_outputs
from evaluation.systems.views import TAB
from modeling.base import MissingModel
from modeling.training.forms import TrainForm, TrainingSetPageForm
from modeling.training.jobs import start_estimate_job, start_training_job
from modeling.training.libraries import find_missing_library
from modeling.training.sets import start_training_set
from modeling.weights import list_trained


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


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def train_weights(request: UserRequest, slug: str) -> HttpResponse:
    """Choose what is trained; then the page of the job that trains it, or says what it takes."""
    project = get_project(request, slug, check_can_import_outputs)
    again = request.method != "POST" or "again" in request.POST
    form = TrainForm(None if again else request.POST, initial=request.POST.dict())
    if not form.is_valid():
        return _show_train_form(request, project, form)
    start = start_estimate_job if "estimate" in request.POST else start_training_job
    try:
        job = start(
            project=project, choice=form.get_training(), by=request.user, now=timezone.now()
        )
    except (Conflict, MissingModel) as problem:
        form.add_error(None, str(problem))
        return _show_train_form(request, project, form)
    return redirect("job-detail", slug, job.pk)


def _show_train_form(request: UserRequest, project: Project, form: TrainForm) -> HttpResponse:
    context = project_page(request, project, TAB) | {
        "form": form,
        "trained": list_trained(),
        "missing": find_missing_library(),
    }
    status = 422 if form.is_bound else 200
    return render(request, "modeling/training/train.html", context, status=status)


def _show_form(request: UserRequest, project: Project, form: TrainingSetPageForm) -> HttpResponse:
    context = project_page(request, project, TAB) | {"form": form}
    status = 422 if form.is_bound else 200
    return render(request, "modeling/training/set.html", context, status=status)
