"""What the team of a project does with its public page."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.models import Project
from annotation.pages.views import project_page
from evaluation.benchmark import queries, releases, services
from evaluation.benchmark.forms import InviteForm, LayoutForm, PageForm, describe_page
from evaluation.benchmark.models import Benchmark
from evaluation.benchmark.policies import LEAST_HIDDEN

TAB = "benchmark"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit_page(request: UserRequest, slug: str) -> HttpResponse:
    """What the page says, its release and its teams. A POST stores what it says."""
    project = get_project(request, slug, check_can_manage)
    benchmark = _find(project)
    posted = request.method == "POST"
    initial = describe_page(benchmark) or {
        "title": project.title,
        "licence": project.snapshot.licence,
    }
    form = PageForm(request.POST if posted else None, initial=initial)
    if posted and form.is_valid():
        services.save_page(
            project=project, by=request.user, now=timezone.now(), **form.cleaned_data
        )
        messages.success(request, "Saved.")
        return redirect("benchmark-edit", slug)
    return _render(request, project, benchmark, page_form=form, status=422 if posted else 200)


@require_POST
def start_release(request: UserRequest, slug: str) -> HttpResponse:
    """Start the job that puts a release on the page."""
    project, benchmark = _get(request, slug)
    try:
        job = releases.start_release(
            benchmark=benchmark,
            layout=request.POST.get("layout", ""),
            by=request.user,
            now=timezone.now(),
        )
    except Conflict as conflict:
        messages.error(request, str(conflict))
        return redirect("benchmark-edit", slug)
    return redirect("job-detail", project.slug, job.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def open_page(request: UserRequest, slug: str) -> HttpResponse:
    """What becomes public, and the press that makes it so."""
    project, benchmark = _get(request, slug)
    if request.method == "POST":
        return _set_open(request, benchmark, is_open=True)
    context = project_page(request, project, TAB) | {
        "benchmark": benchmark,
        "released": queries.count_released(benchmark),
        "hidden": queries.count_hidden(benchmark),
        "least": LEAST_HIDDEN,
    }
    return render(request, "evaluation/benchmark/open.html", context)


@require_POST
def close_page(request: UserRequest, slug: str) -> HttpResponse:
    """Close the page, at once."""
    return _set_open(request, _get(request, slug)[1], is_open=False)


def _set_open(request: UserRequest, benchmark: Benchmark, *, is_open: bool) -> HttpResponse:
    try:
        services.set_open(benchmark=benchmark, is_open=is_open, by=request.user, now=timezone.now())
    except Conflict as conflict:
        messages.error(request, str(conflict))
    else:
        messages.success(
            request, "The page is open to everybody." if is_open else "The page is closed."
        )
    return redirect("benchmark-edit", benchmark.project.slug)


@require_http_methods(["POST"])
def invite_person(request: UserRequest, slug: str) -> HttpResponse:
    """Invite somebody into a team."""
    project, benchmark = _get(request, slug)
    form = InviteForm(request.POST)
    if form.is_valid():
        try:
            seat = services.invite_person(
                benchmark=benchmark, by=request.user, now=timezone.now(), **form.cleaned_data
            )
        except Conflict as conflict:
            form.add_error(None, str(conflict))
        else:
            messages.success(request, f"Invited {seat.email}. Send them the link below.")
            return redirect("benchmark-edit", slug)
    return _render(request, project, benchmark, invite_form=form, status=422)


@require_POST
def end_seat(request: UserRequest, slug: str, seat_id: int) -> HttpResponse:
    """End a seat, or an invitation."""
    _, benchmark = _get(request, slug)
    seat = get_object_or_404(benchmark.seats.select_related("team"), pk=seat_id)
    seat.benchmark = benchmark
    services.end_seat(seat=seat, by=request.user, now=timezone.now())
    messages.success(request, f"Ended a seat in {seat.team}.")
    return redirect("benchmark-edit", slug)


def _find(project: Project) -> Benchmark | None:
    benchmark = Benchmark.objects.filter(project=project).defer("manifest", "card").first()
    if benchmark is not None:
        benchmark.project = project
    return benchmark


def _get(request: UserRequest, slug: str) -> tuple[Project, Benchmark]:
    """Return the project and its page, which is there once somebody has saved it."""
    project = get_project(request, slug, check_can_manage)
    benchmark = get_object_or_404(Benchmark.objects.defer("manifest", "card"), project=project)
    benchmark.project = project
    return project, benchmark


def _render(
    request: UserRequest,
    project: Project,
    benchmark: Benchmark | None,
    *,
    page_form: PageForm | None = None,
    invite_form: InviteForm | None = None,
    status: int = 200,
) -> HttpResponse:
    layouts = [(row.key, f"{row.label}: {row.hint}") for row in releases.list_layouts(project)]
    context: dict[str, Any] = project_page(request, project, TAB) | {
        "benchmark": benchmark,
        "page_form": page_form or PageForm(initial=describe_page(benchmark)),
    }
    if benchmark is not None:
        context |= {
            "layouts": layouts,
            "layout_form": LayoutForm(layouts=layouts, initial={"layout": benchmark.layout}),
            "released": queries.count_released(benchmark),
            "invite_form": invite_form or InviteForm(auto_id="invite-%s"),
            "teams": [
                (row, [(seat, _find_link(request, seat)) for seat in row.seats])
                for row in queries.list_teams(benchmark)
            ],
        }
    return render(request, "evaluation/benchmark/edit.html", context, status=status)


def _find_link(request: UserRequest, seat: Any) -> str:
    """Return the whole link of an invitation that is open; "" for a seat that was taken."""
    return "" if seat.user_id else request.build_absolute_uri(services.build_link(seat))
