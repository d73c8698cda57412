"""The pages where people work."""

from django.urls import reverse

from annotation.models import (
    Assignment,
    Job,
    StagePolicy,
)
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import alone, slug, url, writes
from tests.browser.test_validation import validator_turn


def menu(page, world):
    page.set_viewport_size({"width": 600, "height": 800})
    page.goto(reverse("account-settings"))
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("link", name="My work").wait_for()


@writes
def work_with_problems(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("work-page", args=[world.assignment.pk]))
    page.fill("#question-1", "Where did another tunnel open in 2015")
    page.fill("#answer-1", "1843 / 1869")
    page.click("[data-submit]")
    page.get_by_text("There is a problem").wait_for()
    page.locator(".keep summary").first.click()


def work_ended(state):
    """Return a function that opens the page of work that is no longer in hand."""

    @writes
    def go(page, world):
        held = state == "parked"
        Assignment.objects.filter(pk=world.assignment.pk).update(
            state=state,
            ended_at=None if held else world.now,
            lease_ends_at=world.now if held else None,
            submitted_at=world.now if state == "submitted" else None,
            park_reason="Which town?" if held else "",
            draft={"pairs": [{"question": "When did it open?", "answers": [{"text": "1843"}]}]},
        )
        page.goto(reverse("work-page", args=[world.assignment.pk]))
        page.get_by_text("When did it open?").wait_for()

    return go


@writes
def my_work_with_something_parked(page, world):
    work_ended("parked")(page, world)
    page.goto(reverse("home"))
    page.get_by_role("button", name="Resume").wait_for()


@writes
def validation(page, world):
    page.goto(reverse("work-page", args=[validator_turn(world).pk]))
    page.get_by_text("Merged because both wrote").wait_for()


@writes
def validation_with_suggestions(page, world):
    """A suggestion to look at, and one that became an answer."""
    turn = validator_turn(world)
    StagePolicy.objects.filter(pk=turn.policy_id).update(suggestions="Reader 8B")
    suggestions_services.store_suggestions(
        question=turn.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[
            SuggestedContent(
                "pair", "When did the first London Bridge open?", ("1209",), "In 1209."
            ),
            SuggestedContent("answer", answers=("1967",)),
        ],
        now=world.now,
    )
    page.goto(reverse("work-page", args=[turn.pk]))
    page.locator("[name=verdict-1][value=correct]").check()
    page.get_by_role("button", name="Accept suggestion 1").click()
    page.get_by_text("as it was suggested").wait_for()


@writes
def suggestions_failed(page, world):
    """The panel where the job that makes suggestions has failed."""
    assignment = world.assignment
    StagePolicy.objects.filter(pk=assignment.policy_id).update(suggestions="Reader 8B")
    Job.objects.create(
        project=world.project,
        kind="suggest",
        state="failed",
        options={"system": "Reader 8B", "split": ""},
        created_by=world.people["admin"],
        created_at=world.now,
        ended_at=world.now,
    )
    page.goto(reverse("work-page", args=[assignment.pk]))
    page.fill("#question-1", "When did the Thames Tunnel open to the public?")
    page.fill("#answer-1", "1843")
    page.get_by_text("not available just now").wait_for()


@writes
def validation_parked(page, world):
    turn = validator_turn(world)
    Assignment.objects.filter(pk=turn.pk).update(state="parked", park_reason="Which bridge?")
    page.goto(reverse("work-page", args=[turn.pk]))
    page.get_by_text("What you did so far").wait_for()


@writes
def work_with_suggestions(page, world):
    """A suggestion to look at, one in a pair and a dismissed one."""
    StagePolicy.objects.filter(pk=world.assignment.policy_id).update(suggestions="Reader 8B")
    asked = ("to trains", "after its repairs", "to walkers")
    suggestions_services.store_suggestions(
        question=world.assignment.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[
            SuggestedContent(
                "pair", f"When did the Thames Tunnel open {words}?", (f"18{at}9",), "It did."
            )
            for at, words in enumerate(asked)
        ],
        now=world.now,
    )
    page.goto(reverse("work-page", args=[world.assignment.pk]))
    page.fill("#question-1", "When did the Thames Tunnel open to the public?")
    page.fill("#answer-1", "1843")
    page.get_by_role("button", name="Accept suggestion 1").click()
    page.get_by_text("as it was suggested").wait_for()
    page.get_by_role("button", name="Dismiss suggestion 2").click()
    page.get_by_text("Say why").click()


def park_with_faq(page, world):
    page.goto(reverse("work-page", args=[world.assignment.pk]))
    page.get_by_role("button", name="Park").first.click()
    page.get_by_label("What is unclear?").press_sequentially("nicknames")
    page.locator("#park-faq").get_by_text("The FAQ may have it").wait_for()


PAGES = [
    ("menu on a narrow screen", "annotator", menu),
    ("my work", "annotator", alone(url("home"))),
    ("my work, parked", "annotator", my_work_with_something_parked),
    ("first page after joining", "annotator", url("project-start", slug)),
    ("my work, first day", "stranger", url("home")),
    ("work", "annotator", url("work-page", lambda world: world.assignment.pk)),
    ("work, refused", "annotator", work_with_problems),
    ("work, suggestions", "annotator", work_with_suggestions),
    ("work, suggestions failed", "annotator", suggestions_failed),
    ("validation, suggestions", "validator", validation_with_suggestions),
    ("work, parked", "annotator", work_ended("parked")),
    ("work, submitted", "annotator", work_ended("submitted")),
    ("work, expired", "annotator", work_ended("expired")),
    ("validation", "validator", validation),
    ("validation, parked", "validator", validation_parked),
    ("work, guidelines", "annotator", url("work-guidelines", lambda w: w.assignment.pk)),
    ("work, park with the FAQ", "annotator", park_with_faq),
]
