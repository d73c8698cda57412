"""Pages and files of the pay ledger."""

import datetime as dt
import re
import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from annotation.access.loaders import UserRequest, get_project, get_worker
from annotation.core.models.projects import Project
from annotation.core.refusals import is_allowed
from annotation.figures import counts as stored_counts
from annotation.figures.counts import PAY
from annotation.pages.views import project_page
from annotation.pay import file as payfile
from annotation.pay import queries, services
from annotation.pay.forms import FIRST_YEAR, LAST_YEAR, EntryForm, PeriodForm
from annotation.pay.models import PayEntry
from annotation.pay.periods import (
    Period,
    find_paid_months,
    find_paid_months_of,
    month_of,
)
from annotation.pay.policies import check_can_correct, check_can_see_pay

_MONTH = re.compile(r"(\d{4})-(\d{2})")


@require_safe
@never_cache
def pay_mine(request: UserRequest) -> HttpResponse:
    """Show the person's own earnings, line by line."""
    entries = queries.entries_of(user=request.user)
    period, form = _period(request, lambda: find_paid_months(entries))
    context = _statement(request, entries, period) | {"section": "work", "form": form}
    context["sentence"] = queries.earnings_sentence(context["sums"], period)
    return render(request, "annotation/pay/pay_mine.html", context, status=_status(form))


@require_safe
@never_cache
def pay_mine_export(request: UserRequest) -> HttpResponseBase:
    """Send the person's own entries of a period as CSV."""
    period, _ = _period(request)
    entries = period.select_entries(queries.entries_of(user=request.user))
    return _file(entries, names="own", title=f"pay-{period.start}-{period.end}")


@require_safe
@never_cache
def pay_projects(request: UserRequest) -> HttpResponse:
    """Show what each project has paid in which the person is staff."""
    projects = queries.list_managed_projects(request.user)
    period, form = _period(request, lambda: find_paid_months_of(projects))
    stored_counts.load_figures(projects, PAY, now=timezone.now())
    rows = queries.by_project(projects, period)
    context = {"section": "projects", "form": form, "projects": rows} | _words_of(period)
    return render(request, "annotation/pay/pay_projects.html", context, status=_status(form))


@require_safe
@never_cache
def project_pay(request: UserRequest, slug: str) -> HttpResponse:
    """Show the earnings of everyone in a project, and their effective hourly pay."""
    project = get_project(request, slug, check_can_see_pay)
    entries = queries.entries_of(project=project)
    period, form = _period(request, lambda: find_paid_months(entries))
    now = timezone.now()
    stored_counts.load_figures([project], PAY, now=now)
    earned = queries.list_earnings([project], period)
    submitted = queries.count_submissions(project, period)
    people = queries.list_earners(project, earned, submitted, now=now)
    sums = queries.total_by_currency(earned.values())
    context = project_page(request, project, "pay") | {
        "form": form,
        "people": people,
        "unpaid": max(sum(submitted.values()) - sum(each.questions for each in sums), 0),
        "below": [person for person in people if person.hourly and person.hourly.below],
        "sums": sums,
        "sentence": queries.earnings_sentence(sums, period, who="The people of this project have"),
        "floor_days": queries.FLOOR_DAYS,
        "counted_at": stored_counts.counted_at(project, PAY),
    }
    context |= _words_of(period)
    return render(request, "annotation/pay/project_pay.html", context, status=_status(form))


@require_safe
@never_cache
def project_pay_export(request: UserRequest, slug: str) -> HttpResponseBase:
    """Send a project's entries of a period as CSV, under names or pseudonyms."""
    project = get_project(request, slug, check_can_see_pay)
    period, _ = _period(request)
    names = "pseudonyms" if request.GET.get("names") == "pseudonyms" else "people"
    entries = period.select_entries(queries.entries_of(project=project))
    return _file(entries, names=names, title=f"pay-{slug}-{period.start}-{period.end}")


@require_safe
@never_cache
def pay_person(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """Show one person's statement, with the form for corrections."""
    project = get_project(request, slug, check_can_see_pay)
    person = get_worker(project, user_id)
    corrects = _entry(project, person, request.GET.get("corrects", ""))
    currency = corrects.currency if corrects else queries.usual_currency(project)
    initial = {
        "currency": currency,
        "key": uuid.uuid4(),
        "corrects": corrects.pk if corrects else None,
        "amount": -corrects.amount if corrects else None,
    }
    return _person_page(request, project, person, EntryForm(initial=initial), corrects)


@require_POST
def pay_enter(request: UserRequest, slug: str, user_id: int) -> HttpResponse:
    """Post a correction or a bonus."""
    project = get_project(request, slug, check_can_see_pay)
    person = get_worker(project, user_id)
    form = EntryForm(request.POST)
    corrects = _entry(project, person, request.POST.get("corrects", ""))
    if not form.is_valid():
        return _person_page(request, project, person, form, corrects)
    values = form.cleaned_data | {"corrects": corrects}
    entry = services.post_entry(
        project=project, user=person, by=request.user, now=timezone.now(), **values
    )
    messages.success(request, f"Posted: {entry.amount} {entry.currency} for {person.name}.")
    return redirect("pay-person", slug, person.pk)


def _person_page(
    request: UserRequest,
    project: Project,
    person: User,
    form: EntryForm,
    corrects: PayEntry | None,
) -> HttpResponse:
    entries = queries.entries_of(user=person, project=project)
    period, period_form = _period(request, lambda: find_paid_months(entries))
    context = project_page(request, project, "pay") | _statement(request, entries, period)
    context |= {
        "person": person,
        "form": form,
        "period_form": period_form,
        "corrects": corrects,
        "may_correct": is_allowed(check_can_correct, request.user, person, project),
        "sentence": queries.earnings_sentence(context["sums"], period, who=f"{person.name} has"),
        "hourly": list(queries.list_hourly_pay(project, now=timezone.now(), user=person).values()),
        "floor_days": queries.FLOOR_DAYS,
    }
    status = 422 if form.is_bound else _status(period_form)
    return render(request, "annotation/pay/pay_person.html", context, status=status)


def _statement(request: UserRequest, found: Any, period: Period) -> dict[str, Any]:
    within = period.select_entries(found)
    before = request.GET.get("before", "")
    page = queries.list_entries(
        within, before=int(before) if before.isdecimal() and len(before) < 19 else 0
    )
    more = len(page) > queries.PAGE
    return _words_of(period) | {
        "sums": queries.sum_by_currency(within),
        "lines": page[: queries.PAGE],
        "following": f"{period.query}&before={page[queries.PAGE - 1].pk}" if more else "",
    }


def _period(
    request: UserRequest, find_all: Callable[[], Period | None] = lambda: None
) -> tuple[Period, PeriodForm]:
    """Read the period from the address; if invalid, it is the current month.

    find_all: the months of all entries, read where none or `all` is asked for. Where the last entry
    is older than this month, these are what is shown: an empty month says nothing.
    """
    this_month = month_of(timezone.localdate())
    match = _MONTH.fullmatch(request.GET.get("month", ""))
    if match and FIRST_YEAR <= int(match[1]) <= LAST_YEAR and 1 <= int(match[2]) <= 12:
        return _chosen(month_of(dt.date(int(match[1]), int(match[2]), 1)))
    form = PeriodForm(request.GET) if {"start", "end"} & set(request.GET) else None
    if form is not None and form.is_valid() and form.cleaned_data["start"]:
        return Period(form.cleaned_data["start"], form.cleaned_data["end"]), form
    if form is not None and form.errors:
        return this_month, form
    every = find_all()
    if every is None or (every.end >= this_month.start and not request.GET.get("all")):
        return _chosen(this_month)
    return _chosen(every)


def _chosen(period: Period) -> tuple[Period, PeriodForm]:
    return period, PeriodForm(initial={"start": period.start, "end": period.end})


def _words_of(period: Period) -> dict[str, Any]:
    """Return what the line of the period needs, with whether it is over."""
    this_month = month_of(timezone.localdate())
    return {"period": period, "this_month": this_month, "is_over": period.end < this_month.start}


def _status(form: PeriodForm) -> int:
    return 422 if form.is_bound and form.errors else 200


def _entry(project: Project, person: User, pk: str) -> PayEntry | None:
    """Return the person's entry to correct, None if there is none."""
    if not (pk.isdecimal() and len(pk) < 19):
        return None
    entries = PayEntry.objects.filter(pk=int(pk), user=person, project=project)
    entry = entries.select_related("assignment__task__question").first()
    if entry is None:
        raise Http404
    return entry


def _file(found: Any, *, names: str, title: str) -> StreamingHttpResponse:
    lines = payfile.render_csv_lines(queries.iterate_entries(found), names=names)
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{title}.csv"'
    return response
