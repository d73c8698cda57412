"""Imports by upload, the pages of jobs."""

import json
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.access.data import check_can_import
from annotation.access.loaders import UserRequest, get_project
from annotation.access.projects import check_can_manage
from annotation.core.models.jobs import Job
from annotation.core.models.people import Role
from annotation.core.models.projects import Project
from annotation.core.refusals import roles_in
from annotation.imports import check_views, done, downloads, opening, queries, undoing, uploads
from annotation.imports import services as imports
from annotation.imports.check_forms import UploadForm
from annotation.imports.formats import all_formats
from annotation.imports.forms import ImportForm
from annotation.jobs import retrying
from annotation.jobs import services as jobs_services
from annotation.jobs.queries import find_jobs
from annotation.pages.panels import panels_of
from annotation.pages.views import project_page
from annotation.progress.context import progress_context
from annotation.uploads.requests import takes_files, upload_refusal


def data_panels(request: UserRequest, project: Project) -> dict[str, Any]:
    """Return the context of _import.html and _exports.html on the page of a project."""
    imports_before = queries.imports_of(project)
    job = imports_before[0] if imports_before else None
    shown = job is not None and (job.ended_at is None or job.state == Job.State.FAILED)
    return {
        "upload_form": UploadForm(),
        "imports": imports_before,
        "exports": queries.export_rows(project),
        "splits": queries.splits_of(project),
        "panels": panels_of(project),
        **(queries.job_context(job) if job and shown else {}),
    }


def _get_job(request: UserRequest, slug: str, job_id: int) -> Job:
    project = get_project(request, slug, check_can_manage)
    return get_object_or_404(find_jobs(request.user), pk=job_id, project=project)


@takes_files
@require_http_methods(["GET", "HEAD", "POST"])
def import_create(request: UserRequest, slug: str) -> HttpResponse:
    """Where a file is chosen. One that is sent is looked at, or imported as the format named."""
    project = get_project(request, slug, check_can_import)
    if request.method != "POST":
        return check_views.show_import(request, project)
    if "format" not in request.POST:
        return check_views.take_upload(request, project)
    form = ImportForm(request.POST, request.FILES, project=project, refused=upload_refusal(request))
    if not form.is_valid():
        return _import_again(request, project, form)
    file = form.cleaned_data["file"]
    job = imports.start_import(
        project=project,
        file=file,
        file_name=file.name,
        format=form.cleaned_data["format"],
        split=form.cleaned_data["split"],
        strict=form.cleaned_data["strict"],
        finished=form.cleaned_data["finished"],
        closed=form.cleaned_data["closed"],
        by=request.user,
        now=timezone.now(),
    )
    if "HX-Request" not in request.headers:
        return redirect("job-detail", slug, job.pk)
    context = {
        "project": project,
        "import_form": check_views.import_form(project, job),
        "imports": queries.imports_of(project),
        **queries.job_context(job),
    }
    return render(request, "annotation/imports/_format_form.html", context)


def _import_again(request: UserRequest, project: Project, form: ImportForm) -> HttpResponse:
    if "HX-Request" not in request.headers:
        return check_views.show_import(request, project, format_form=form)
    context = project_page(request, project, "overview") | {"import_form": form}
    return render(request, "annotation/imports/_format_form.html", context, status=422)


@never_cache
@require_safe
def job_detail(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """A job as a page, or (asked for by htmx) as the fragment that watches itself."""
    job = _get_job(request, slug, job_id)
    if job.kind == uploads.UPLOAD_KIND:
        return redirect("import-check", slug, job.pk)
    context = {"project": job.project, **queries.job_context(job)}
    if "HX-Request" not in request.headers:
        context |= project_page(request, job.project, "overview") | next_steps(request, job)
        if job.kind in Job.IMPORTS and job.state == Job.State.DONE:
            context |= done.describe_done(job)
            return render(request, "annotation/imports/import_done.html", context)
        return render(request, "annotation/imports/job_view.html", context)
    return _job_fragment(request, job, context)


def next_steps(request: UserRequest, job: Job) -> dict[str, Any]:
    """Return the context of the next steps after an import; nothing for other jobs."""
    if job.kind not in Job.IMPORTS or job.state != Job.State.DONE:
        return {}
    roles = roles_in(request.user, job.project)
    return {
        "questions": job.project.questions.count(),
        "undoable": job.undone_at is None and job.questions.exists(),
        "closed": opening.count_closed(job) if job.options.get("closed") else 0,
        "people": queries.has_workers(job.project),
        "may_work": bool({Role.ANNOTATOR, Role.VALIDATOR} & roles),
        "administers": Role.ADMIN in roles,
    }


def _job_fragment(request: UserRequest, job: Job, context: dict[str, Any]) -> HttpResponse:
    context |= next_steps(request, job)
    slug, is_done = job.project.slug, job.state == Job.State.DONE
    if is_done and _is_watched_on(request, "project-overview", slug):
        # The card above the progress still said that there are no questions.
        context |= progress_context(job.project, timezone.now()) | {"manages": True, "swap": True}
    response = render(request, "annotation/jobs/_job.html", context)
    patch_vary_headers(response, ["HX-Request"])
    if is_done and job.kind in Job.IMPORTS and _is_watched_on(request, "job-detail", slug, job.pk):
        response["HX-Refresh"] = "true"  # the page says what came, and what comes next
    if job.ended_at is not None:
        response["HX-Trigger"] = json.dumps({"announce": queries.describe_outcome(job)})
    return response


def _is_watched_on(request: UserRequest, name: str, *args: object) -> bool:
    """Whether the script that asks runs on this page."""
    watched = urlsplit(request.headers.get("HX-Current-URL", "")).path
    return watched == reverse(name, args=args)


@require_POST
def import_undo(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """Delete the questions that an import created and no one has worked on."""
    job = _get_job(request, slug, job_id)
    number = undoing.undo_import(job=job, by=request.user, now=timezone.now())
    removed = "1 question was" if number == 1 else f"{number:,} questions were"
    messages.success(request, f"Import undone: {removed} removed.")
    return redirect("job-detail", slug, job_id)


@require_POST
def import_open(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """Give the questions that an import created closed to people, from now on."""
    job = _get_job(request, slug, job_id)
    number = opening.open_import(job=job, by=request.user, now=timezone.now())
    opened = "1 question is" if number == 1 else f"{number:,} questions are"
    messages.success(request, f"{opened} open to annotators now.")
    return redirect("job-detail", slug, job_id)


@require_safe
def import_example(request: UserRequest, slug: str, format: str) -> HttpResponse:
    """Download a small file of a format, to read and to try an import with."""
    get_project(request, slug, check_can_manage)
    if format not in all_formats():
        raise Http404
    kind = all_formats()[format]
    response = HttpResponse(kind.example, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="example-{format}.{kind.suffix}"'
    return response


@require_safe
def job_problems(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """Download the lines that an import refused, with the reasons, or as they are in the file."""
    job = _get_job(request, slug, job_id)
    if request.GET.get("shape") == "file":
        return downloads.refused_file_of(job)
    return downloads.problems_file(downloads.list_lines(job.result or {}))


@require_POST
def job_cancel(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """Stop a job; questions already imported are kept."""
    job = _get_job(request, slug, job_id)
    job = jobs_services.cancel_job(job=job, by=request.user, now=timezone.now())
    if "HX-Request" in request.headers:
        return _job_fragment(request, job, {"project": job.project, **queries.job_context(job)})
    return redirect("job-detail", slug, job_id)


@require_POST
def job_retry(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """Start a job like one that failed or was stopped, and lead to it."""
    job = retrying.retry_job(
        job=_get_job(request, slug, job_id), by=request.user, now=timezone.now()
    )
    return redirect("job-detail", slug, job.pk)


@require_POST
def import_rest(request: UserRequest, slug: str, job_id: int) -> HttpResponse:
    """Import the readable records of a file that was refused as a whole."""
    job = imports.import_the_rest(
        job=_get_job(request, slug, job_id), by=request.user, now=timezone.now()
    )
    if "HX-Request" in request.headers:
        return _job_fragment(request, job, {"project": job.project, **queries.job_context(job)})
    return redirect("job-detail", slug, job.pk)
