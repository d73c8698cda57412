"""What people in a team do: join, send predictions, say who sees an entry, withdraw it."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import orjson
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from annotation.access.loaders import UserRequest
from annotation.core.models.questions import display_form
from annotation.core.refusals import Conflict, Denied
from annotation.exports.downloads import send_blocks
from annotation.exports.format import JSON_LINES
from annotation.imports.records import WrongFormat
from annotation.people.forms import JoinForm
from annotation.people.invitation_views import BACKEND
from annotation.uploads.requests import takes_files, upload_refusal
from evaluation.benchmark import queries, services, submitting
from evaluation.benchmark.forms import EntryForm
from evaluation.benchmark.models import A_MONTH, A_YEAR, Benchmark, BenchmarkEntry, TeamSeat
from evaluation.benchmark.policies import (
    check_seat_is_for,
    check_seat_open,
    check_takes_predictions,
)
from evaluation.benchmark.views import render_public
from evaluation.benchmark.visits import NO_ROBOTS, check_pace, check_sending_pace

Shown = BenchmarkEntry.Shown


@takes_files
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def list_entries(request: UserRequest, slug: str) -> HttpResponse:
    """What the person's team has sent. A POST sends predictions."""
    benchmark, seat = _get_seat(request, slug)
    posted = request.method == "POST"
    form = EntryForm(
        request.POST if posted else None,
        request.FILES if posted else None,
        refused=upload_refusal(request),
    )
    if posted and form.is_valid() and _send(request, benchmark, form):
        return redirect("benchmark-entries", slug)
    month, year = submitting.count_sent(seat.team, timezone.now())
    context = {
        "here": "entries",
        "form": form,
        "closed": _find_reason(benchmark),
        "entries": queries.list_entries(seat.team),
        "columns": queries.list_columns(benchmark),
        "choices": Shown.choices,
        "stopped": submitting.STOPPED,
        "month": (month, A_MONTH),
        "year": (year, A_YEAR),
        "hidden": queries.count_hidden(benchmark),
    }
    response = render_public(request, benchmark, "entries.html", context)
    response.status_code = 422 if posted else 200
    return response


def _find_reason(benchmark: Benchmark) -> str:
    """Return why the page takes no predictions; "" where it does."""
    try:
        check_takes_predictions(benchmark)
    except Conflict as conflict:
        return str(conflict)
    return ""


def _send(request: UserRequest, benchmark: Benchmark, form: EntryForm) -> bool:
    """Send the predictions; False where the form says why not."""
    values = form.cleaned_data
    check_sending_pace(request)
    try:
        submitting.send_predictions(
            benchmark=benchmark,
            file_name=values["file"].name,
            by=request.user,
            now=timezone.now(),
            **values,
        )
    except (Conflict, WrongFormat) as problem:
        form.add_error("file" if isinstance(problem, WrongFormat) else None, str(problem))
        return False
    messages.success(request, "The predictions are being scored. This page will have the scores.")
    return True


@require_POST
def change_entry(request: UserRequest, slug: str, entry_id: int) -> HttpResponse:
    """Say who sees an entry, or withdraw it."""
    _, seat = _get_seat(request, slug)
    rows = BenchmarkEntry.objects.select_related("team__benchmark__project").defer("measures")
    entry = get_object_or_404(rows, pk=entry_id, team=seat.team_id)
    who: dict[str, Any] = {"entry": entry, "by": request.user, "now": timezone.now()}
    if request.POST.get("press") == "withdraw":
        submitting.withdraw_entry(**who)
        messages.success(request, f"Withdrawn: {entry}.")
    elif (shown := request.POST.get("shown", "")) in Shown.values:
        submitting.show_entry(shown=shown, **who)
        messages.success(request, f"Changed who sees {entry}.")
    return redirect("benchmark-entries", slug)


@never_cache
@require_safe
def send_test_questions(request: UserRequest, slug: str) -> HttpResponseBase:
    """The questions of the test split with their ids, for people in a team: never an answer."""
    benchmark, _ = _get_seat(request, slug)
    name = f"{slug}-test-questions.jsonl"
    return send_blocks(_stream_hidden(benchmark), name, JSON_LINES)


def _stream_hidden(benchmark: Benchmark) -> Iterator[bytes]:
    rows = queries.list_hidden(benchmark).order_by("external_id")
    for name, text in rows.values_list("external_id", "text").iterator():
        yield orjson.dumps({"id": name, "question": display_form(text)}) + b"\n"


def _get_seat(request: UserRequest, slug: str) -> tuple[Benchmark, TeamSeat]:
    """Return the page and the person's seat; for everybody else it is as if neither existed."""
    benchmark = queries.get_open(slug)
    seat = submitting.find_seat_of(request.user, benchmark)
    if seat is None:
        raise Http404
    return benchmark, seat


# --- joining -------------------------------------------------------------------------------------


@never_cache
@login_not_required
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def join_team(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """The page of an invitation into a team: join with the account signed in, or with a new one."""
    check_pace(request)
    benchmark = queries.get_open(slug)
    now = timezone.now()
    user = request.user if isinstance(request.user, User) else None
    try:
        seat = services.find_seat(benchmark, token)
        if user is not None and seat.user_id == user.pk and seat.ended_at is None:
            return redirect("benchmark-entries", slug)
        check_seat_open(seat, now)
        if user is not None:
            check_seat_is_for(user, seat)
        form = JoinForm(
            request.POST if request.method == "POST" and user is None else None, email=seat.email
        )
        if request.method == "POST":
            if user is not None:
                services.take_seat(benchmark=benchmark, token=token, by=user, now=now)
                return redirect("benchmark-entries", slug)
            if form.is_valid():
                made = services.take_seat_anew(
                    benchmark=benchmark, token=token, now=now, **form.cleaned_data
                )
                login(request, made, backend=BACKEND)
                return redirect("benchmark-entries", slug)
    except Denied as refusal:
        context = {"benchmark": benchmark, "sentence": str(refusal)}
        response = render(
            request, "evaluation/benchmark/join_over.html", context, status=refusal.status
        )
        response["X-Robots-Tag"] = NO_ROBOTS
        return response
    known = user is None and User.objects.filter(email__iexact=seat.email).exists()
    context = {"benchmark": benchmark, "seat": seat, "form": form, "known": known}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
    response = render(request, "evaluation/benchmark/join.html", context, status=status)
    response["X-Robots-Tag"] = NO_ROBOTS
    return response
