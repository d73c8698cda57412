"""Celery tasks: each takes ids and makes one call into a service."""

from typing import Any

from celery import current_app, shared_task
from celery.signals import worker_ready
from django.utils import timezone

from annotation.contexts import queries as contexts_queries
from annotation.figures import counts as stored_counts
from annotation.golds import services as golds_services
from annotation.home import staff_queries as staff_home
from annotation.imports import queries as imports_queries
from annotation.jobs import services as jobs_services
from annotation.monitoring import queries as monitoring_queries
from annotation.pay import queries as pay_queries
from annotation.people import clearing
from annotation.progress import queries as progress_queries
from annotation.projects import stuck_work
from annotation.reading import visits
from annotation.webhooks import services as webhooks_services
from annotation.work import handover, time_limits

# These register the parts of the reports on large projects.
PARTS = [
    contexts_queries,
    imports_queries,
    monitoring_queries,
    pay_queries,
    progress_queries,
    staff_home,
    stuck_work,
    visits,
]


@shared_task(acks_late=True, ignore_result=True)
def run_job(*, job_id: int, **_: Any) -> None:
    """Run a job. Safe to call twice: a job that is not waiting is left alone."""
    jobs_services.claim_and_run(job_id=job_id, clock=timezone.now)


@shared_task(ignore_result=True)
def requeue_stale_jobs(**_: Any) -> None:
    """Queue jobs again whose worker or message was lost."""
    jobs_services.requeue_stale_jobs(now=timezone.now())


@shared_task(ignore_result=True)
def hand_over_the_left_behind(**_: Any) -> None:
    """Complete the follow-up of submissions whose web process was killed in between."""
    handover.hand_over_missed(timezone.now())


@shared_task(ignore_result=True)
def end_timed_work(**_: Any) -> None:
    """Submit what the drafts of work hold whose time limit has ended."""
    time_limits.submit_overdue_work(now=timezone.now())


@shared_task(ignore_result=True)
def draw_gold_items(**_: Any) -> None:
    """Draw gold items for tasks that are new since the last time."""
    golds_services.keep_up(now=timezone.now())


@shared_task(ignore_result=True)
def renew_figures(**_: Any) -> None:
    """Count the figures of large projects again where they are out of date."""
    stored_counts.renew_due(now=timezone.now())


@shared_task(ignore_result=True)
def clear_invitations(**_: Any) -> None:
    """Delete old invitations that no one used, with the addresses in them."""
    clearing.clear_invitations(now=timezone.now())


@shared_task(ignore_result=True)
def send_webhooks(**_: Any) -> None:
    """Send the messages of webhooks that are due."""
    webhooks_services.send_due(clock=timezone.now)


@worker_ready.connect
def look_for_lost_jobs(**_: Any) -> None:
    """Sweep as soon as a worker starts, rather than up to half a minute later."""
    current_app.send_task("annotation.tasks.requeue_stale_jobs")
