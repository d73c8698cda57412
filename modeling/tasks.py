"""Celery tasks of this app. They wait on the queue `models`."""

from typing import Any

from celery import shared_task
from django.utils import timezone

from annotation.jobs import services as jobs_services
from modeling.services import running


@shared_task(acks_late=True, ignore_result=True)
def run_job(*, job_id: int, **_: Any) -> None:
    """Run a job with a model. Safe to call twice: a job that is not waiting is left alone."""
    jobs_services.claim_and_run(job_id=job_id, clock=timezone.now)


@shared_task(acks_late=True, ignore_result=True)
def join_job(*, job_id: int, **_: Any) -> None:
    """Help a worker with its job. Safe to call twice: a process joins a job once."""
    running.join_job(job_id=job_id, clock=timezone.now)
