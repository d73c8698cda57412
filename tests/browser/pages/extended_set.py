"""The pages of the extended set."""

import datetime as dt

from django.urls import reverse

from annotation.models import Assignment
from annotation.work import assignments
from tests import factories
from tests.browser.pages.steps import writes
from tests.qampari.extending import make_project, ready


def taken(world):
    """Return work of the annotator in a project of lists."""
    project = make_project(slug="lists")
    ready(project, world.now)
    person = factories.make_member(project, "annotator", user=world.people["annotator"])
    return assignments.take_next(project=project, stage="qampari-extend", by=person, now=world.now)


@writes
def extending(page, world):
    """Two answers, one that is there already, and one that was removed."""
    page.goto(reverse("work-page", args=[taken(world).pk]))
    page.wait_for_load_state()
    for text in ("Cree Bridge", "Esk", "Earn", "the cree bridge"):
        page.fill("#new", text)
        page.locator("#new").press("Enter")
    page.get_by_role("button", name="Remove Earn").click()
    page.get_by_role("button", name="Put back “Earn”").wait_for()


@writes
def over(page, world):
    turn = taken(world)
    Assignment.objects.filter(pk=turn.pk).update(limit_ends_at=world.now - dt.timedelta(hours=1))
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_text("is being submitted").wait_for()


@writes
def ready_to_take(page, world):
    project = make_project(slug="lists")
    ready(project, world.now)
    factories.make_member(project, "annotator", user=world.people["annotator"])
    page.goto(reverse("home"))
    page.get_by_text("The clock starts when you press").wait_for()


@writes
def drawing(page, world):
    """The card on the page of a project, and what is wrong with a number."""
    project = make_project(slug="lists")
    ready(project, world.now)
    factories.make_member(project, "admin", user=world.people["admin"])
    page.goto(reverse("project-overview", args=[project.slug]))
    page.get_by_label("Number of questions").fill("200")
    page.get_by_role("button", name="Draw at random").click()
    page.get_by_text("Choose a number from 1 to 1").wait_for()


PAGES = [
    ("extended set, drawing", "admin", drawing),
    ("extended set, work", "annotator", extending),
    ("extended set, time over", "annotator", over),
    ("my work with a time limit", "annotator", ready_to_take),
]
