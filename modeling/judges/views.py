"""Judge models on the pages of a study, for its staff."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.figures import services as figures_services
from evaluation.models import Study
from modeling.judges import services as judges_services
from modeling.judges.figures import find_figures, place_figures
from modeling.judges.models import JudgeModel


def get_study(request: UserRequest, slug: str, study_id: int) -> Study:
    """Return a study of a project that the person runs."""
    project = get_project(request, slug, check_can_manage)
    study = get_object_or_404(Study, project=project, pk=study_id)
    study.project = project
    return study


def get_judge(request: UserRequest, slug: str, study_id: int, judge_id: int) -> JudgeModel:
    """Return a judge model of a study of a project that the person runs."""
    study = get_study(request, slug, study_id)
    judge = get_object_or_404(JudgeModel, study=study, pk=judge_id)
    judge.study = study
    return judge


@require_POST
def judge_add(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """Add a model to a study. The box says that its items may be sent to it."""
    study = get_study(request, slug, study_id)
    talker = request.POST.get("talker", "")
    if talker not in JudgeModel.Talker.values:
        talker = JudgeModel.Talker.ENDPOINT.value
    judge = judges_services.add_judge(
        study=study,
        talker=talker,
        allowed=bool(request.POST.get("allowed")),
        as_json=not request.POST.get("without_json"),
        reasons=bool(request.POST.get("reasons")),
        by=request.user,
        now=timezone.now(),
    )
    messages.success(request, f"{judge.model} is a judge of this study. It is asked once you say.")
    return redirect("study-view", slug, study_id)


@require_POST
def judge_run(request: UserRequest, slug: str, study_id: int, judge_id: int) -> HttpResponse:
    """Ask a model what it was not asked, and lead to the job."""
    judge = get_judge(request, slug, study_id, judge_id)
    job = judges_services.start_run(judge=judge, by=request.user, now=timezone.now())
    return redirect("job-detail", slug, job.pk)


@require_POST
def judge_allow(request: UserRequest, slug: str, study_id: int, judge_id: int) -> HttpResponse:
    """Allow that a model is sent the items, or no longer."""
    judge = get_judge(request, slug, study_id, judge_id)
    judges_services.change_allowance(
        judge=judge,
        allowed=bool(request.POST.get("allowed")),
        by=request.user,
        now=timezone.now(),
    )
    return redirect("study-view", slug, study_id)


@require_POST
def judge_remove(request: UserRequest, slug: str, study_id: int, judge_id: int) -> HttpResponse:
    """Remove a model and what it said."""
    judge = get_judge(request, slug, study_id, judge_id)
    judges_services.remove_judge(judge=judge, by=request.user, now=timezone.now())
    messages.success(request, f"{judge.model} is no judge of this study any more.")
    return redirect("study-view", slug, study_id)


@require_http_methods(["GET", "POST"])
@never_cache
def judge_figures(request: UserRequest, slug: str, study_id: int) -> HttpResponse:
    """Compute the figures of the judge models again. A GET, by a page that waits, asks for them."""
    study = get_study(request, slug, study_id)
    if request.method == "POST":
        figures_services.start_figures_job(
            place_figures(study), by=request.user, now=timezone.now()
        )
    elif "HX-Request" in request.headers:
        over = {} if find_figures(study).computing else {"HX-Refresh": "true"}
        return HttpResponse(status=204, headers=over)
    return redirect("study-results", slug, study_id)
