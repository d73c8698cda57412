"""The page of all jobs, and what is pressed there."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from annotation.access.loaders import UserRequest
from annotation.core.models.jobs import Job
from annotation.jobs import retrying
from annotation.jobs import services as jobs_services
from operations.administration.frame import for_administrators, render_section
from operations.administration.jobs import queries


@for_administrators
@require_safe
def job_list(request: UserRequest) -> HttpResponse:
    """Show queues, workers, and the jobs that run, wait or failed; with ?ended also the others."""
    now = timezone.now()
    shows_ended = "ended" in request.GET
    context = {
        "jobs": queries.build_page(now),
        "day": queries.count_ended(now),
        "ended": queries.list_ended(now) if shows_ended else [],
        "shows_ended": shows_ended,
    }
    return render_section(request, "jobs", "jobs.html", context)


@for_administrators
@require_POST
def job_stop(request: UserRequest, job_id: int) -> HttpResponse:
    """Stop a job: at once if it waits, after its current batch if it runs."""
    job = get_object_or_404(Job, pk=job_id)
    job = jobs_services.cancel_job(job=job, by=request.user, now=timezone.now())
    running = job.state == Job.State.RUNNING
    messages.success(request, "It stops after its current batch." if running else "Stopped.")
    return redirect("administration-jobs")


@for_administrators
@require_POST
def job_retry(request: UserRequest, job_id: int) -> HttpResponse:
    """Start a job like one that failed; what that has stored is passed over."""
    job = get_object_or_404(Job.objects.select_related("project"), pk=job_id)
    retrying.retry_job(job=job, by=request.user, now=timezone.now())
    messages.success(request, "Started again.")
    return redirect("administration-jobs")
