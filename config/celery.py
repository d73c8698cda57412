"""The Celery application. The state of jobs is in PostgreSQL; the broker only wakes workers."""

import os
from collections.abc import Mapping
from typing import Any

from celery import Celery
from celery.signals import before_task_publish, task_postrun, task_prerun, worker_init

from config import logs

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's checks of the program load every page, which a worker never shows: 40 MB.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

app = Celery("ambit")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def prepare_worker(sender: Any = None, **_: Any) -> None:
    """End this worker before it starts, if this version cannot work on the database.

    Else load what apps register, of which jobs of every kind need some.
    """
    from annotation import registration
    from config import versions  # needs the settings, which are not there yet as this is loaded

    versions.end_on_misfit()
    registration.make_all()


@before_task_publish.connect
def name_request(headers: dict[str, Any] | None = None, **_: Any) -> None:
    """Tell the worker which request asked for a task."""
    if headers is not None and "request_id" in logs.get_ids():
        headers["request_id"] = logs.get_ids()["request_id"]


@task_prerun.connect
def name_task(
    task_id: str = "", task: Any = None, kwargs: Mapping[str, Any] | None = None, **_: Any
) -> None:
    """Give the lines of a task its ids: its own, its job's, and that of who asked for it."""
    asked = (task.request.headers or {}).get("request_id")
    job = (kwargs or {}).get("job_id")
    given = {"request_id": asked, "task_id": task_id, "job_id": job}
    logs.set_ids(**{name: value for name, value in given.items() if value is not None})


@task_postrun.connect
def forget_task(**_: Any) -> None:
    """Give what follows no ids of the task."""
    logs.set_ids()
