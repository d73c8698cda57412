"""The pages that run a baseline: for answers of a system, and for suggestions to people."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access.loaders import UserRequest, get_project
from annotation.core.refusals import Conflict
from annotation.imports.queries import splits_of
from annotation.models import Job, Project
from annotation.pages.views import project_page
from evaluation.systems.policies import check_can_import_outputs
from evaluation.systems.views import TAB
from modeling.base import MissingModel
from modeling.forms import RunForm, SuggestForm
from modeling.offers import BaselineOption, group_offers_by_problem, list_baseline_offers
from modeling.services import indexing, running
from modeling.suggestion_views import TAB as SUGGESTIONS_TAB


@dataclass(frozen=True)
class RunPage:
    """What differs between the pages. back: the address it came from, and its name there."""

    title: str
    hint: str
    kind: str
    tab: str
    form: type[RunForm]
    start: Callable[..., Job]
    back: tuple[str, str]


PREDICT = RunPage(
    "Run a baseline",
    "Its answers are stored as a system, a version for each choice of options. You can stop it at "
    "any time and keep what it has answered.",
    running.PREDICT,
    TAB,
    RunForm,
    running.start_prediction_job,
    ("system-list", "Systems"),
)
SUGGEST = RunPage(
    "Suggest answers",
    "What it answers is stored for the people who annotate. They see it where the policy of their "
    "split names this system. You can stop it at any time and keep what is stored.",
    running.SUGGEST,
    SUGGESTIONS_TAB,
    SuggestForm,
    running.start_suggestion_job,
    ("suggestion-report", "Suggestions"),
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def system_run(request: UserRequest, slug: str) -> HttpResponse:
    """Choose a baseline and a split; then the page of the job that stores its answers."""
    return _run(request, slug, PREDICT)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def suggestion_run(request: UserRequest, slug: str) -> HttpResponse:
    """Choose a baseline and questions; then the page of the job that stores suggestions."""
    return _run(request, slug, SUGGEST)


def _run(request: UserRequest, slug: str, page: RunPage) -> HttpResponse:
    project = get_project(request, slug, check_can_import_outputs)
    every = list_baseline_offers(project, page.kind)
    entries = [offer.entry for offer in every if not offer.problem]
    data = request.POST if request.method == "POST" else None
    # A link can fill the form in, such as that of a training with its weights.
    asked = {name: request.GET[name] for name in ("baseline", "options") if name in request.GET}
    form = page.form(data, entries=entries, splits=splits_of(project), initial=asked)
    if data is None or not form.is_valid():
        return _page(request, project, page, form, every, status=200 if data is None else 422)
    try:
        job = page.start(
            project=project, choice=form.get_choice(), by=request.user, now=timezone.now()
        )
    except (Conflict, MissingModel) as problem:
        form.add_error(None, str(problem))
        return _page(request, project, page, form, every, status=422)
    return redirect("job-detail", slug, job.pk)


def _page(
    request: UserRequest,
    project: Project,
    page: RunPage,
    form: RunForm,
    every: list[BaselineOption],
    *,
    status: int,
) -> HttpResponse:
    empty = "" if form.splits else "Import questions first: a baseline answers those of a split."
    if not form.entries:
        empty = "No baseline can run here. The reasons are below."
    context = project_page(request, project, page.tab) | {
        "page": page,
        "form": None if empty else form,
        "empty": empty,
        "missing": group_offers_by_problem(every),
        "vectors": indexing.list_missing_vectors(project),
    }
    return render(request, "modeling/run.html", context, status=status)
