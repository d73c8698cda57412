"""The pages of the administration, which only administrators of the installation see."""

from django.urls import reverse

from accounts.models import User
from tests import factories
from tests.browser.helpers import allow_problem
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


PAGES = [
    ("administration, people", "staff", section("people", "People of this installation")),
    ("administration, nobody found", "staff", nobody_found),
    ("administration, a person", "staff", person),
    ("administration, a person, refused", "staff", person_refused),
    ("administration, projects", "staff", projects),
]
