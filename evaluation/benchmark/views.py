"""The public pages of a benchmark: about it, its released questions and files."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from annotation.exports.downloads import send_blocks
from annotation.exports.format import EXTENSIONS, JSON
from annotation.text.markdown import render_markdown
from evaluation.benchmark import queries
from evaluation.benchmark.forms import QuestionsForm
from evaluation.benchmark.models import Benchmark
from evaluation.benchmark.releases import get_layout, stream_data
from evaluation.benchmark.submitting import find_seat_of
from evaluation.benchmark.visits import NO_ROBOTS, check_pace

View = Callable[..., HttpResponseBase]


def shown_to_all(view: View) -> View:
    """Let everybody read a page while it is open, at a bounded pace, and no cache keep it: one that
    is closed is gone at once.
    """

    @login_not_required
    @require_safe
    @wraps(view)
    def shown(request: HttpRequest, slug: str, **more: Any) -> HttpResponseBase:
        check_pace(request)
        benchmark = queries.get_open(slug)
        response = view(request, benchmark, **more)
        if "Cache-Control" not in response.headers:
            response["Cache-Control"] = "private, no-cache"
        if not (benchmark.is_indexed and view.__name__ == "show_benchmark"):
            response["X-Robots-Tag"] = NO_ROBOTS
        return response

    return shown


@shown_to_all
def show_benchmark(request: HttpRequest, benchmark: Benchmark) -> HttpResponse:
    """What it is, how to cite it, its files, and the leaderboard."""
    described = Benchmark.objects.values_list("card", flat=True).get(pk=benchmark.pk)
    return render_public(
        request,
        benchmark,
        "overview.html",
        {
            "here": "overview",
            "description": render_markdown(benchmark.description),
            "released": queries.count_released(benchmark),
            "hidden": queries.count_hidden(benchmark),
            "files": list(list_files(benchmark)) if described else [],
            "board": queries.read_leaderboard(benchmark, request.GET.get("by", "")[:60]),
        },
    )


@shown_to_all
def list_questions(request: HttpRequest, benchmark: Benchmark) -> HttpResponse:
    """The released questions: searched, by number of answers and by split."""
    form = QuestionsForm(request.GET)
    if not form.is_valid():
        raise Http404
    asked = form.cleaned_data
    rows = queries.find_questions(
        benchmark, words=asked["q"], answers=asked["answers"], split=asked["split"]
    )
    page, following = queries.list_questions(rows, asked["after"] or 0)
    query = request.GET.copy()
    query["after"] = str(following)
    return render_public(
        request,
        benchmark,
        "questions.html",
        {
            "here": "questions",
            "asked": asked,
            "choices": form.fields,
            "number": rows.count(),
            "questions": page,
            "following": f"?{query.urlencode()}" if following else "",
        },
    )


@shown_to_all
def send_file(request: HttpRequest, benchmark: Benchmark, name: str) -> HttpResponseBase:
    """A file of the release: its data, its manifest or its card."""
    files = list_files(benchmark)
    if name not in files:
        raise Http404
    data, manifest, _ = files
    if name == data:
        return send_blocks(stream_data(benchmark), name, get_layout(benchmark).content_type)
    field, kind = ("manifest", JSON) if name == manifest else ("card", "text/markdown")
    content = Benchmark.objects.values_list(field, flat=True).get(pk=benchmark.pk)
    return send_blocks(iter([content.encode()]), name, kind)


def list_files(benchmark: Benchmark) -> tuple[str, str, str]:
    """Return the names of the files of the release: data, manifest, card."""
    layout = get_layout(benchmark)
    name = f"{benchmark.project.slug}-{layout.key}.{EXTENSIONS[layout.content_type]}"
    return name, f"{name}.manifest.json", f"{name}.card.md"


def render_public(
    request: HttpRequest, benchmark: Benchmark, template: str, context: dict[str, Any]
) -> HttpResponse:
    """Return a public page; who is in a team finds the way to what it sent."""
    user = request.user
    seat = find_seat_of(user, benchmark) if isinstance(user, User) else None
    shown = {"benchmark": benchmark, "project": benchmark.project, "seat": seat}
    return render(request, f"evaluation/benchmark/{template}", shown | context)
