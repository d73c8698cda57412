"""Judgments made elsewhere: the form that starts importing them as a closed study."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.access.loaders import UserRequest, get_project
from annotation.core.refusals import Conflict
from annotation.imports.records import WrongFormat
from annotation.pages.views import project_page
from annotation.uploads.requests import takes_files, upload_refusal
from evaluation.judgments.forms import JudgmentsForm
from evaluation.judgments.import_jobs import start_judgments
from evaluation.judgments.kit import COLUMNS
from evaluation.judgments.setup_files import COLUMNS as SETUP_COLUMNS
from evaluation.systems.policies import check_can_import_outputs


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def judgments_import(request: UserRequest, slug: str) -> HttpResponse:
    """Choose a file; then the page of the job that makes a study of it."""
    project = get_project(request, slug, check_can_import_outputs)
    form = JudgmentsForm()
    if request.method == "POST":
        form = JudgmentsForm(request.POST, request.FILES, refused=upload_refusal(request))
        if form.is_valid():
            try:
                job = start_judgments(
                    project=project,
                    file_name=form.cleaned_data["file"].name,
                    **form.cleaned_data,
                    by=request.user,
                    now=timezone.now(),
                )
            except WrongFormat as error:
                form.add_error("file", f"{error} Nothing was imported.")
            except Conflict as error:
                form.add_error("title", str(error))
            else:
                return redirect("job-detail", slug, job.pk)
    context = project_page(request, project, "studies") | {
        "form": form,
        "columns": COLUMNS,
        "setup_columns": SETUP_COLUMNS,
    }
    status = 422 if form.is_bound else 200
    return render(request, "evaluation/judgments/judgments_import.html", context, status=status)
