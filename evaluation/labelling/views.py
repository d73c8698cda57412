"""Samples of items, and the page where one of them is labelled (A75, A77, A78, S50)."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import STAFF, check_can_manage
from annotation.core.refusals import Conflict, roles_in
from annotation.models import Project
from annotation.pages.views import project_page
from annotation.protocols import registry as protocols
from annotation.protocols.registry import Feature
from evaluation.labelling import exports, queries, services
from evaluation.labelling.forms import DrawForm, FirstDrawForm, SchemeForm
from evaluation.labelling.policies import check_can_label, find_closed_questions
from evaluation.labelling.queries import SampleRow
from evaluation.labelling.schemes import AMBIGUITY, OWN, Scheme, find_scheme

PAGE = 100


@never_cache
@require_safe
def label_list(request: UserRequest, slug: str) -> HttpResponse:
    """The samples, and for the team the schemes by which others can be drawn."""
    project = load_project(request, slug)
    context = {
        "samples": queries.list_samples(project),
        "schemes": queries.list_schemes(project),
    }
    return render_page(request, project, "list.html", context)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def label_new(request: UserRequest, slug: str, key: str) -> HttpResponse:
    """The form that draws the first items by a scheme: one that is built in, or `own-1`."""
    project = load_project(request, slug)
    check_can_manage(request.user, project)
    own = parse_number(key.removeprefix(f"{OWN}-")) if key.startswith(f"{OWN}-") else 0
    schemes = queries.list_schemes(project)
    scheme = next((row for row in schemes if (row.own or row.key) == (own or key)), None)
    if scheme is None:
        raise Http404
    return _answer_draw(request, project, scheme, None)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def label_sample(request: UserRequest, slug: str, sample_id: int) -> HttpResponse:
    """The items of a sample with their labels. A POST draws more of them."""
    project = load_project(request, slug)
    row = _get_row(project, sample_id)
    return _answer_draw(request, project, row.sample.scheme, row)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def ambiguity_sample(request: UserRequest, slug: str) -> HttpResponse:
    """The same for types of ambiguity, also before anything was drawn (A75)."""
    project = load_project(request, slug, Feature.PAIRS)
    scheme = find_scheme(AMBIGUITY)
    assert scheme is not None
    return _answer_draw(request, project, scheme, queries.find_ambiguity(project))


def _answer_draw(
    request: UserRequest, project: Project, scheme: Scheme, row: SampleRow | None
) -> HttpResponse:
    sample = row.sample if row else None
    posted = request.POST if request.method == "POST" else None
    form = (
        DrawForm(posted, scheme=scheme)
        if sample
        else FirstDrawForm(posted, scheme=scheme, project=project)
    )
    problem, status = "", 200
    if posted is not None:
        check_can_manage(request.user, project)
        status = 422
        if form.is_valid():
            try:
                values = form.cleaned_data | ({"system": sample.system} if sample else {})
                drawn, size = services.draw_items(
                    project=project, scheme=scheme, by=request.user, now=timezone.now(), **values
                )
            except Conflict as conflict:
                problem, status = str(conflict), 409
            else:
                messages.success(request, f"Drew {size} question{'' if size == 1 else 's'}.")
                return redirect(drawn.get_absolute_url())
    context = _sample_context(request, project, row) | {
        "scheme": scheme,
        "form": form,
        "problem": problem,
    }
    return render_page(request, project, "sample.html", context, status)


def _sample_context(
    request: UserRequest, project: Project, of_sample: SampleRow | None
) -> dict[str, Any]:
    if of_sample is None:
        return {"sample": None, "rows": [], "counts": {"n": 0, "labelled": 0}}
    sample = of_sample.sample
    after = min(parse_number(request.GET.get("after", "")), 1_000_000)
    items = sample.items.filter(position__gt=after).select_related("question")
    items = items.order_by("position")[: PAGE + 1]
    found = queries.attach_labels(items, sample.labellers)
    listed = found[:PAGE]
    closed = find_closed_questions(request.user, project, [row.item.question_id for row in listed])
    for row in listed:
        row.item.sample = sample
    waiting = queries.list_open_items(sample, request.user)
    return {
        "sample": sample,
        "rows": [
            (row, row.find_own(request.user), row.item.question_id in closed) for row in listed
        ],
        "following": listed[-1].item.position if len(found) > PAGE else 0,
        "counts": {"n": of_sample.size, "labelled": of_sample.done},
        "next": waiting[0] if waiting else None,
        "waiting": len(waiting),
        "disagreements": queries.list_disagreements(sample),
    }


@never_cache
@require_safe
def label_file(request: UserRequest, slug: str, sample_id: int) -> StreamingHttpResponse:
    """A sample as lines of JSON."""
    project = load_project(request, slug)
    check_can_manage(request.user, project)
    sample = _get_row(project, sample_id).sample
    answer = StreamingHttpResponse(
        exports.stream_sample(sample), content_type="application/x-ndjson"
    )
    name = f"{project.slug}-labels-{sample.scheme_key}-{sample.pk}.jsonl"
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


@require_POST
def label_delete(request: UserRequest, slug: str, sample_id: int) -> HttpResponse:
    """Delete a sample of which nothing was labelled."""
    project = load_project(request, slug)
    check_can_manage(request.user, project)
    sample = _get_row(project, sample_id).sample
    try:
        services.delete_sample(sample=sample, by=request.user, now=timezone.now())
    except Conflict as conflict:
        messages.error(request, str(conflict))
        return redirect(sample.get_absolute_url())
    messages.success(request, f"The sample is deleted: {sample}.")
    return redirect("label-list", project.slug)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def label_scheme(request: UserRequest, slug: str) -> HttpResponse:
    """The form of a scheme of the team's own."""
    project = load_project(request, slug)
    check_can_manage(request.user, project)
    form = SchemeForm(request.POST if request.method == "POST" else None, project=project)
    problem, status = "", 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                own = services.make_scheme(
                    project=project, by=request.user, now=timezone.now(), **form.cleaned_data
                )
            except Conflict as conflict:
                problem, status = str(conflict), 409
            else:
                messages.success(request, "The scheme is there. Draw the items that it is for.")
                return redirect("label-new", project.slug, f"{OWN}-{own.pk}")
    context = {"form": form, "problem": problem}
    return render_page(request, project, "scheme.html", context, status)


def _get_row(project: Project, sample_id: int) -> SampleRow:
    row = queries.find_sample(project, sample_id)
    if row is None:
        raise Http404
    return row


def load_project(
    request: UserRequest, slug: str, needs: Feature = Feature.DISAMBIGUATIONS
) -> Project:
    """Return the project if the person labels in it, and its protocol has what is labelled."""
    project = get_project(request, slug, check_can_label)
    if not protocols.protocol_of(project).has_feature(needs):
        raise Http404
    return project


def render_page(
    request: UserRequest,
    project: Project,
    template: str,
    context: dict[str, Any],
    status: int = 200,
) -> HttpResponse:
    """Return a page of the room, below the tab that leads the person to it."""
    tab = "reports" if STAFF & roles_in(request.user, project) else "labels"
    page = project_page(request, project, tab) | {"project": project} | context
    return render(request, f"evaluation/labelling/{template}", page, status=status)
