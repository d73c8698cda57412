"""The Celery application. The state of jobs is in PostgreSQL; the broker only wakes workers."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's checks of the program load every page, which a worker never shows: 40 MB.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("ambit")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
