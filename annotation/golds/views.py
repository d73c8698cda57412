"""Quality: gold items, how people do on them, who is paused, and which items are taken back."""

from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access.loaders import UserRequest, get_member, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.extensions.registry import all_extensions
from annotation.figures import counts as stored_counts
from annotation.figures.counts import GOLDS
from annotation.golds import overview, power, queries, retiring, services
from annotation.golds.forms import GoldForm
from annotation.golds.models import GoldItem, GoldPlan
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
    offered = stages.of_protocol(project.protocol)
    context = project_page(request, project, "golds") | {
        "stage": stage,
        "offered": offered,
        "with_golds": [each for each in offered if each.golds is not None],
        "plan": plan,
        "rate": shown.rate,
        "source": shown.source,
        "form": form or GoldForm(initial=initial, golds=stage.golds),
        "power": power.find_rule_power(shown),
        "seen_after": power.SHOWN_SEEN,
        "usual_rate": overview.USUAL_RATE,
        "entries": overview.list_log_entries(project),
    }
    presses = {tab.key: tab.instead_of_golds for tab in all_extensions().tabs}
    context["instead"] = [
        (press, tab.address) for tab in context["tabs"] if (press := presses[tab.key])
    ]
    context |= _mixed_in(project, stage, shown) | _done(request, plan)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form else HTTPStatus.OK
    return render(request, "annotation/golds/project_golds.html", context, status=status)


def _mixed_in(project: Project, stage: stages.Stage, plan: GoldPlan) -> dict[str, Any]:
    """Return what was mixed in, and what could be; nothing of a stage that has no gold items."""
    if stage.golds is None:
        return {"mixed": None}
    now = timezone.now()
    stored_counts.load_figures([project], GOLDS, now=now)
    return {
        "mixed": overview.count_mixed_in(project, stage, plan.rate, now),
        "counted_at": stored_counts.counted_at(project, GOLDS),
    }


def _done(request: UserRequest, plan: GoldPlan | None) -> dict[str, Any]:
    """Return how people did on the items of a plan, and these."""
    if plan is None:
        return {"people": [], "items": [], "retired": [], "sums": overview.sum_performances([])}
    every = request.GET.get("items") == "all"
    people = queries.list_people(plan)
    items = overview.list_items(plan, every=every)
    total, checks = overview.count_items(plan)
    wanted = parse_number(request.GET.get("person", ""))
    person = next((each for each in people if each.user.pk == wanted), None)
    return {
        "people": people,
        "sums": overview.sum_performances(people),
        "items": items,
        "retired": overview.list_retired_items(plan),
        "items_total": total,
        "only_checks": total and total == checks,
        "every": every,
        "doubtful": items[0] if items and overview.is_doubtful(items[0]) else None,
        "person": person,
        "missed": overview.list_missed(plan, wanted) if person else [],
    }


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
    return _back(project, stage.key)


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
    return _back(project, stage.key)


@never_cache
@require_POST
def gold_item(request: UserRequest, slug: str, item_id: int) -> HttpResponse:
    """Take an item back, so that it counts for no one, or let it count again."""
    project = get_project(request, slug, check_can_manage)
    rows = GoldItem.objects.select_related("plan__project", "task", "host")
    item = rows.filter(pk=item_id, plan__project=project).first()
    if item is None:
        raise Http404
    now = timezone.now()
    if request.POST.get("action") == "restore":
        retiring.restore_item(item=item, by=request.user, now=now)
        messages.success(request, "The item counts again. It is handed out to no one new.")
    else:
        retiring.retire_item(item=item, by=request.user, now=now)
        messages.success(
            request,
            "The item is handed out no more and counts for no one. Anyone it had paused stays "
            "paused until you resume their work.",
        )
    return _back(project, item.plan.stage)


def _back(project: Project, stage: str) -> HttpResponseRedirect:
    return redirect(f"{reverse('project-golds', args=[project.slug])}?stage={stage}")
