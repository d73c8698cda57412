"""The panel of experts: what each said, and what they agree on (N9)."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_date_time, parse_number
from annotation.core.refusals import Conflict
from annotation.models import Project
from annotation.pages.views import project_page
from evaluation.consensus import panel, services
from evaluation.consensus.forms import ConsensusForm
from evaluation.consensus.models import Consensus
from evaluation.consensus.policies import check_can_see_panel, expert_of
from evaluation.studies.answer_text import render_study_text
from evaluation.studies.models import Item
from evaluation.systems.models import Output


@never_cache
@require_safe
def consensus_list(request: UserRequest, slug: str) -> HttpResponse:
    """Answers that all experts have judged: those that wait for a consensus, or have one."""
    project = get_project(request, slug, check_can_see_panel)
    expert, study = expert_of(request.user, project), parse_number(request.GET.get("study", ""))
    agreed = request.GET.get("show") == "agreed"
    place = min(parse_number(request.GET.get("after", "")), 1_000_000)
    rows = panel.list_answers(project, waiting=not agreed, expert=expert, study=study, place=place)
    waiting, done = panel.count_answers(project, expert=expert, study=study)
    context = _page(request, project, expert) | {
        "rows": rows[: panel.PAGE],
        "following": place + panel.PAGE if len(rows) > panel.PAGE else 0,
        "agreed": agreed,
        "study": study,
        "waiting": waiting,
        "done": done,
    }
    return render(request, "evaluation/consensus/consensus_list.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def consensus_item(request: UserRequest, slug: str, item_id: int) -> HttpResponse:
    """One answer, what each expert said of it, and the form for the consensus."""
    project = get_project(request, slug, check_can_see_panel)
    expert = expert_of(request.user, project)
    items = Item.objects.select_related("study", "question").filter(study__project=project)
    item = get_object_or_404(items, pk=item_id)
    row = panel.find_answer(project, item.pk, expert=expert)
    if row is None:
        raise Http404
    form = ConsensusForm(request.POST or None)
    problem, status = "", 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            seen = parse_date_time(request.POST.get("seen", ""))
            try:
                services.write_consensus(
                    item=item, seen=seen, by=request.user, now=timezone.now(), **form.cleaned_data
                )
            except Conflict as conflict:
                problem, status = str(conflict), conflict.status
            else:
                messages.success(request, "The consensus is saved.")
                return _next(project, item, expert)
    output = get_object_or_404(Output, system=item.first_id, question=item.question_id)
    context = _page(request, project, expert) | {
        "row": row,
        "item": item,
        "text": render_study_text(output.text, item.study.shown),
        "opinions": panel.list_opinions(item, expert=expert),
        "consensus": Consensus.objects.select_related("made_by").filter(item=item).first(),
        "verdicts": Consensus.Verdict.choices,
        "form": form,
        "problem": problem,
    }
    return render(request, "evaluation/consensus/consensus_item.html", context, status=status)


def _next(project: Project, item: Item, expert: int) -> HttpResponse:
    """Lead to the next answer of the study that waits, or to the list."""
    waiting = panel.list_answers(project, waiting=True, expert=expert, study=item.study_id)
    if waiting:
        return redirect("consensus-item", project.slug, waiting[0].item)
    return redirect("consensus-list", project.slug)


def _page(request: UserRequest, project: Project, expert: int) -> dict[str, Any]:
    return project_page(request, project, "consensus" if expert else "studies")
