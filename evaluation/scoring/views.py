"""The page that compares the answers of systems by automatic metrics, and scores them."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.figures import services as figures_services
from annotation.figures.filters import Filters
from annotation.figures.queries import find_stored_report
from annotation.figures.registry import find_report
from annotation.figures.views import panels_context
from annotation.models import Project, Split
from annotation.pages.views import project_page
from annotation.uploads.requests import takes_files, upload_refusal
from evaluation.reports.entries import SYSTEMS
from evaluation.scores import reading
from evaluation.scores.reading import NoReader
from evaluation.scores.registry import takes_readers
from evaluation.scores.values import answers_by_split
from evaluation.scoring import reader_files
from evaluation.scoring import services as scoring
from evaluation.scoring.forms import AnswersForm, ScoreForm
from evaluation.systems.views import TAB


@takes_files
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def system_scores(request: UserRequest, slug: str) -> HttpResponse:
    """The stored figures of the systems of a split; a POST scores, or takes a reader's answers."""
    project = get_project(request, slug, check_can_manage)
    splits = [key for key in Split.values if key in answers_by_split(project)]
    asked = request.GET.get("split", "")
    usual = Split.DEV.value if Split.DEV in splits else next(iter(splits), "")
    split = asked if asked in splits else usual
    upload = request.POST.get("source") == "file" and takes_readers(project)
    forms = _forms(request, project, splits, split, upload=upload)
    if request.method == "POST":
        done = _take(request, project, *forms) if upload else _start(request, project, forms[0])
        if done:
            return done
    context = project_page(request, project, TAB) | {
        "splits": [(key, Split(key).label) for key in splits],
        "split": split,
        "score_form": forms[0],
        "answers_form": forms[1] if takes_readers(project) else None,
        **_stored(request, project, split),
    }
    status = 422 if request.method == "POST" else 200
    return render(request, "evaluation/scoring/system_scores.html", context, status=status)


def _forms(
    request: UserRequest, project: Project, splits: list[str], split: str, *, upload: bool
) -> tuple[ScoreForm, AnswersForm]:
    posted = request.POST if request.method == "POST" else None
    return (
        ScoreForm(
            None if upload else posted,
            splits=splits,
            readers=reading.list_reader_offers() if takes_readers(project) else (),
            initial={"split": split},
            auto_id="score-%s",
        ),
        AnswersForm(
            posted if upload else None,
            request.FILES if upload else None,
            systems=list(project.systems.all()),
            refused=upload_refusal(request),
            auto_id="answers-%s",
        ),
    )


def _start(request: UserRequest, project: Project, form: ScoreForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    try:
        job = scoring.start_scoring_job(
            project=project, **form.cleaned_data, by=request.user, now=timezone.now()
        )
    except (Conflict, NoReader) as problem:
        form.add_error("reader" if isinstance(problem, NoReader) else None, str(problem))
        return None
    return redirect("job-detail", project.slug, job.pk)


def _take(
    request: UserRequest, project: Project, _: ScoreForm, form: AnswersForm
) -> HttpResponse | None:
    if not form.is_valid():
        return None
    system = form.cleaned_data["system"]
    try:
        taken, lacking = reader_files.store_answers(
            system=system,
            answers=reader_files.answers_in(form.cleaned_data["file"]),
            reader=form.cleaned_data["reader"],
            by=request.user,
            now=timezone.now(),
        )
    except Conflict as problem:
        form.add_error("file", f"{problem} Nothing was stored.")
        return None
    words = "1 text" if taken == 1 else f"{taken:,} texts"
    without = f" The file does not answer all of {lacking:,} others." if lacking else ""
    messages.success(request, f"Stored what the reader answered from {words} of {system}.{without}")
    return redirect(reverse("system-scores", args=[project.slug]))


def _stored(request: UserRequest, project: Project, split: str) -> dict[str, Any]:
    """Return the context of the stored panels; start the job where they are out of date."""
    report = find_report(project, SYSTEMS)
    if report is None or not split:
        return {}
    stored = find_stored_report(project, report, Filters(split=split))
    stored = figures_services.open_figures(stored, by=request.user, now=timezone.now())
    context = {"project": project, "report": report, "query": f"split={split}"}
    return context | panels_context(context, stored)
