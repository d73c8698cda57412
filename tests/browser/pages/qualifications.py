"""The pages of qualifications."""

from django.urls import reverse

from annotation.models import (
    Assignment,
)
from annotation.qualifications import attempts
from tests.annotation.qualifications import helpers as exams
from tests.browser.pages.steps import slug, url, writes


@writes
def exam_checked(page, world):
    page.goto(reverse("attempt-item", args=[world.attempt.pk, 1]))
    page.fill("#question-1", "When did the Thames Tunnel open to walkers")
    page.get_by_role("button", name="Check my response").click()
    page.get_by_text("Not a match yet").first.wait_for()


def exam_handed_in(page, world):
    exams.write(world.attempt, [*exams.RIGHT[:2], exams.WRONG], by=world.people["annotator"],
                now=world.now)  # fmt: skip
    attempts.submit_attempt(attempt=world.attempt, by=world.people["annotator"], now=world.now)


@writes
def exam_result(page, world):
    exam_handed_in(page, world)
    page.goto(reverse("attempt-view", args=[world.attempt.pk]))
    page.get_by_text("The team is reviewing your attempt").wait_for()


@writes
def exam_to_grade(page, world):
    exam_handed_in(page, world)
    page.goto(reverse("qualification-grade", args=[world.slug, world.exam.pk, world.attempt.pk]))
    page.get_by_label("Verdict on item 1").wait_for()


@writes
def exam_demanded(page, world):
    world.project.policies.update(qualification=world.exam)
    Assignment.objects.all().delete()
    page.goto(reverse("home"))
    page.get_by_text("Pass the qualification first").wait_for()


PAGES = [
    ("my work, qualification first", "annotator", exam_demanded),
    ("qualifications", "admin", url("qualification-list", slug)),
    ("qualification", "annotator", url("qualification-start", slug, lambda w: w.exam.pk)),
    ("qualification, team", "admin", url("qualification-view", slug, lambda w: w.exam.pk)),
    (
        "qualification, a draft",
        "admin",
        url("qualification-view", slug, lambda w: w.writing.pk),
    ),
    (
        "qualification, item",
        "admin",
        url("qualification-item", slug, lambda w: w.writing.pk, lambda w: w.writing_item.pk),
    ),
    (
        "qualification, preview",
        "admin",
        url("qualification-preview", slug, lambda w: w.writing.pk, lambda w: w.writing_item.pk),
    ),
    ("qualification, grading", "admin", exam_to_grade),
    ("attempt, item checked", "annotator", exam_checked),
    ("attempt, looked over", "annotator", url("attempt-view", lambda w: w.attempt.pk)),
    ("attempt, result", "annotator", exam_result),
    ("attempt, Wikipedia", "annotator", url("attempt-search", lambda w: w.attempt.pk)),
]
