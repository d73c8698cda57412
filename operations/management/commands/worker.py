"""manage.py worker: the Celery worker and its clock in one process."""

import gc
import socket
import sys
from argparse import ArgumentParser
from importlib import import_module
from typing import Any

from celery.beat import EmbeddedService
from django.conf import settings

from annotation.management import base
from config.celery import app


def preload_worker() -> None:
    """Load what a worker needs, so that one started from this process shares its memory."""
    for name in (
        *("annotation.tasks", "config.broker", "celery.contrib.django.task"),
        *("celery.apps.worker", "celery.worker.consumer", "celery.worker.control"),
        *("celery.worker.strategy", "celery.worker.loops", "celery.concurrency.thread"),
        *("celery.app.amqp", "celery.app.log", "celery.events.receiver"),
    ):
        import_module(name)
    app.finalize()
    gc.collect()
    gc.freeze()


class Command(base.Command):
    help = (
        "Run background jobs, until stopped.\n\n"
        "  manage.py worker\n\n"
        "One process with threads, with the clock that finds lost jobs: what the\n"
        "embedded default needs. With many hosts run the clock on one of them (--no-clock on the\n"
        "others), or Celery's own command: celery -A config worker."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--concurrency", type=int, default=2, help="jobs at once (default 2)")
        parser.add_argument(
            "--queues", default="default", help="comma-separated (default: default)"
        )
        parser.add_argument("--loglevel", default="INFO")
        parser.add_argument(
            "--no-clock", action="store_true", help="another worker of this installation has it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["no_clock"]:
            # A thread instead of Celery's -B, which is another process (50 MB) that goes on for
            # ever when the worker is killed.
            clock: Any = EmbeddedService(
                app, thread=True, scheduler_cls=settings.CELERY_BEAT_SCHEDULER
            )
            clock.start()
        # As `celery worker` does, without its command line, which is another 9 MB.
        worker = app.Worker(
            pool="threads",
            concurrency=options["concurrency"],
            queues=options["queues"],
            # Workers of one machine show signs of life apart, by their queues.
            hostname=f"{options['queues'].replace(',', '-')}@{socket.gethostname()}",
            loglevel=options["loglevel"],
            quiet=options["loglevel"] in ("WARNING", "ERROR"),
            without_gossip=True,
            without_mingle=True,
        )
        worker.start()
        if not options["no_clock"]:
            clock.stop()  # so that it does not count as lost
        sys.exit(worker.exitcode)
