"""The pages that compare the answers of systems by automatic metrics, and score them."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
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
from evaluation.scores.registry import Scoring, scoring_of, takes_readers
from evaluation.scores.values import answers_by_split
from evaluation.scoring import reader_files, side_by_side
from evaluation.scoring import services as scoring
from evaluation.scoring.forms import AnswersForm, ScoreForm, SideBySideForm
from evaluation.systems.models import System
from evaluation.systems.views import TAB


@takes_files
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def system_scores(request: UserRequest, slug: str) -> HttpResponse:
    """The stored figures of the systems of a split; a POST scores, or takes a reader's answers."""
    project = get_project(request, slug, check_can_manage)
    splits, split = _choose_split(request, project)
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


@never_cache
@require_safe
def system_answers(request: UserRequest, slug: str) -> HttpResponse:
    """The answers of several systems beside the reference, with the scores of each question."""
    project = get_project(request, slug, check_can_manage)
    splits, split = _choose_split(request, project)
    rows = project.systems.filter(outputs__question__split=split).distinct()
    offered = list(rows) if split else []
    scoring = scoring_of(project)
    kinds = side_by_side.list_item_kinds(scoring)
    form = SideBySideForm(_choose_usual(request.GET, offered), offered=offered, kinds=kinds)
    context = project_page(request, project, TAB) | {
        "splits": [(key, Split(key).label) for key in splits],
        "split": split,
        "form": form,
    }
    if form.is_valid() and offered:
        context |= _compared(request, project, split, form, scoring)
    status = 200 if form.is_valid() else 422
    return render(request, "evaluation/scoring/system_answers.html", context, status=status)


def _choose_usual(given: QueryDict, offered: Sequence[System]) -> QueryDict:
    """Return what was chosen, and what is usual where nothing was: the first two systems."""
    chosen = given.copy()
    if not chosen.getlist("systems"):
        chosen.setlist("systems", [str(row.pk) for row in offered[:2]])
    chosen.setdefault("order", side_by_side.IMPORTED)
    chosen.setdefault("figure", side_by_side.RANKED)
    return chosen


def _compared(
    request: UserRequest, project: Project, split: str, form: SideBySideForm, scoring: Scoring
) -> dict[str, Any]:
    """Return the context of a page of questions, by what the form says."""
    systems = form.cleaned_data["systems"]
    measures = side_by_side.read_measures(project, split, systems)
    order, figure = form.cleaned_data["order"], form.cleaned_data["figure"]
    names = scoring.ranked_by if figure == side_by_side.RANKED else [figure]
    kind = side_by_side.find_measured_kind(measures, form.kinds, names)
    ids = side_by_side.order_questions(project, split, systems, measures, kind, order)
    number = parse_number(request.GET.get("page", "")) or 1
    start = (number - 1) * side_by_side.PAGE
    shown = ids[start : start + side_by_side.PAGE]
    chosen = [("split", split), *(("systems", row.pk) for row in systems)]
    return {
        "systems": systems,
        "order": order,
        "ranked": order == side_by_side.IMPORTED or kind is not None,
        "measures": measures,
        "count": len(ids),
        "longest": side_by_side.LONGEST,
        "page_size": side_by_side.PAGE,
        "first": start + 1,
        "compared": side_by_side.read_questions(shown, systems, measures, scoring),
        "query": urlencode([*chosen, ("order", order), ("figure", figure)]),
        "earlier": min(number - 1, -(-len(ids) // side_by_side.PAGE)),
        "later": number + 1 if start + len(shown) < len(ids) and shown else 0,
    }


def _choose_split(request: UserRequest, project: Project) -> tuple[list[str], str]:
    """Return the splits in which systems answered, and the one to show, "" where there is none."""
    answered = answers_by_split(project)
    splits = [key for key in Split.values if key in answered]
    asked = request.GET.get("split", "")
    usual = Split.DEV.value if Split.DEV in splits else next(iter(splits), "")
    return splits, asked if asked in splits else usual


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
