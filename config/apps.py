import gc
from typing import Any

from django.apps import AppConfig

from annotation import registration
from config import words


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Installation"

    def ready(self) -> None:
        from django.core import checks

        from annotation.jobs import queue
        from config.checks import check_description, check_proxy, check_version

        words.replace_field_errors()
        registration.PROTOCOLS.add(_register_protocols)
        queue.register_sender(send_task)
        checks.register(check_proxy, checks.Tags.security, deploy=True)
        checks.register(check_description, deploy=True)
        checks.register(check_version, checks.Tags.database)
        gc.freeze()
        gc.enable()  # manage.py stopped it


def _register_protocols() -> None:
    from config import protocols

    protocols.register()


def send_task(task: str, **arguments: Any) -> None:
    """Send a task to the workers, once; who sends sees to it that it is sent again."""
    # A quarter of the time of a command's start, and few commands send anything.
    from config.celery import app

    app.send_task(task, kwargs=arguments, retry=False)
