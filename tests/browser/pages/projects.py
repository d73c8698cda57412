"""The pages of projects, their questions, jobs and webhooks, and of the API."""

from django.test import override_settings
from django.urls import reverse

from annotation.golds import retiring as golds_retiring
from annotation.golds import services as golds_services
from annotation.models import (
    Annotation,
    Assignment,
    Delivery,
    Job,
)
from tests import factories
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import alone, refused, slug, url, writes


@writes
def failed_job(page, world):
    """A job with lines in its log that can be tried again."""
    Job.objects.filter(pk=world.job.pk).update(
        kind="score",
        state="failed",
        options={"split": "dev", "reader": "squad"},
        problem="The weights of the reader are not here.",
        log=[[world.now.isoformat(), "Reader 1: measured."]],
    )
    page.goto(reverse("job-detail", args=[world.slug, world.job.pk]))
    page.get_by_role("button", name="Try again").wait_for()


@writes
def webhooks_told(page, world):
    data = {"webhook": world.webhook, "event": "test", "data": {}, "created_at": world.now}
    Delivery.objects.create(**data, taken_at=world.now)
    Delivery.objects.create(**data, due_at=world.now, attempts=1, problem="It answered 500.")
    page.goto(reverse("webhook-list", args=[world.slug]))
    page.get_by_text("It answered 500.").wait_for()


@writes
def no_webhooks(page, world):
    world.webhook.delete()
    with override_settings(WEBHOOK_HOSTS=[]):
        page.goto(reverse("webhook-list", args=[world.slug]))
    page.get_by_text("No addresses yet.").wait_for()


@writes
def new_webhook(page, world):
    with override_settings(WEBHOOK_HOSTS=["lab.example"]):
        page.goto(reverse("webhook-list", args=[world.slug]))
        page.get_by_role("textbox", name="Address").fill("https://lab.example/other")
        page.get_by_role("button", name="Add").click()
        page.get_by_text("Copy this secret now").wait_for()


def webhook_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("webhook-list", args=[world.slug]))
    page.get_by_role("textbox", name="Address").fill("lab")
    page.get_by_role("button", name="Add").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def waiting_job(page, world):
    Job.objects.filter(pk=world.job.pk).update(state="queued", ended_at=None, started_at=None)
    page.goto(reverse("job-detail", args=[world.slug, world.job.pk]))
    page.get_by_text("Waiting for a worker").wait_for()


def try_the_api(page, world):
    page.goto(reverse("api-try"))
    page.locator("#operations-work-work_submit .opblock-summary-control").click()
    page.get_by_role("button", name="Try it out").wait_for()


@writes
def question_with_an_answer(page, world):
    Assignment.objects.filter(pk=world.assignment.pk).update(
        state="submitted", submitted_at=world.now, ended_at=world.now, lease_ends_at=None
    )
    Annotation.objects.create(
        assignment=world.assignment,
        question=world.question,
        author=world.people["annotator"],
        kind="none",
        none_reason="No article names a year.",
        created_at=world.now,
    )
    page.goto(reverse("question-view", args=[world.slug, world.question.pk]))
    page.get_by_text("Return or reject").click()
    page.get_by_label("Note to").wait_for()


@writes
def team_home(page, world):
    """Home with a failed job, a claim, somebody paused, and own work below."""
    Job.objects.filter(pk=world.job.pk).update(state="failed", problem="Line 3 has no question.")
    world.project.memberships.filter(role="annotator").update(paused_at=world.now)
    page.goto(reverse("home"))
    page.get_by_text("1 job failed").wait_for()


@writes
def stuck_questions(page, world):
    world.project.memberships.filter(role="annotator").delete()
    page.goto(reverse("project-stuck", args=[world.slug]))
    page.get_by_text("No one in this project is an annotator.").wait_for()


@writes
def gold_items(page, world):
    """Gold items with a person who missed some, and a pause."""
    plan = golds_services.plan_of(project=world.project, stage="generation")
    person = world.people["annotator"]
    for given in ("Tuesday", "Monday"):
        golds_services.judge_check(
            project=world.project,
            stage="generation",
            question=f"Which day comes before {given}?",
            options=["Monday", "Sunday"],
            right="Monday",
            given="Sunday",
            by=person,
            now=world.now,
        )
    golds_services.pause_person(plan=plan, user=person.pk, by=world.people["admin"], now=world.now)
    page.goto(reverse("project-golds", args=[world.slug]))
    page.get_by_role("button", name="Resume").wait_for()


def no_gold_items(page, world):
    """A stage that cannot have any says why, and has the rule alone."""
    page.goto(f"{reverse('project-golds', args=[world.slug])}?stage=validation")
    page.get_by_text("Validation cannot have gold items").wait_for()


def gold_items_off(page, world):
    """A stage that can have some says what they would cost."""
    page.goto(reverse("project-golds", args=[world.slug]))
    page.get_by_role("button", name="Use 5 %").wait_for()


@writes
def gold_items_missed(page, world):
    """Gold items are mixed in; what one person missed is open."""
    settings = {"rate": 5, "source": "finished", "seed": 1, "pauses": False}
    plan = golds_services.save_plan(
        project=world.project, stage="generation", by=None, now=world.now, **settings
    )
    person = world.people["annotator"]
    for day in ("Monday", "Tuesday", "Thursday", "Friday"):
        golds_services.judge_check(
            project=world.project,
            stage="generation",
            question=f"Which day comes after {day}?",
            options=["Wednesday", "Sunday"],
            right="Wednesday",
            given="Sunday" if day == "Monday" else "Wednesday",
            by=person,
            now=world.now,
        )
    retired = plan.items.order_by("pk").last()
    golds_retiring.retire_item(item=retired, by=world.people["admin"], now=world.now)
    page.goto(f"{reverse('project-golds', args=[world.slug])}?person={person.pk}#missed-by")
    page.get_by_role("heading", name="Missed by").wait_for()


def gold_settings_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("project-golds", args=[world.slug]))
    page.get_by_label("Gold items (% of the work)").fill("70")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def saved_views(page, world):
    """The list of questions opens with a view that was saved, and its columns are chosen."""
    page.goto(reverse("project-questions", args=[world.slug]))
    page.get_by_text("Columns", exact=True).click()
    page.get_by_label("Active time, mean").check()
    page.get_by_role("button", name="Show").click()
    page.get_by_role("columnheader", name="Active time, mean").wait_for()
    page.get_by_text("Save this view").click()
    page.get_by_label("Name").fill("With times")
    page.get_by_label("The list opens with it").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("is saved.").wait_for()
    page.goto(reverse("project-questions", args=[world.slug]))
    page.get_by_role("link", name="With times").wait_for()
    page.get_by_text("Change “With times”").click()


@writes
def page_as_read(page, world):
    visit = factories.make_visit(world.assignment)
    page.goto(reverse("visit-view", args=[world.slug, visit.pk]))
    page.get_by_text("It opened on 25 March 1843.").wait_for()


PAGES = [
    ("nothing here", "annotator", refused(lambda world: "/nowhere/", 404)),
    ("not possible", "annotator", refused(url("project-people", slug), 403)),
    ("home of a researcher", "researcher", team_home),
    ("projects", "admin", url("project-list")),
    ("project, overview for admins", "admin", url("project-overview", slug)),
    ("project, overview for annotators", "annotator", url("project-overview", slug)),
    ("project, questions", "admin", url("project-questions", slug)),
    ("project, questions, a saved view", "admin", saved_views),
    ("project, question", "admin", question_with_an_answer),
    ("project, a page as it was read", "admin", page_as_read),
    ("project, gold items", "researcher", gold_items),
    ("project, gold items, refused", "admin", gold_settings_refused),
    ("project, gold items, none", "admin", no_gold_items),
    ("project, gold items, off", "admin", gold_items_off),
    ("project, gold items, missed", "researcher", gold_items_missed),
    ("project, guidelines", "admin", url("project-guidelines", slug)),
    ("project, rules", "admin", url("project-rules", slug)),
    ("project, stuck questions", "researcher", stuck_questions),
    ("project, log", "admin", url("project-log", slug)),
    ("project, duplicate", "researcher", alone(url("project-duplicate", slug))),
    ("project, policies", "researcher", url("project-policies", slug)),
    ("project, settings", "admin", url("project-settings", slug)),
    ("project, policy", "admin", url("policy-change", slug, lambda world: world.policy.pk)),
    ("project, new", "admin", url("project-create")),
    ("job, done", "researcher", url("job-detail", slug, lambda world: world.job.pk)),
    ("job, waiting", "researcher", waiting_job),
    ("job, failed", "researcher", failed_job),
    ("project, choose an export", "researcher", url("export-page", slug)),
    ("snapshots", "staff", url("wikipedia:snapshot-list")),
    ("API", "researcher", url("api-docs")),
    ("API, try it", "researcher", try_the_api),
    ("webhooks", "admin", webhooks_told),
    ("webhooks, none yet", "admin", no_webhooks),
    ("webhooks, a new one", "admin", new_webhook),
    ("webhooks, refused", "admin", webhook_refused),
]
