"""The pages of consent."""

from dataclasses import replace

from django.urls import reverse

from annotation.consent import services as consent_services
from annotation.consent.services import Agreement, write_standard_text
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import writes


def publish(world):
    """Publish the text that new projects start with; return the pressing of a person's answer."""
    text = consent_services.publish_text(
        project=world.project,
        words=replace(
            write_standard_text(by=None),
            contact="data@example.org",
            ethics="Example Board, 7",
            asks_background=True,
        ),
        asks=True,
        seen=0,
        by=world.people["admin"],
        now=world.now,
    )

    def agree(who):
        consent_services.give_consent(
            project=world.project,
            agreement=Agreement(text.version, of_age=True, may_train=who == "annotator"),
            by=world.people[who],
            now=world.now,
        )

    return agree


@writes
def asked(page, world):
    publish(world)
    page.goto(reverse("consent-give", args=[world.slug]))
    page.get_by_role("button", name="Agree and go on").wait_for()


@writes
def not_answered(page, world):
    publish(world)
    allow_problem(page, "status of 422")
    page.goto(reverse("consent-give", args=[world.slug]))
    page.get_by_role("button", name="Agree and go on").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def agreed(page, world):
    publish(world)("annotator")
    page.goto(reverse("consent-give", args=[world.slug]))
    page.get_by_role("button", name="Withdraw your consent").wait_for()


@writes
def own(page, world):
    publish(world)("annotator")
    page.goto(reverse("consent-mine"))
    page.get_by_text("What the text says, and your answers").click()
    page.get_by_text("About you, if you wish").click()
    page.get_by_label("Where do you live?").wait_for()
    page.get_by_role("button", name="Forbid it").wait_for()


@writes
def asked_at_home(page, world):
    publish(world)
    page.goto(reverse("home"))
    page.get_by_role("link", name="Read and answer").wait_for()


@writes
def for_the_team(page, world):
    agree = publish(world)
    agree("annotator")
    agree("judge")
    consent_services.refuse_consent(
        project=world.project, by=world.people["validator"], now=world.now
    )
    consent_services.withdraw_consent(
        project=world.project, by=world.people["judge"], now=world.now
    )
    page.goto(reverse("project-consent", args=[world.slug]))
    page.get_by_text("1 answer").first.click()


@writes
def preview(page, world):
    page.goto(reverse("project-consent", args=[world.slug]))
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("Preview of version 1").wait_for()


PAGES = [
    ("consent, asked", "annotator", asked),
    ("consent, not answered", "annotator", not_answered),
    ("consent, agreed", "annotator", agreed),
    ("about your data", "annotator", own),
    ("about your data, nothing", "stranger", lambda world: reverse("consent-mine")),
    ("my work, asked first", "annotator", asked_at_home),
    ("consent of a project", "admin", for_the_team),
    (
        "consent of a project, no text",
        "researcher",
        lambda world: reverse("project-consent", args=[world.slug]),
    ),
    ("consent of a project, preview", "admin", preview),
]
