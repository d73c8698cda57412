"""Rehearsals of a study's design: begin one, judge its items, read what would be submitted."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.models import Project
from annotation.pages.views import project_page
from evaluation.judging.sheet import JudgingSheet
from evaluation.rehearsals.desk import RehearsalDesk
from evaluation.rehearsals.kept import KEY, Rehearsal, find_rehearsal, plan_rehearsal
from evaluation.rehearsals.page import RehearsalPage
from evaluation.studies.design import DesignError
from evaluation.studies.design_page import TAB
from evaluation.studies.form import StudyForm
from evaluation.studies.models import Study
from evaluation.studies.pool import read_eligible_questions
from evaluation.studies.preview import find_problems
from evaluation.studies.views import open_design

_OVER = "There is no rehearsal here any more. Begin it on the page of a study’s design."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def study_try(request: UserRequest, slug: str) -> HttpResponse:
    """What was said in a rehearsal. A POST of a study's design begins one, and saves nothing."""
    project = get_project(request, slug, check_can_manage)
    if request.method == "POST":
        return _begin(request, project)
    rehearsal = find_rehearsal(request.session, project)
    if rehearsal is None:
        return _lead_away(request, project)
    if rehearsal.following is not None:
        return redirect("study-try-item", slug, rehearsal.following)
    desks = [
        RehearsalDesk(
            rehearsal, number, project,
            session=request.session, by=request.user, now=timezone.now(),
        )
        for number, _ in enumerate(rehearsal.turns, start=1)
    ]  # fmt: skip
    context = project_page(request, project, TAB) | {
        "rehearsal": rehearsal,
        "items": [(desk.question, _list_texts(desk)) for desk in desks],
    }
    return render(request, "evaluation/rehearsals/rehearsed.html", context)


def _begin(request: UserRequest, project: Project) -> HttpResponse:
    page = open_design(request, project)
    form = StudyForm(request.POST, project=project)
    if not form.is_valid():
        return page.render_refused(form)
    study, systems = Study(project=project, **form.design), form.chosen
    problems = find_problems(study, systems, len(read_eligible_questions(study, systems)))
    for problem in problems:
        form.add_error(None, problem.sentence)
    if problems:
        return page.render_refused(form)
    try:
        rehearsal = plan_rehearsal(study, systems, draft=page.study)
    except DesignError as error:
        form.add_error(None, str(error))
        return page.render_refused(form)
    rehearsal.keep_in(request.session)
    return redirect("study-try-item", project.slug, 1)


def _list_texts(desk: RehearsalDesk) -> list[tuple[str, str]]:
    """Return what was said of an item, in the words of the form."""
    response = desk.sheet.load(desk.row.draft)
    if isinstance(desk.sheet, JudgingSheet):
        return desk.sheet.list_labelled_texts(response, desk.given)
    return [(label, text) for label, text in desk.sheet.list_field_texts(response) if text]


def _lead_away(request: UserRequest, project: Project) -> HttpResponse:
    messages.info(request, _OVER)
    return redirect("study-list", project.slug)


def _find_turn(request: UserRequest, slug: str, number: int) -> tuple[Project, Rehearsal | None]:
    """Return the project and its rehearsal, None where there is none. 404 without such an item."""
    project = get_project(request, slug, check_can_manage)
    rehearsal = find_rehearsal(request.session, project)
    if rehearsal is not None and not 1 <= number <= len(rehearsal.turns):
        raise Http404
    return project, rehearsal


@never_cache
@require_safe
def study_try_item(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show an item as its raters would see it."""
    project, rehearsal = _find_turn(request, slug, number)
    if rehearsal is None:
        return _lead_away(request, project)
    return RehearsalPage(request, rehearsal, number, project).show_work()


def _open_page(request: UserRequest, slug: str, number: int) -> RehearsalPage:
    """Return the page of an item; 404 without a rehearsal."""
    project, rehearsal = _find_turn(request, slug, number)
    if rehearsal is None:
        raise Http404
    return RehearsalPage(request, rehearsal, number, project)


@never_cache
@require_safe
def study_try_search(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Search Wikipedia beside an item; the search is kept nowhere."""
    page = _open_page(request, slug, number)
    return page.show_search(request.GET.get("q", ""), request.GET.get("offset", ""))


@never_cache
@require_safe
def study_try_read(request: UserRequest, slug: str, number: int, path: str) -> HttpResponse:
    """Open an article beside an item; the visit is kept nowhere."""
    return _open_page(request, slug, number).show_article(path)


@require_POST
def study_try_draft(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Keep what is on the form in the session, and reply as to a rater."""
    return _open_page(request, slug, number).save_draft()


@require_POST
def study_try_submit(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Check the form as a submission would, and go on."""
    return _open_page(request, slug, number).submit()


@require_POST
def study_try_leave(request: UserRequest, slug: str) -> HttpResponse:
    """Forget the rehearsal, and go back to the design."""
    project = get_project(request, slug, check_can_manage)
    rehearsal = find_rehearsal(request.session, project)
    request.session.pop(KEY, None)
    drafts = Study.objects.filter(project=project, pk=rehearsal.study if rehearsal else 0)
    draft = drafts.first()
    return redirect("study-view", slug, draft.pk) if draft else redirect("study-new", slug)
