"""The composition root: settings, URLs, Celery, embedded services. No other app imports it."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
