"""Studies: the list, the design of a draft, and how far a running one is."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.models import Split
from annotation.pages.views import project_page
from evaluation.studies import overview
from evaluation.studies import services as studies
from evaluation.studies.design import SINGLE, DesignError
from evaluation.studies.form import MOST_CRITERIA, StudyForm, apply_press
from evaluation.studies.models import Study
from evaluation.studies.pool import draw_questions, read_eligible_questions
from evaluation.studies.preview import Preview, build_preview, warnings_of
from evaluation.studies.raters import policy_of, raters_of

TAB = "studies"
PAGE = 100


def get_study(request: UserRequest, slug: str, study_id: int) -> Study:
    """Return a study of a project that the person runs."""
    project = get_project(request, slug, check_can_manage)
    rows = Study.objects.select_related("project__snapshot", "reference", "created_by")
    study = get_object_or_404(rows, project=project, pk=study_id)
    study.project = project
    return study


@require_http_methods(["GET", "HEAD", "POST"])
def study_list(request: UserRequest, slug: str) -> HttpResponse:
    """The studies of a project. A POST makes a draft, of another study if `copy` names one."""
    project = get_project(request, slug, check_can_manage)
    if request.method == "POST":
        copy = request.POST.get("copy", "")
        source = get_object_or_404(Study, project=project, pk=parse_number(copy)) if copy else None
        made = studies.create_study(
            project=project, source=source, by=request.user, now=timezone.now()
        )
        return redirect("study-view", slug, made.pk)
    context = project_page(request, project, TAB) | {"studies": overview.studies_of(project)}
    return render(request, "evaluation/studies/study_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def study_view(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """The design of a draft, which a POST changes or starts; of other studies how far they are."""
    study = get_study(request, slug, study_id)
    if request.method == "POST":
        return _change(request, study)
    if study.state != Study.State.DRAFT:
        return _progress(request, study)
    return _design(request, study, StudyForm(project=study.project, study=study))


def _change(request: UserRequest, study: Study) -> HttpResponse:
    press = request.POST.get("press", "save")
    data = apply_press(request.POST, press)
    form = StudyForm(data, project=study.project)
    if press == "estimate" and "HX-Request" in request.headers:
        return _estimate(request, study, form)
    if data != request.POST:  # new fields may still be empty: that is no mistake yet
        typed = StudyForm(project=study.project, typed=data)
        return _design(
            request, study, typed, estimated=StudyForm(request.POST, project=study.project)
        )
    if not form.is_valid():
        return _design(request, study, form, status=422)
    if press == "estimate":
        return _design(request, study, form)
    now = timezone.now()
    try:
        studies.change_study(
            study=study, changes=form.design, systems=form.chosen, by=request.user, now=now
        )
        if press == "start":
            studies.start_study(study=study, by=request.user, now=now)
            messages.success(request, f"{study.title} has started. Its questions are being judged.")
    except Conflict as conflict:
        study.refresh_from_db()
        if study.state != Study.State.DRAFT:
            raise
        form.add_error(None, str(conflict))
        return _design(request, study, form, status=422)
    if press == "sample":
        return redirect("study-sample", study.project.slug, study.pk)
    if press != "start":
        messages.success(request, "Draft saved.")
    return redirect("study-view", study.project.slug, study.pk)


def _design(
    request: UserRequest,
    study: Study,
    form: StudyForm,
    *,
    estimated: StudyForm | None = None,
    status: int = 200,
) -> HttpResponse:
    shown = _previewed(study, estimated or form)
    split = form["split"].value()
    context = project_page(request, study.project, TAB) | shown
    context |= {
        "form": form,
        "answerers": overview.list_answering_systems(
            study.project, split if split in Split.values else "dev"
        ),
        "chosen": {str(value) for value in form["systems"].value() or []},
        "more_criteria": form.number < MOST_CRITERIA,
        "pairings": form.pairings,
    }
    return render(request, "evaluation/studies/study_design.html", context, status=status)


def _previewed(study: Study, form: StudyForm) -> dict[str, Any]:
    """Return the preview of what the form holds, None while it cannot be read."""
    draft, systems = study, list(study.systems.all())
    shown: Preview | None = None
    if form.is_bound and form.is_valid():
        draft, systems = Study(project=study.project, **form.design), form.chosen
    if not form.is_bound or form.is_valid():
        shown = build_preview(draft, systems)
    return {"study": study, "draft": draft, "preview": shown, "number_chosen": len(systems)}


def _estimate(request: UserRequest, study: Study, form: StudyForm) -> HttpResponse:
    """The figures of a design as it is typed; nothing is saved."""
    context = {"project": study.project, "swap": True} | _previewed(study, form)
    return render(request, "evaluation/studies/_estimate.html", context)


def _progress(request: UserRequest, study: Study) -> HttpResponse:
    policy = policy_of(study.project, study.stage, study.split)
    raters = raters_of(study.project, study.stage, policy)
    running = study.state == Study.State.RUNNING
    context = project_page(request, study.project, TAB) | {
        "study": study,
        "pairs": study.pairing not in SINGLE,
        "panel": study.pairing == Study.Pairing.EXPERT,
        "systems": study.systems.all(),
        "progress": overview.progress_of(study, now=timezone.now()),
        "policy": policy,
        "raters": raters,
        "warnings": warnings_of(study, raters, None) if running else [],
    }
    return render(request, "evaluation/studies/study_view.html", context)


@require_safe
def study_sample(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """The questions that a study has drawn, or, of a draft, would draw now."""
    study = get_study(request, slug, study_id)
    problem, ids = "", []
    if study.state == Study.State.DRAFT:
        try:
            ids = draw_questions(study, read_eligible_questions(study, list(study.systems.all())))
        except DesignError as error:
            problem = str(error)
    else:
        ids = overview.questions_in(study)
    start = parse_number(request.GET.get("from", ""))
    context = project_page(request, study.project, TAB) | {
        "study": study,
        "problem": problem,
        "questions": overview.list_questions_in_order(study, ids[start : start + PAGE]),
        "start": start,
        "following": start + PAGE if start + PAGE < len(ids) else None,
        "drawn": len(ids),
    }
    return render(request, "evaluation/studies/study_sample.html", context)


@require_POST
def study_close(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """Ask for no more judgments."""
    study = get_study(request, slug, study_id)
    studies.close_study(study=study, by=request.user, now=timezone.now())
    messages.success(request, f"{study.title} is closed. Items in hand can still be submitted.")
    return redirect("study-view", slug, study.pk)


@require_POST
def study_delete(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """Delete a draft."""
    study = get_study(request, slug, study_id)
    studies.delete_study(study=study, by=request.user, now=timezone.now())
    messages.success(request, f"The draft {study.title} is deleted.")
    return redirect("study-list", slug)
