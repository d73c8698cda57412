"""Celery tasks: each makes one call into a service."""

from typing import Any

from celery import shared_task
from django.utils import timezone

from crowds.services import participations, reviews


@shared_task(ignore_result=True)
def end_overdue(**_: Any) -> None:
    """End the participations whose time is over."""
    participations.end_overdue(now=timezone.now())


@shared_task(ignore_result=True)
def drop_hashes(**_: Any) -> None:
    """Forget the hashes of erased ids in recruitments that have closed."""
    reviews.drop_hashes(now=timezone.now())
