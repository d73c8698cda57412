"""Celery tasks of accounts."""

from typing import Any

from celery import shared_task

from accounts.sessions import SessionStore


@shared_task(ignore_result=True)
def clear_sessions(**_: Any) -> None:
    """Delete the sessions that have ended."""
    SessionStore.clear_expired()
