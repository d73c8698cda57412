"""Reports for the people who run a project: the pages, and each panel as a file."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access.loaders import UserRequest, get_project, parse_number
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.figures import files, people, services
from annotation.figures import row_pages as rows
from annotation.figures.forms import FilterForm
from annotation.figures.panel_page import describe_panel, pair_half_panels
from annotation.figures.people_links import PeopleLinks
from annotation.figures.queries import (
    StoredReport,
    find_stored_panel,
    find_stored_report,
    place_report,
)
from annotation.figures.readers import MANAGERS
from annotation.figures.registry import Report, find_readers, find_report, list_reports
from annotation.pages.views import project_page

TAB = "reports"
NOTHING = "There are no figures of this report yet. Open its page, and they are computed."


@require_safe
@never_cache
def project_reports(request: UserRequest, slug: str) -> HttpResponse:
    """Lead to the first report of the project."""
    project = get_project(request, slug)
    listed = list_reports(project, request.user)
    if not listed:
        MANAGERS.check(request.user, project)
        raise Http404
    return redirect("project-report", slug, listed[0].key)


@require_http_methods(["GET", "POST"])
@never_cache
def project_report(request: UserRequest, slug: str, report: str) -> HttpResponse:
    """The stored panels of a report.

    A request by htmx asks for newer ones. A POST starts computing them again.
    """
    project, shown = _load_report(request, slug, report)
    form = FilterForm(request.GET, project=project, names=shown.filters)
    context = {"project": project, "report": shown, "form": form}
    if not form.is_valid():
        page = (
            project_page(request, project, TAB)
            | context
            | {"reports": list_reports(project, request.user)}
        )
        return render(request, "annotation/figures/report.html", page, status=422)
    filters, now = form.filters(), timezone.now()
    if request.method == "POST":
        services.start_figures_job(place_report(project, shown, filters), by=request.user, now=now)
        return redirect(request.get_full_path())
    context["query"], context["chosen"] = request.GET.urlencode(), form.chosen()
    stored = find_stored_report(project, shown, filters)
    if "HX-Request" in request.headers:
        return _newer(request, context, stored)
    stored = services.open_figures(stored, by=request.user, now=now)
    page = (
        project_page(request, project, TAB)
        | context
        | {"reports": list_reports(project, request.user)}
    )
    return render(request, "annotation/figures/report.html", page | panels_context(context, stored))


def _newer(request: UserRequest, context: dict[str, Any], stored: StoredReport) -> HttpResponse:
    """Answer a waiting page. Never start a job here, or an open page would do so for ever."""
    if stored.computing:
        response = _progress(stored)
    else:
        response = render(
            request,
            "annotation/figures/_report_panels.html",
            context | panels_context(context, stored),
        )
        news = "could not be computed" if stored.problem else "are here"
        response["HX-Trigger"] = json.dumps({"announce": f"The new figures {news}."})
    patch_vary_headers(response, ["HX-Request"])
    return response


def _progress(stored: StoredReport) -> HttpResponse:
    """Say how many panels are ready; htmx leaves the rest of the page as it is."""
    if not stored.progress:
        return HttpResponse(status=204)
    headers = {"HX-Retarget": "#panels-done", "HX-Reswap": "innerHTML"}
    return HttpResponse(stored.progress, headers=headers)


def panels_context(context: dict[str, Any], stored: StoredReport) -> dict[str, Any]:
    """Return what _report_panels.html shows of stored figures.

    context: with `project` and `report`, and the filters as `query` if there are any.
    """
    who = _who(context["project"], context["report"], stored.panels, context.get("query", ""))
    return {
        "stored": stored,
        "panels": pair_half_panels([describe_panel(panel, who) for panel in stored.panels]),
        "undrawn": any(panel["chart"] for panel in stored.panels) and not stored.drawn,
    }


def _who(
    project: Project, report: Report, panels: Sequence[Mapping[str, Any]], query: str
) -> PeopleLinks:
    """Return the people in panels, with addresses of the report on them."""
    called, pseudonyms = people.name_people(panels, project)
    knows = "people" in report.filters
    address = reverse("project-report", args=[project.slug, report.key]) if knows else ""
    return PeopleLinks(called, pseudonyms, address, query)


@require_safe
@never_cache
def report_rows(request: UserRequest, slug: str, report: str, panel: str) -> HttpResponse:
    """All rows of a stored panel, a page at a time."""
    project, shown = _load_report(request, slug, report)
    whole = _stored_panel(request, project, shown, panel)
    kind, after = (
        request.GET.get("kind", ""),
        min(parse_number(request.GET.get("after", "")), 1_000_000),
    )
    if kind and kind not in dict(whole["kinds"]):
        raise Http404
    page = rows.cut_page(whole, kind=kind, after=after)
    who = _who(project, shown, [page.panel], request.GET.urlencode())
    query = request.GET.copy()
    for name in ("kind", "after"):
        query.pop(name, None)
    context = project_page(request, project, TAB) | {
        "project": project,
        "report": shown,
        "page": page,
        "kind": kind,
        "query": query.urlencode(),
        "kinds": whole["kinds"],
        "panel": describe_panel(page.panel | {"svg": "", "chart": None, "whole": 0}, who),
    }
    return render(request, "annotation/figures/report_rows.html", context)


@require_safe
@never_cache
def report_file(
    request: UserRequest, slug: str, report: str, panel: str, format: str
) -> HttpResponse:
    """A stored panel as CSV, JSON, LaTeX (`?intervals`: with intervals), SVG or PDF."""
    project, shown = _load_report(request, slug, report)
    if format not in files.FORMATS:
        raise Http404
    stored = _stored_panel(request, project, shown, panel)
    kind, make = files.FORMATS[format]
    if format == "tex":
        make = partial(files.render_latex, intervals="intervals" in request.GET)
    content = make(stored, people.pseudonymise_people([stored], project))
    response = HttpResponse(content, content_type=kind)
    split = request.GET.get("split", "")
    name = "-".join([project.slug, panel, *([split] if split else [])])
    response["Content-Disposition"] = f'attachment; filename="{name}.{format}"'
    return response


def _stored_panel(
    request: UserRequest, project: Project, report: Report, key: str
) -> dict[str, Any]:
    """Return a stored panel with the filters of the address.

    404 if the report has no such panel; a Conflict says why it cannot be shown.
    """
    if not any(entry.key == key for entry in report.entries(project)):
        raise Http404
    form = FilterForm(request.GET, project=project, names=report.filters)
    if not form.is_valid():
        raise Conflict(" ".join(sentence for _, sentence in form.problems()))
    stored = find_stored_panel(project, report, form.filters(), key)
    if stored is None or stored["problem"]:
        raise Conflict(stored["problem"] if stored else NOTHING)
    return stored


def _load_report(request: UserRequest, slug: str, key: str) -> tuple[Project, Report]:
    """Return a project and its report, if the person may read that."""
    project = get_project(request, slug, find_readers(key).check)
    if (report := find_report(project, key)) is None:
        raise Http404
    return project, report
