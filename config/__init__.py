"""The composition root: settings, URLs, Celery, embedded services. Imported by nobody."""

from config.celery import app as celery_app

__all__ = ["celery_app"]
