"""The pages of the team: consent and form, recruitments, their terms, links and files."""

import csv
import datetime as dt
import json
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.access.projects import check_can_manage
from annotation.core.refusals import Conflict
from annotation.exports.downloads import send_blocks
from annotation.models import Project
from annotation.pages.views import project_page
from annotation.text import markdown
from annotation.uploads.requests import takes_files
from crowds import files, queries
from crowds.forms.recruitments import BriefingForm, LinksForm, RecruitmentForm, StatusesForm
from crowds.models import Recruitment
from crowds.platforms import PERSONAL
from crowds.services import recruitments as services
from crowds.services import reviews

TAB = "participants"
UNPROCESSABLE = 422


def get_recruitment(request: UserRequest, slug: str, pk: int) -> Recruitment:
    """Return a recruitment of a project that the person runs."""
    project = get_project(request, slug, check_can_manage)
    recruitment = get_object_or_404(Recruitment, project=project, pk=pk)
    recruitment.project = project
    return recruitment


# --- consent and form -----------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
def edit_briefing(request: UserRequest, slug: str) -> HttpResponse:
    """Consent page and form about participants; a POST publishes a version."""
    project = get_project(request, slug, check_can_manage)
    newest = services.newest_briefing(project)
    if request.method != "POST":
        initial: dict[str, Any] = {"seen": newest.version if newest else 0}
        if newest:
            for name in ("institution", "contact", "consent", "form"):
                initial[name] = getattr(newest, name)
        return _briefing(request, project, BriefingForm(initial=initial))
    form = BriefingForm(request.POST)
    if not form.is_valid():
        return _briefing(request, project, form, status=UNPROCESSABLE)
    try:
        made = services.publish_briefing(
            project=project, **form.cleaned_data, by=request.user, now=timezone.now()
        )
    except Conflict as conflict:
        form.add_error(None, str(conflict))
        return _briefing(request, project, form, status=conflict.status)
    messages.success(request, f"Version {made.version} is what participants see from now on.")
    return redirect("briefing", slug)


def _briefing(
    request: UserRequest, project: Project, form: BriefingForm, *, status: int = 200
) -> HttpResponse:
    newest = services.newest_briefing(project)
    context = project_page(request, project, TAB) | {
        "form": form,
        "newest": newest,
        "consent": markdown.render_markdown(newest.consent) if newest else "",
        "asked": newest.asked if newest else [],
    }
    return render(request, "crowds/briefing.html", context, status=status)


@require_safe
def briefing_file(request: UserRequest, slug: str) -> HttpResponse:
    """All versions of consent page and form, as JSON."""
    project = get_project(request, slug, check_can_manage)
    versions = [
        {
            "version": row.version,
            "published_at": row.created_at.isoformat(timespec="seconds"),
            "institution": row.institution,
            "contact": row.contact,
            "consent": row.consent,
            "form": [asked.dump() for asked in row.asked],
        }
        for row in project.briefings.order_by("version")
    ]
    text = json.dumps(versions, ensure_ascii=False, indent=1)
    response = HttpResponse(text, content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="{slug}-consent.json"'
    return response


# --- recruitments ---------------------------------------------------------------------------------


@require_safe
def recruitment_list(request: UserRequest, slug: str) -> HttpResponse:
    """The recruitments of a project."""
    project = get_project(request, slug, check_can_manage)
    context = project_page(request, project, TAB) | {
        "recruitments": queries.recruitments_of(project),
        "newest": services.newest_briefing(project),
    }
    return render(request, "crowds/recruitment_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def recruitment_add(request: UserRequest, slug: str) -> HttpResponse:
    """A new recruitment."""
    project = get_project(request, slug, check_can_manage)
    if request.method != "POST":
        last = timezone.localdate() + dt.timedelta(days=30)
        form = RecruitmentForm(project=project, initial={"last_day": last})
        return _terms(request, project, form)
    form = RecruitmentForm(request.POST, project=project)
    if not form.is_valid():
        return _terms(request, project, form, status=UNPROCESSABLE)
    try:
        made = services.create_recruitment(
            project=project, fields=form.columns, by=request.user, now=timezone.now()
        )
    except Conflict as conflict:
        form.add_error(None, str(conflict))
        return _terms(request, project, form, status=conflict.status)
    messages.success(request, f"{made.title} is open.")
    return redirect("recruitment-view", slug, made.pk)


@require_http_methods(["GET", "HEAD", "POST"])
def recruitment_change(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """The terms of a recruitment."""
    recruitment = get_recruitment(request, slug, pk)
    project = recruitment.project
    if request.method != "POST":
        form = RecruitmentForm(project=project, recruitment=recruitment)
        return _terms(request, project, form, recruitment)
    form = RecruitmentForm(request.POST, project=project, recruitment=recruitment)
    if not form.is_valid():
        return _terms(request, project, form, recruitment, status=UNPROCESSABLE)
    try:
        services.change_recruitment(
            recruitment=recruitment, fields=form.columns, by=request.user, now=timezone.now()
        )
    except Conflict as conflict:
        form.add_error(None, str(conflict))
        return _terms(request, project, form, recruitment, status=conflict.status)
    messages.success(request, "Saved.")
    return redirect("recruitment-view", slug, pk)


def _terms(
    request: UserRequest,
    project: Project,
    form: RecruitmentForm,
    recruitment: Recruitment | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    context = project_page(request, project, TAB) | {"form": form, "recruitment": recruitment}
    return render(request, "crowds/recruitment_form.html", context, status=status)


@never_cache
@require_safe
def recruitment_view(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """How far a recruitment is, its link, and its participants."""
    recruitment = get_recruitment(request, slug, pk)
    return view_page(request, recruitment)


def view_page(
    request: UserRequest,
    recruitment: Recruitment,
    *,
    links_form: LinksForm | None = None,
    statuses_form: StatusesForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the page of a recruitment, with a form that was refused in place of an empty one."""
    shown = request.GET.get("show", "review")
    shown = shown if shown in queries.SHOWN else "review"
    start = parse_number(request.GET.get("from", ""))
    rows = queries.list_participants(recruitment, shown, start=start)
    counts = queries.count_participants(recruitment)
    path = recruitment.build_link().signed_token() if recruitment.platform != PERSONAL else ""
    context = project_page(request, recruitment.project, TAB) | {
        "recruitment": recruitment,
        "counts": counts,
        "taken": counts["is_working"] + counts["is_completed"],
        "shown": shown,
        "lists": [
            (key, label, counts[f"shown_{key}"]) for key, (label, _) in queries.SHOWN.items()
        ],
        "rows": rows[: queries.PAGE],
        "start": start,
        "following": start + queries.PAGE if len(rows) > queries.PAGE else None,
        "token": path,
        "site": request.build_absolute_uri("/").rstrip("/"),
        "files": queries.list_downloads(recruitment),
        "over": timezone.now() >= recruitment.ends_at,
        "links_form": links_form or LinksForm(),
        "statuses_form": statuses_form or StatusesForm(),
        "can_be_signed": bool(settings.PROLIFIC_KEYS_URL),
    }
    return render(request, "crowds/recruitment_view.html", context, status=status)


@require_POST
def recruitment_state(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Open or close a recruitment."""
    recruitment = get_recruitment(request, slug, pk)
    services.set_state(
        recruitment=recruitment,
        state=request.POST.get("state", ""),
        by=request.user,
        now=timezone.now(),
    )
    return redirect("recruitment-view", slug, pk)


# --- links and files ------------------------------------------------------------------------------


@require_POST
def recruitment_links(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Personal links for a list of ids, as a file of id and link."""
    recruitment = get_recruitment(request, slug, pk)
    form = LinksForm(request.POST)
    if not form.is_valid():
        return view_page(request, recruitment, links_form=form, status=UNPROCESSABLE)
    now = timezone.now()
    try:
        tokens = services.make_links(
            recruitment=recruitment,
            external_ids=form.cleaned_data["ids"],
            ends_at=now + dt.timedelta(days=form.cleaned_data["days"]),
            by=request.user,
            now=now,
        )
    except Conflict as conflict:
        form.add_error("ids", str(conflict))
        return view_page(request, recruitment, links_form=form, status=UNPROCESSABLE)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-links.csv"'
    writer = csv.writer(response)
    writer.writerow(["id", "link"])
    for external_id, token in tokens.items():
        address = redirect("participant-link", token).url
        writer.writerow([external_id, request.build_absolute_uri(address)])
    return response


@require_safe
def recruitment_file(request: UserRequest, slug: str, pk: int, kind: str) -> StreamingHttpResponse:
    """A file about participants: for the platform's bulk actions, or of what they said."""
    recruitment = get_recruitment(request, slug, pk)
    if kind not in files.KINDS:
        raise Http404
    lines = files.render_csv_lines(
        kind,
        recruitment,
        queries.iterate_ended_participants(recruitment),
        queries.form_labels(recruitment),
    )
    name = f"{slug}-recruitment-{pk}-{kind}.csv"
    return send_blocks(lines, name, "text/csv; charset=utf-8")


@takes_files
@require_POST
def recruitment_statuses(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Take over from the platform's file who has returned or run out of time."""
    recruitment = get_recruitment(request, slug, pk)
    form = StatusesForm(request.POST, request.FILES)
    if not form.is_valid():
        return view_page(request, recruitment, statuses_form=form, status=UNPROCESSABLE)
    try:
        named, changed = reviews.note_statuses(
            recruitment=recruitment,
            file=form.cleaned_data["file"].read(reviews.MOST_BYTES + 1),
            by=request.user,
            now=timezone.now(),
        )
    except Conflict as conflict:
        form.add_error("file", str(conflict))
        return view_page(request, recruitment, statuses_form=form, status=UNPROCESSABLE)
    messages.success(
        request, f"The file names {named} participants of this recruitment; {changed} have changed."
    )
    return redirect("recruitment-view", slug, pk)


@require_POST
def recruitment_erase(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Delete the platform's ids and what everyone said about themselves."""
    recruitment = get_recruitment(request, slug, pk)
    if "sure" not in request.POST:
        raise Conflict("Tick the box first: what is deleted cannot be brought back.")
    erased = reviews.erase_all(recruitment=recruitment, by=request.user, now=timezone.now())
    messages.success(request, f"Ids and answers about themselves deleted: {erased} participants.")
    return redirect("recruitment-view", slug, pk)


def page_of(request: UserRequest, project: Project) -> dict[str, Any]:
    """Return the frame of a page about participants."""
    return project_page(request, project, TAB)
