"""Settings of hosts that are killed in a test: another one takes over within seconds.

Nothing else is different, but that static files are not compressed.
"""

import datetime as dt

from django.apps import AppConfig

from config.settings import *  # noqa: F403, TID251 - these are settings
from config.settings import CELERY_BEAT_SCHEDULE, INSTALLED_APPS, STORAGES  # noqa: TID251

SECONDS = 2.0
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
for entry in CELERY_BEAT_SCHEDULE.values():
    entry["schedule"] = min(entry["schedule"], SECONDS)


class Hurried(AppConfig):
    """Takes a job from a worker that is silent for seconds."""

    name = "tests.benchmarks.hurried"

    def ready(self):
        """Change what is no setting."""
        from annotation.jobs import services as jobs_services  # its models have to be there

        jobs_services.STALE_AFTER = dt.timedelta(seconds=3 * SECONDS)


INSTALLED_APPS.append("tests.benchmarks.hurried.Hurried")
