import gc
from typing import Any

from django.apps import AppConfig

from config import words


class ConfigConfig(AppConfig):
    name = "config"
    verbose_name = "Installation"

    def ready(self) -> None:
        from annotation import queue
        from config import protocols

        words.speak()
        protocols.register()
        queue.register(send)
        gc.freeze()
        gc.enable()  # manage.py stopped it


def send(task: str, **arguments: Any) -> None:
    """Send a task to the workers, once; who sends sees to it that it is sent again."""
    # A quarter of the time of a command's start, and few commands send anything.
    from config.celery import app

    app.send_task(task, kwargs=arguments, retry=False)
