"""The page of suggestions for staff: what is stored, what people did with it; and as files."""

from collections.abc import Mapping

import orjson
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.access.data import check_can_export
from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.exports.forms import SplitForm
from annotation.figures import counts as stored_counts
from annotation.models import Split
from annotation.pages.views import project_page
from modeling import queries, uptake
from modeling.uptake_wording import list_comparison_tables, list_uptake_rows

TAB = "suggestions"
TYPES: Mapping[str, str] = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@never_cache
@require_safe
def show_uptake_report(request: UserRequest, slug: str) -> HttpResponse:
    """What is stored, uptake, and work with and without: of all splits or of one."""
    project = get_project(request, slug, check_can_manage)
    form = SplitForm(request.GET)
    split = form.cleaned_data["split"] if form.is_valid() else ""
    stored_counts.load_figures([project], queries.REPORT, now=timezone.now())
    rows = queries.list_uptake_figures(project, split)
    context = project_page(request, project, TAB) | {
        "split": split,
        "splits": [("", "All"), *((value, value) for value in Split.values)],
        "stored": queries.list_stored_versions(project, split),
        "used": list_uptake_rows(rows),
        "compared": list_comparison_tables(rows),
        "counted_at": stored_counts.counted_at(project, queries.REPORT),
    }
    return render(request, "modeling/suggestions.html", context)


@never_cache
@require_safe
def download_uptake(request: UserRequest, slug: str, format: str) -> HttpResponse:
    """The figures of the page as a file."""
    project = get_project(request, slug, check_can_export)
    form = SplitForm(request.GET)
    if format not in TYPES or not form.is_valid():
        raise Http404
    stored_counts.load_figures([project], queries.REPORT, now=timezone.now())
    rows = queries.list_uptake_figures(project, form.cleaned_data["split"])
    content: str | bytes
    if format == "csv":
        content = uptake.as_csv(rows)
    else:
        content = orjson.dumps(uptake.as_rows(rows), option=orjson.OPT_INDENT_2)
    response = HttpResponse(content, content_type=TYPES[format])
    name = f"{project.slug}-suggestions.{format}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
