"""The pages of submissions, claims and the FAQ."""

from django.urls import reverse

from annotation.models import (
    Annotation,
    Assignment,
)
from tests import factories
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import slug, url, writes
from validation.models import Decision


def claimed(page, world, *, name="claim-view"):
    """Decide the question as its one generator answered it, and go to the claim on that."""
    page.goto(reverse("home"))
    Assignment.objects.filter(pk=world.assignment.pk).update(
        state="submitted", submitted_at=world.now, ended_at=world.now, lease_ends_at=None
    )
    annotation = Annotation.objects.create(
        assignment=world.assignment,
        question=world.question,
        author=world.people["annotator"],
        kind="multiple",
        created_at=world.now,
    )
    for place, (text, answer) in enumerate(
        [("When did it open to people?", "1843"), ("When did it open to trains?", "1869")]
    ):
        annotation.pairs.create(position=place, question=text).answers.create(
            position=0, text=answer
        )
    decision = Decision.objects.create(
        question=world.question,
        source="staff",
        outcome="edited",
        change="edit",
        reason="Trains are a question of their own.",
        covers=[annotation.pk],
        created_at=world.now,
    )
    first = decision.accepted.create(position=0, kind="multiple")
    for place, (text, answer) in enumerate(
        [("When did it first open to people?", "1843"), ("When did it reopen?", "2010")]
    ):
        pair = first.pairs.create(position=place)
        pair.questions.create(position=0, text=text)
        pair.answers.create(position=0, text=answer)
    world.question.state = "edited"
    world.question.save()
    if name == "submission-view":
        page.goto(reverse(name, args=[world.assignment.pk]))
    elif name in ("submission-list", "home"):
        page.goto(reverse(name))
    else:
        page.goto(reverse(name, args=[world.slug, world.thread.pk]))
    page.get_by_role("heading", level=1).wait_for()


def claimed_page(name):
    return writes(lambda page, world: claimed(page, world, name=name))


def waiting(page, world):
    """Submit a question of two people as the first of them, and go to the page of that."""
    Assignment.objects.filter(pk=world.assignment.pk).update(
        state="submitted", submitted_at=world.now, ended_at=world.now, lease_ends_at=None
    )
    annotation = Annotation.objects.create(
        assignment=world.assignment,
        question=world.question,
        author=world.people["annotator"],
        kind="multiple",
        created_at=world.now,
    )
    for place, (text, answer) in enumerate(
        [("When did it open to people?", "1843"), ("When did it open to trains?", "1869")]
    ):
        annotation.pairs.create(position=place, question=text).answers.create(
            position=0, text=answer
        )
    annotation.kept_warnings.create(
        rule="few_edits", field="pair-1-question", reason="It could be another one."
    )
    world.question.state = "generating"
    world.question.save()
    page.goto(reverse("submission-view", args=[world.assignment.pk]))
    page.get_by_role("button", name="Change it").wait_for()


@writes
def submission_waiting(page, world):
    waiting(page, world)


@writes
def submission_changing(page, world):
    waiting(page, world)
    page.get_by_role("button", name="Change it").click()
    page.get_by_role("button", name="Submit the change").wait_for()


@writes
def submission_changing_seen(page, world):
    submission_changing(page, world)
    page.goto(reverse("submission-view", args=[world.assignment.pk]))
    page.get_by_role("button", name="Leave it as it was").wait_for()


@writes
def submission_quote(page, world):
    quote = factories.make_own_quote(world.assignment)
    page.goto(reverse("submission-quote", args=[world.assignment.pk, quote.pk]))
    page.get_by_role("heading", name="What you quoted").wait_for()


@writes
def claim_change_refused(page, world):
    allow_problem(page, "status of 422")
    claimed(page, world, name="claim-change")
    page.get_by_role("button", name="Add an answer").click()
    page.locator("[name$=-answer]").last.wait_for()
    page.get_by_label("Why").fill("One is missing.")
    page.get_by_role("button", name="Save the change").click()
    page.get_by_text("There is a problem").wait_for()


def faq_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("project-faq", args=[world.slug]))
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_text("There is a problem").wait_for()


PAGES = [
    ("my submissions", "annotator", claimed_page("submission-list")),
    ("my submissions, one", "annotator", claimed_page("submission-view")),
    ("my submission, waiting", "annotator", submission_waiting),
    ("my submission, the form that changes it", "annotator", submission_changing),
    ("my submission, while it is changed", "annotator", submission_changing_seen),
    ("my submission, a quote from it", "annotator", submission_quote),
    ("my work, with news", "annotator", claimed_page("home")),
    ("project, claims", "researcher", url("claim-list", slug)),
    ("project, claim", "researcher", claimed_page("claim-view")),
    ("project, claim changed", "researcher", claimed_page("claim-change")),
    ("project, claim change refused", "researcher", claim_change_refused),
    ("project, FAQ", "annotator", url("project-faq", slug)),
    ("project, FAQ for staff", "researcher", url("project-faq", slug)),
    ("project, FAQ refused", "researcher", faq_refused),
    ("project, FAQ entry", "researcher", url("faq-change", slug, lambda w: w.faq_entry.pk)),
]
