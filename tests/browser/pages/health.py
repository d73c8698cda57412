"""The page of how the installation is, which anyone may open."""

import datetime as dt

from django.urls import reverse
from django.utils import timezone

from operations.heartbeats import write_heartbeat
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import writes
from wikipedia.models import Snapshot


@writes
def well(page, world):
    """A worker and the clock show signs of life; no snapshot is without an archive."""
    Snapshot.objects.all().update(state="indexing")
    beats(timezone.now())
    page.goto(reverse("healthz"))
    page.get_by_role("heading", name="Everything works").wait_for()


@writes
def needs_a_look(page, world):
    beats(timezone.now())
    page.goto(reverse("healthz"))
    page.get_by_role("heading", name="Something needs a look").wait_for()


@writes
def down(page, world):
    """The worker was killed an hour ago."""
    allow_problem(page, "status of 503")
    beats(timezone.now() - dt.timedelta(hours=1))
    page.goto(reverse("healthz"))
    page.get_by_role("heading", name="Something is down").wait_for()
    page.get_by_text("No worker runs; last sign 60 min ago").wait_for()


def beats(now):
    write_heartbeat(name="worker@one", kind="worker", queues="default", now=now)
    write_heartbeat(name="clock@one", kind="clock", now=now)


PAGES = [
    ("health", "anonymous", well),
    ("health, something to look at", "anonymous", needs_a_look),
    ("health, something is down", "anonymous", down),
]
