"""Public pages of benchmarks, the page of a team, and what the team of the project does."""

from django.urls import reverse

from evaluation.benchmark.policies import LEAST_HIDDEN
from evaluation.benchmark.services import build_link
from evaluation.models import Benchmark
from tests import factories
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import slug, url, writes


@writes
def sending_refused(page, world):
    for place in range(LEAST_HIDDEN):
        factories.make_question(world.project, f"who built bridge {place}", split="test")
    allow_problem(page, "status of 422")
    page.goto(reverse("benchmark-entries", args=[world.slug]))
    page.get_by_role("button", name="Send").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def entry_that_failed(page, world):
    world.entry.team.entries.create(
        name="BART again",
        sent_by=world.people["stranger"],
        sent_at=world.now,
        year=world.now.year,
        month=world.now.month,
        state="failed",
        problem="The file has to hold one answer for each of the 1,200 questions.",
    )
    page.goto(reverse("benchmark-entries", args=[world.slug]))
    page.get_by_text("It does not count.").wait_for()


@writes
def page_that_is_closed(page, world):
    Benchmark.objects.update(is_open=False)
    page.goto(reverse("benchmark-edit", args=[world.slug]))
    page.get_by_role("link", name="Open the page").click()
    page.get_by_role("button", name="Open to everybody").wait_for()


def invitation_refused(page, world):
    allow_problem(page, "status of 403")
    page.goto(build_link(world.invited_seat))
    page.get_by_text("You cannot join with this link").wait_for()


PAGES = [
    ("a benchmark", "anonymous", url("benchmark", slug)),
    ("a benchmark's questions", "anonymous", url("benchmark-questions", slug)),
    (
        "no question of a benchmark",
        "anonymous",
        lambda world: reverse("benchmark-questions", args=[world.slug]) + "?q=nowhere",
    ),
    ("joining a team", "anonymous", lambda world: build_link(world.invited_seat)),
    ("an invitation into a team that is for another", "annotator", invitation_refused),
    ("a benchmark for its team", "stranger", url("benchmark", slug)),
    ("a public page's settings", "researcher", url("benchmark-edit", slug)),
    ("opening a public page", "researcher", page_that_is_closed),
    ("a team and what it sent", "stranger", url("benchmark-entries", slug)),
    ("an entry that was not scored", "stranger", entry_that_failed),
    ("predictions that are refused", "stranger", sending_refused),
]
