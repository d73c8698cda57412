"""Quality: gold items, how people do on them, and who is paused."""

from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access.loaders import UserRequest, get_member, get_project
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.golds import queries, services
from annotation.golds.forms import GoldForm
from annotation.golds.models import GoldPlan
from annotation.pages.views import project_page
from annotation.stages import registry as stages


def _stage(project: Project, key: str) -> stages.Stage:
    """Return the stage that is asked for, else the first that can have gold items."""
    offered = stages.of_protocol(project.protocol)
    if key:
        stage = next((stage for stage in offered if stage.key == key), None)
        if stage is None:
            raise Http404
        return stage
    return next((stage for stage in offered if stage.golds is not None), offered[0])


def _page(
    request: UserRequest, project: Project, stage: stages.Stage, form: GoldForm | None = None
) -> HttpResponse:
    plan = queries.plan_of(project, stage.key)
    shown = plan or GoldPlan(
        project=project,
        stage=stage.key,
        seed=services.new_seed(),
        source=services.first_source(stage.key),
    )
    initial = {name: getattr(shown, name) for name in GoldForm.base_fields}
    context = project_page(request, project, "golds") | {
        "stage": stage,
        "offered": stages.of_protocol(project.protocol),
        "plan": plan,
        "form": form or GoldForm(initial=initial, golds=stage.golds),
        "rule": queries.rule_words(shown),
        "power": queries.list_rule_power(shown),
        "seen_after": queries.SEEN,
        "people": queries.list_people(plan) if plan else [],
        "items": queries.list_items(plan) if plan else [],
        "totals": queries.count_items_and_verdicts(plan) if plan else None,
        "entries": queries.list_log_entries(project),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form else HTTPStatus.OK
    return render(request, "annotation/golds/project_golds.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def project_golds(request: UserRequest, slug: str) -> HttpResponse:
    """Show the gold items of a stage and how people do on them; change the settings."""
    project = get_project(request, slug, check_can_manage)
    stage = _stage(project, request.POST.get("stage") or request.GET.get("stage", ""))
    if request.method != "POST":
        return _page(request, project, stage)
    form = GoldForm(request.POST, golds=stage.golds)
    if form.is_valid():
        try:
            services.save_plan(
                project=project,
                stage=stage.key,
                by=request.user,
                now=timezone.now(),
                **form.cleaned_data,
            )
        except Conflict as conflict:
            form.add_error(None, str(conflict))
    if not form.is_valid():
        return _page(request, project, stage, form)
    messages.success(request, "The settings of gold items are saved.")
    return redirect(f"{reverse('project-golds', args=[slug])}?stage={stage.key}")


@never_cache
@require_POST
def gold_person(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """Pause a person, or let them work again."""
    project = get_project(request, slug, check_can_manage)
    stage = _stage(project, request.POST.get("stage", ""))
    person = get_member(project, user_id)
    plan = services.plan_of(project=project, stage=stage.key)
    now = timezone.now()
    if request.POST.get("action") == "pause":
        services.pause_person(plan=plan, user=person.pk, by=request.user, now=now)
        messages.success(request, f"{person} gets no new work until you resume it.")
    else:
        services.resume_person(plan=plan, user=person.pk, by=request.user, now=now)
        messages.success(request, f"{person} can get new work again.")
    return redirect(f"{reverse('project-golds', args=[slug])}?stage={stage.key}")
