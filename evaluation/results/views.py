"""Results of a study, for its staff: the page, its files, and the judgments behind a figure."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.pages.panels import row_panels_of
from annotation.pages.views import project_page
from evaluation.judgments import pair_page
from evaluation.results import files as tables
from evaluation.results import report
from evaluation.results.files import NOTHING
from evaluation.results.stored import find_results
from evaluation.studies import results_job
from evaluation.studies.models import Study
from evaluation.systems.models import System

TAB = "studies"


@require_http_methods(["GET", "POST"])
@never_cache
def study_results(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """The stored figures of a study. A POST starts computing them again."""
    study = _study(request, slug, study_id)
    if request.method == "POST":
        results_job.start_results_job(study=study, by=request.user, now=timezone.now())
        return redirect(request.get_full_path())
    results = find_results(study)
    if "HX-Request" in request.headers:  # a page that waits for new figures
        over = {} if results.computing else {"HX-Refresh": "true"}
        return HttpResponse(status=204, headers=over)
    context = project_page(request, study.project, TAB) | {
        "study": study,
        "results": results,
        "panels": row_panels_of(study, "study-results", request.user),
    }
    return render(
        request,
        "evaluation/results/study_results.html",
        context | _shown(request, study, results.figures),
    )


def _shown(request: UserRequest, study: Study, figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return the figures for the page: for one criterion and one metric, where there are more."""
    if not figures:
        return {}
    criteria = [(row["key"], row["label"]) for row in figures["criteria"]]
    metrics = report.list_metrics(figures)
    # The last criterion is the one that weighs the others up.
    key = _chosen(request.GET.get("criterion"), criteria, len(criteria) - 1)
    criterion = report.find_criterion(figures, key)
    metric = _chosen(request.GET.get("metric"), metrics, 0)
    return {
        "figures": figures,
        "criteria": criteria,
        "criterion": criterion,
        "metrics": metrics,
        "metric": metric,
        "ids": {str(system): system.pk for system in System.objects.filter(studies=study)},
        "acc": report.tabulate_accuracy(figures),
        "precision": report.tabulate_precision(figures),
        "verdicts": report.tabulate_verdicts(figures),
        "points": report.tabulate_points(figures),
        "matrix": report.tabulate_matrix(figures, criterion),
        "strengths": report.tabulate_strengths(criterion),
        "agreed": report.tabulate_agreement(figures),
        "sides": report.describe_sides(criterion),
        "correlations": report.tabulate_correlations(figures),
        "notes": sorted({row["note"] for row in figures["correlations"]["rows"] if "note" in row}),
        "scatter": report.plot_scatter(figures, metric) if metric else None,
    }


def _chosen(asked: str | None, choices: list[tuple[str, str]], usual: int) -> str:
    keys = [key for key, _ in choices]
    return asked if asked in keys else keys[usual] if keys else ""


@require_safe
def study_file(request: UserRequest, slug: str, study_id: int, format: str) -> HttpResponse:
    """The stored figures as CSV, JSON or LaTeX."""
    study = _study(request, slug, study_id)
    if format not in ("csv", "json", "tex"):
        raise Http404
    stored = find_results(study)
    if not stored.figures:
        raise Conflict(NOTHING)
    if format == "csv":
        content: str | bytes = tables.render_csv(stored.figures)
    elif format == "tex":
        content = tables.render_latex(stored.figures, intervals="intervals" in request.GET)
    else:
        content = tables.render_json(study, stored)
    kind = {"csv": "text/csv; charset=utf-8", "tex": "application/x-tex; charset=utf-8"}
    response = HttpResponse(content, content_type=kind.get(format, "application/json"))
    name = f"{study.project.slug}-study-{study.pk}.{format}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
@never_cache
def study_judgments(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """The judgments of two systems of a study, or of one, with texts and reasons."""
    study = _study(request, slug, study_id)
    systems = System.objects.filter(studies=study)
    first = get_object_or_404(systems, pk=parse_number(request.GET.get("first", "")))
    asked = request.GET.get("second")
    second = get_object_or_404(systems, pk=parse_number(asked)) if asked else None
    start = parse_number(request.GET.get("from", ""))
    context = project_page(request, study.project, TAB) | {
        "study": study,
        "first": first,
        "second": second,
        "start": start,
        "page": pair_page.page_of(study, first, second, start=start),
    }
    return render(request, "evaluation/results/study_judgments.html", context)


def _study(request: UserRequest, slug: str, study_id: int) -> Study:
    project = get_project(request, slug, check_can_manage)
    study = get_object_or_404(Study, project=project, pk=study_id)
    study.project = project
    return study
