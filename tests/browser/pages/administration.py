"""The pages of the administration, which only administrators of the installation see."""

import datetime as dt

from django.urls import reverse

from accounts.models import User
from annotation.models import Job
from annotation.projects.services import change_state
from operations.administration.people.services import deactivate_person
from operations.heartbeats import write_heartbeat
from tests import factories
from tests.browser.helpers import allow_problem
from tests.browser.pages.health import beats
from tests.browser.pages.steps import annotator, writes


def as_administrator(world):
    User.objects.filter(pk=world.people["staff"].pk).update(is_superuser=True)


def section(name, heading):
    """A section as it is opened."""

    @writes
    def go(page, world):
        as_administrator(world)
        page.goto(reverse(f"administration-{name}"))
        page.get_by_role("heading", name=heading, level=1).wait_for()

    return go


@writes
def nobody_found(page, world):
    as_administrator(world)
    page.goto(reverse("administration-people"))
    page.get_by_label("Name or e-mail address").fill("nobody at all")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("heading", name="No one matches").wait_for()


@writes
def person(page, world):
    as_administrator(world)
    page.goto(reverse("administration-person", args=[annotator(world)]))
    page.get_by_text("Add to a project").click()
    page.get_by_role("button", name="Give the role").wait_for()


@writes
def person_refused(page, world):
    """The press asks for the password again, then for a reason."""
    as_administrator(world)
    allow_problem(page, "status of 422")
    page.goto(reverse("administration-person", args=[annotator(world)]))
    page.get_by_text("Deactivate…").click()
    page.get_by_role("button", name="Deactivate").click()
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("write why. It goes into the audit.").first.wait_for()


@writes
def projects(page, world):
    """One runs, another is archived."""
    as_administrator(world)
    page.goto(reverse("administration-projects"))
    page.get_by_role("button", name="Archive").first.click()
    page.get_by_role("button", name="Reopen").wait_for()


@writes
def jobs(page, world):
    """One runs, one waits, one has failed; one worker is lost."""
    as_administrator(world)
    beats(world.now)
    write_heartbeat(
        name="worker@lost", kind="worker", queues="models", now=world.now - dt.timedelta(hours=1)
    )
    common = {"project": world.project, "created_by": world.people["admin"], "kind": "import"}
    times = {"created_at": world.now, "heartbeat_at": world.now}
    running = {"started_at": world.now, "attempts": 1, "done": 44, "total": 100}
    failed = {"ended_at": world.now, "problem": "Line 88: “question_text” is missing."}
    Job.objects.create(state="running", file_name="a.jsonl", **common, **times, **running)
    Job.objects.create(state="queued", file_name="b.jsonl", **common, **times)
    Job.objects.create(state="failed", file_name="c.jsonl", **common, **times, **failed)
    page.goto(f"{reverse('administration-jobs')}?ended=1")
    page.get_by_role("heading", name="c.jsonl").wait_for()
    page.get_by_role("button", name="Stop a.jsonl").wait_for()


@writes
def backup_runs(page, world):
    """It waits, then it runs."""
    as_administrator(world)
    page.goto(reverse("administration-storage"))
    page.get_by_role("button", name="Make a backup now").click()
    page.get_by_text("A backup waits for a worker").wait_for()
    Job.objects.filter(kind="backup").update(
        state="running", started_at=world.now, attempts=1, done=420_000_000
    )
    page.get_by_role("link", name="Look again").click()
    page.get_by_text("420 MB written").wait_for()


@writes
def backup_failed(page, world):
    """The last one failed."""
    as_administrator(world)
    Job.objects.create(
        project=world.project, created_by=world.people["admin"], kind="backup", state="failed",
        created_at=world.now, heartbeat_at=world.now, ended_at=world.now,
        problem="pg_dump is not installed. Nothing was written.",
    )  # fmt: skip
    page.goto(reverse("administration-storage"))
    page.get_by_text("pg_dump is not installed").wait_for()


@writes
def audit(page, world):
    """With a row of each width: a person with a reason, a project."""
    as_administrator(world)
    staff = world.people["staff"]
    deactivate_person(
        user=world.people["stranger"], by=User.objects.get(pk=staff.pk), now=world.now,
        reason="left the university",
    )  # fmt: skip
    change_state(project=world.project, state="paused", by=world.people["admin"], now=world.now)
    page.goto(reverse("administration-audit"))
    page.get_by_text("left the university").wait_for()


PAGES = [
    ("administration, people", "staff", section("people", "People of this installation")),
    ("administration, nobody found", "staff", nobody_found),
    ("administration, a person", "staff", person),
    ("administration, a person, refused", "staff", person_refused),
    ("administration, projects", "staff", projects),
    ("administration, jobs", "staff", jobs),
    ("administration, no jobs", "staff", section("jobs", "Jobs")),
    ("administration, models", "staff", section("models", "Models and weights")),
    ("administration, Wikipedia", "staff", section("wikipedia", "Wikipedia on this installation")),
    ("administration, health", "staff", section("health", "Health")),
    ("administration, storage", "staff", section("storage", "Storage and backups")),
    ("administration, a backup runs", "staff", backup_runs),
    ("administration, a backup failed", "staff", backup_failed),
    ("administration, audit", "staff", audit),
]
