"""Signs of life of workers and of the clock, as rows that any process can read."""

import datetime as dt
import logging
import socket
import sys
from threading import Thread
from time import monotonic
from typing import Any

from celery.beat import PersistentScheduler
from celery.signals import heartbeat_sent, worker_shutdown
from django.db import DatabaseError, connection
from django.utils import timezone

from config import embedded, versions
from config.models import Heartbeat

logger = logging.getLogger(__name__)

EVERY_SECONDS = 10.0
# After so long without a sign a worker or the clock counts as gone. The clock gives one whenever
# it has sent something, which it does twice a minute.
GONE_AFTER = {
    Heartbeat.Kind.WORKER: dt.timedelta(seconds=60),
    Heartbeat.Kind.CLOCK: dt.timedelta(seconds=120),
}
FORGET_AFTER = dt.timedelta(days=1)


def write_heartbeat(*, name: str, kind: str, now: dt.datetime, queues: str = "") -> None:
    """Write a sign of life."""
    row = Heartbeat(name=name[:200], kind=kind, queues=queues[:200], at=now)
    Heartbeat.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["name"], update_fields=["kind", "queues", "at"]
    )


def delete_heartbeat(*, name: str) -> None:
    """Delete what ended in order, so that nobody waits for it."""
    Heartbeat.objects.filter(name=name).delete()


def forget_old(*, now: dt.datetime) -> None:
    """Delete what has shown no sign of life for a day: its host is gone."""
    Heartbeat.objects.filter(at__lt=now - FORGET_AFTER).delete()


class Pulse:
    """Writes the signs of this worker, in a thread: the worker must not wait for the database."""

    def __init__(self) -> None:
        self.thread: Thread | None = None
        self.next_at = 0.0

    def on_heartbeat(self, sender: Any) -> None:
        """Write a sign, at most every ten seconds; Celery calls it while the broker answers."""
        if monotonic() < self.next_at or (self.thread and self.thread.is_alive()):
            return
        self.next_at = monotonic() + EVERY_SECONDS
        events = sender.eventer
        queues = ",".join(sorted(events.app.amqp.queues.consume_from))
        self.thread = Thread(
            target=_write, args=[events.hostname, queues], name="heartbeat", daemon=True
        )
        self.thread.start()

    def on_shutdown(self, sender: Any) -> None:
        """Delete this worker's sign."""
        if self.thread:
            self.thread.join(timeout=5)
        try:
            delete_heartbeat(name=sender.hostname)
        except DatabaseError as error:
            logger.warning("the heartbeat could not be deleted: %s", error)


pulse = Pulse()


@heartbeat_sent.connect
def show_life(sender: Any = None, **_: Any) -> None:
    """Let others see that this worker lives. Celery calls it every two seconds."""
    pulse.on_heartbeat(sender)


@worker_shutdown.connect
def show_end(sender: Any = None, **_: Any) -> None:
    """Let others see that this worker has ended in order."""
    pulse.on_shutdown(sender)


def _write(name: str, queues: str) -> None:
    try:
        write_heartbeat(name=name, kind=Heartbeat.Kind.WORKER, queues=queues, now=timezone.now())
        versions.find_misfit()
    except DatabaseError as error:
        logger.warning("the heartbeat could not be written: %s", error)
    finally:
        connection.close()


def clock_name() -> str:
    """Return what the clock of this host is called."""
    return f"clock@{socket.gethostname()}"


class Clock(PersistentScheduler):
    """Celery's clock, which shows a sign of life as it starts and when it has sent something."""

    def setup_schedule(self) -> None:
        """Read what is to be sent, and when."""
        versions.end_on_misfit()
        try:
            with embedded.writing_privately():
                super().setup_schedule()
        except OSError as error:
            logger.critical(
                "the clock cannot write its schedule into AMBIT_DATA: %s: %s",
                *(error.filename, error.strerror),
            )
            sys.exit(1)
        self._show_life()

    def apply_async(self, *args: Any, **kwargs: Any) -> Any:
        """Send what is due. Raises where the broker cannot be reached: that is no sign of life."""
        result = super().apply_async(*args, **kwargs)
        self._show_life()
        return result

    def close(self) -> None:
        """Stop in order."""
        super().close()
        try:
            delete_heartbeat(name=clock_name())
        except DatabaseError as error:
            logger.warning("the heartbeat could not be deleted: %s", error)

    def _show_life(self) -> None:
        now = timezone.now()
        try:
            write_heartbeat(name=clock_name(), kind=Heartbeat.Kind.CLOCK, now=now)
            forget_old(now=now)
            versions.find_misfit()
        except DatabaseError as error:
            logger.warning("the heartbeat could not be written: %s", error)
            connection.close()
