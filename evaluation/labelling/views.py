"""Types of ambiguity: the sample, and the page where one question of it is labelled (A75)."""

from typing import Any

from django.contrib import messages
from django.db.models import Count, Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.models import Project
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.labelling import services
from evaluation.labelling.forms import AmbiguityDrawForm, TypesForm
from evaluation.labelling.models import Ambiguity
from validation.decisions import accepted_answers

TAB = "reports"
PAGE = 100
HINTS = {
    "event": "It is open which event or occasion is meant: an informal or a legal wedding.",
    "property": "It is open what exactly is asked for: with or without a bonus episode.",
    "entity": "A name could be several people or things: a father or his son.",
    "answer": "It is open what kind of answer is wanted: a band or its singer.",
    "time": "The answer depends on when it is asked: the newest season.",
    "several": "It asks two things at once: who was minister and who was viceroy.",
    "other": "It has several answers for another reason.",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ambiguity_sample(request: UserRequest, slug: str) -> HttpResponse:
    """The questions of the sample with their labels. A POST draws more of them."""
    project = _project(request, slug)
    form = AmbiguityDrawForm(request.POST if request.method == "POST" else None)
    problem, status = "", 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                size = services.draw_questions(
                    project=project, by=request.user, now=timezone.now(), **form.cleaned_data
                )
            except Conflict as conflict:
                problem, status = str(conflict), 409
            else:
                messages.success(request, f"Drew {size} question{'' if size == 1 else 's'}.")
                return redirect("ambiguity-sample", project.slug)
    rows = Ambiguity.objects.filter(project=project)
    after = parse_number(request.GET.get("after", ""))
    listed = list(
        rows.filter(position__gt=min(after, 1_000_000)).select_related("question")[: PAGE + 1]
    )
    counts = rows.aggregate(
        n=Count("pk"), labelled=Count("pk", filter=Q(labelled_at__isnull=False))
    )
    context = {
        "form": form,
        "problem": problem,
        "rows": listed[:PAGE],
        "following": listed[PAGE - 1].position if len(listed) > PAGE else 0,
        "counts": counts,
        "next": rows.filter(labelled_at=None).first(),
    }
    return _page(request, project, "sample.html", context, status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ambiguity_label(request: UserRequest, slug: str, position: int) -> HttpResponse:
    """One question of the sample with its accepted pairs, and the form for its types."""
    project = _project(request, slug)
    rows = Ambiguity.objects.filter(project=project)
    row = get_object_or_404(
        rows.select_related("project", "question", "labelled_by"), position=position
    )
    form = TypesForm(request.POST if request.method == "POST" else None)
    problem, status = "", 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                services.label_question(
                    ambiguity=row, by=request.user, now=timezone.now(), **form.cleaned_data
                )
            except Conflict as conflict:
                problem, status = str(conflict), 409
                row.refresh_from_db()
            else:
                return _after(project, position)
    chosen = form["types"].value() if status == 422 else row.types
    context = {
        "row": row,
        "form": form,
        "problem": problem,
        "sets": accepted_answers.sets_by_question([row.question_id])[row.question_id],
        "choices": [
            (value, label, HINTS[value], value in (chosen or ()))
            for value, label in Ambiguity.Type.choices
        ],
        "size": rows.count(),
        "before": rows.filter(position__lt=position).order_by("-position").first(),
        "after": rows.filter(position__gt=position).order_by("position").first(),
    }
    return _page(request, project, "label.html", context, status)


def _project(request: UserRequest, slug: str) -> Project:
    project = get_project(request, slug, check_can_manage)
    if not protocols.protocol_of(project).has_feature(Feature.PAIRS):
        raise Http404
    return project


def _after(project: Project, position: int) -> HttpResponse:
    """Go to the next question without labels, first to those behind this one."""
    rows = Ambiguity.objects.filter(project=project, labelled_at=None).order_by("position")
    following = rows.filter(position__gt=position).first() or rows.first()
    if following is None:
        return redirect("ambiguity-sample", project.slug)
    return redirect("ambiguity-label", project.slug, following.position)


def _page(
    request: UserRequest, project: Project, template: str, context: dict[str, Any], status: int
) -> HttpResponse:
    page = project_page(request, project, TAB) | {"project": project} | context
    return render(request, f"evaluation/labelling/{template}", page, status=status)
