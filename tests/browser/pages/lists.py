"""The pages of questions with many answers."""

from django.urls import reverse
from django.utils import timezone

from tests import factories
from tests.browser.helpers import allow_problem, sign_in
from tests.browser.pages.steps import writes
from tests.qampari import factories as lists
from tests.qampari import paraphrasing
from tests.stages.window import Window


def refused(page, project, stage, role):
    """Take a task, and hand it in with nothing in it."""
    person = factories.make_member(project, role)
    turn = Window(person, project, stage).take().assignment
    sign_in(page, person)
    allow_problem(page, "status of 422")
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def paraphrase(page, world):
    project = paraphrasing.make_project()
    paraphrasing.accepted(project, timezone.now())
    refused(page, project, "qampari-paraphrase", "annotator")


@writes
def verification(page, world):
    project = paraphrasing.make_project()
    paraphrasing.paraphrased(project, timezone.now())
    refused(page, project, "qampari-verify", "validator")


@writes
def tables(page, world):
    """The report of a project of QAMPARI, before anything is computed."""
    project = paraphrasing.make_project()
    staff = factories.make_member(project, "researcher")
    sign_in(page, staff)
    page.goto(reverse("project-report", args=[project.slug, "tables"]))


@writes
def checking(page, world):
    project = lists.make_project(slug="checked-lists")
    lists.make_question(project, world.now)
    refused(page, project, "qampari-check", "annotator")


@writes
def team(page, world):
    """Staff have two answers to check, one with a note."""
    project = lists.make_project(slug="team-lists")
    lists.make_question(project, world.now)
    person = factories.make_member(project, "annotator")
    lists.check(person, project, ["correct", "doubtful", "correct", "unclear", "correct"])
    refused(page, project, "qampari-team", "researcher")


PAGES = [
    ("list-answer-refused", "annotator", checking),
    ("team-check-refused", "annotator", team),
    ("paraphrase-refused", "annotator", paraphrase),
    ("verify-refused", "annotator", verification),
    ("qampari-tables", "annotator", tables),
]
