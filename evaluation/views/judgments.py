"""Judgments made elsewhere: the form that imports them as a closed study."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from annotation.formats.records import WrongFormat
from annotation.policies import Conflict
from annotation.uploads import refusal, takes_files
from annotation.views.loaders import UserRequest, get_project
from annotation.views.tabs import project_page
from evaluation.forms.files import JudgmentsForm
from evaluation.given import BadRows
from evaluation.kit import COLUMNS
from evaluation.models import Study
from evaluation.policies.systems import check_can_import_outputs
from evaluation.services.judgments import import_judgments

SHOWN = 20  # bad rows


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def judgments_import(request: UserRequest, slug: str) -> HttpResponse:
    """Choose a file; then the page of the study that was made of it."""
    project = get_project(request, slug, check_can_import_outputs)
    form = JudgmentsForm()
    if request.method == "POST":
        form = JudgmentsForm(request.POST, request.FILES, refused=refusal(request))
        if form.is_valid():
            try:
                study, imported = import_judgments(
                    project=project, by=request.user, now=timezone.now(), **form.cleaned_data
                )
            except BadRows as bad:
                _name(form, bad)
            except WrongFormat as error:
                form.add_error("file", f"{error} Nothing was imported.")
            except Conflict as error:
                form.add_error(None, f"{error} Nothing was imported.")
            else:
                return _made(request, slug, study, again=imported.again)
    context = project_page(request, project, "studies") | {"form": form, "columns": COLUMNS}
    status = 422 if form.is_bound else 200
    return render(request, "evaluation/judgments_import.html", context, status=status)


def _name(form: JudgmentsForm, bad: BadRows) -> None:
    sentences = bad.sentences[:SHOWN]
    for sentence in sentences:
        form.add_error(None, sentence)
    more = bad.count - len(sentences)
    form.add_error(None, f"{f'And {more:,} more. ' if more else ''}Nothing was imported.")


def _made(request: UserRequest, slug: str, study: Study, *, again: bool) -> HttpResponse:
    if again:
        messages.info(request, f"“{study}” had these judgments already. Nothing was imported.")
    else:
        messages.success(request, f"Imported “{study}”, a closed study.")
    return redirect("study-view", slug, study.pk)
