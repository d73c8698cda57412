"""Exports as downloads, and the page on which one is chosen."""

from collections.abc import Callable

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from annotation.access.data import check_can_export
from annotation.access.loaders import UserRequest, get_project
from annotation.core.models.projects import Project
from annotation.exports import services as exports
from annotation.exports.downloads import send_export, send_zip
from annotation.exports.forms import ExportForm, ExportPageForm
from annotation.pages.views import project_page


@require_safe
def export_page(request: UserRequest, slug: str) -> HttpResponseBase:
    """Show the export form; if filled in, send the download with its manifest."""
    project = get_project(request, slug, check_can_export)
    if not request.GET:
        return _export_again(request, project, ExportPageForm(project=project))
    form = ExportPageForm(request.GET, project=project)
    if not form.is_valid():
        return _export_again(request, project, form)
    return send_zip(_start(request, project, form.cleaned_data["format"], form))


@require_safe
def export_download(request: UserRequest, slug: str, format: str) -> HttpResponseBase:
    """Send the export as a streamed file."""
    return _export(request, slug, format, send_export)


@require_safe
def export_bundle(request: UserRequest, slug: str, format: str) -> HttpResponseBase:
    """Send the export with its manifest, as one ZIP."""
    return _export(request, slug, format, send_zip)


def _export(
    request: UserRequest,
    slug: str,
    format: str,
    send: Callable[[exports.Export], StreamingHttpResponse],
) -> HttpResponseBase:
    project = get_project(request, slug, check_can_export)
    if format not in exports.formats_by_key():
        raise Http404
    form = ExportForm(request.GET, project=project)
    if not form.is_valid():
        given = request.GET.copy()
        given["format"] = format
        return _export_again(request, project, ExportPageForm(given, project=project))
    return send(_start(request, project, format, form))


def _start(request: UserRequest, project: Project, format: str, form: ExportForm) -> exports.Export:
    return exports.start_export(
        project=project, format=format, chosen=form.selection, by=request.user, now=timezone.now()
    )


def _export_again(request: UserRequest, project: Project, form: ExportForm) -> HttpResponse:
    context = project_page(request, project, "overview") | {"form": form}
    status = 422 if form.is_bound else 200
    return render(request, "annotation/exports/export_view.html", context, status=status)
