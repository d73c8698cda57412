"""Studies: the list, the design of a draft, and how far a running one is."""

import uuid

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.models import Project
from annotation.pages.panels import row_panels_of
from annotation.pages.views import project_page
from evaluation.studies import overview
from evaluation.studies import services as studies
from evaluation.studies.design import SINGLE, DesignError
from evaluation.studies.design_page import TAB, DesignPage
from evaluation.studies.models import DeletedDraft, Study
from evaluation.studies.pool import draw_questions, read_eligible_questions
from evaluation.studies.preview import warnings_of
from evaluation.studies.raters import policy_of, raters_of

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
    """The studies of a project, and its deleted drafts. A POST copies the study that `copy` names
    to a new draft.
    """
    project = get_project(request, slug, check_can_manage)
    now = timezone.now()
    if request.method == "POST":
        copied = parse_number(request.POST.get("copy", ""))
        source = get_object_or_404(Study, project=project, pk=copied)
        made = studies.create_study(project=project, source=source, by=request.user, now=now)
        return redirect("study-view", slug, made.pk)
    deleted = overview.list_deleted_drafts(project, now=now)
    just = parse_number(request.GET.get("deleted", ""))
    context = project_page(request, project, TAB) | {
        "studies": overview.studies_of(project),
        "deleted": deleted,
        "just_deleted": next((row for row in deleted if row.pk == just), None),
    }
    return render(request, "evaluation/studies/study_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request: UserRequest, slug: str) -> HttpResponse:
    """A study that is proposed and saved nowhere. A POST makes its draft, once, and changes it."""
    project = get_project(request, slug, check_can_manage)
    if request.method != "POST":
        return DesignPage(request, project, None, uuid.uuid4()).show_design()
    return open_design(request, project).change_design()


def open_design(request: UserRequest, project: Project) -> DesignPage:
    """Return the page of the study whose form is posted, saved or not."""
    try:
        key = uuid.UUID(request.POST.get("form_key", ""))
    except ValueError:
        key = uuid.uuid4()
    rows = Study.objects.select_related("reference").filter(project=project)
    study = rows.filter(form_key=key).first()
    if number := parse_number(request.POST.get("study", "")):
        study = get_object_or_404(rows, pk=number)
    if study is not None:
        study.project = project
    return DesignPage(request, project, study, key)


@require_http_methods(["GET", "HEAD", "POST"])
def study_view(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """The design of a draft, which a POST changes or starts; of other studies how far they are."""
    study = get_study(request, slug, study_id)
    page = DesignPage(request, study.project, study, uuid.uuid4())
    if request.method == "POST":
        return page.change_design()
    return _progress(request, study) if study.state != Study.State.DRAFT else page.show_design()


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
        "warnings": warnings_of(study, raters) if running else [],
        "panels": row_panels_of(study, "study", request.user),
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
    """Delete a draft; the list then offers to bring it back."""
    study = get_study(request, slug, study_id)
    deleted = studies.delete_study(study=study, by=request.user, now=timezone.now())
    return redirect(f"{reverse('study-list', args=[slug])}?deleted={deleted.pk}")


@require_POST
def study_restore(request: UserRequest, slug: str, deleted_id: int) -> HttpResponse:
    """Bring a deleted draft back."""
    project = get_project(request, slug, check_can_manage)
    deleted = get_object_or_404(DeletedDraft, project=project, pk=deleted_id)
    study = studies.restore_draft(deleted=deleted, by=request.user, now=timezone.now())
    messages.success(request, f"The draft {study.title} is back.")
    return redirect("study-view", slug, study.pk)
