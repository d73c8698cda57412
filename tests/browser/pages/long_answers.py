"""The pages of long answers, concerns and contexts."""

import io
import json

from django.urls import reverse

from annotation.contexts import services as contexts_services
from annotation.imports.services import import_questions
from annotation.long_answers.concerns import services as concerns_services
from annotation.models import (
    Assignment,
    ContextSearch,
    StagePolicy,
)
from annotation.suggestions import services as suggestions_services
from annotation.suggestions.values import SuggestedContent
from annotation.work import assignments
from tests.annotation.contexts.helpers import scored
from tests.annotation.long_answers import helpers as asqa
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import alone, url, writes
from tests.figures import bring_agreement_up_to_date


@writes
def long_answer_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(reverse("work-page", args=[world.long.assignment.pk]))
    page.fill("#long-answer", "It had a party on 25 March 1843.")
    page.fill("#page-1", "Thames Tunnel")
    page.click("[data-submit]")
    page.get_by_text("There is a problem").wait_for()
    page.locator(".keep summary").first.click()
    page.locator(".say summary").first.click()


@writes
def long_answer_from_the_question(page, world):
    Assignment.objects.filter(pk=world.long.assignment.pk).update(inputs="question")
    page.goto(reverse("work-page", args=[world.long.assignment.pk]))
    page.locator("#long-answer").wait_for()


def long_answer_submitted(*address):
    """Return a function that opens a page about a long answer with everything in it."""

    @writes
    def go(page, world):
        text = asqa.TEXT.replace("7 December 1869", "the end of 1869")
        answer = asqa.response(text=text, said=(asqa.said(1, "the end of 1869"),))
        assignments.submit_response(
            assignment=world.long.assignment,
            response=answer,
            by=world.people["annotator"],
            now=world.now,
        )
        page.goto(url(*address)(world))
        page.get_by_text("the end of 1869").first.wait_for()

    return go


def concern_decided(address):
    """The annotator's concern, after the question was excluded."""

    @writes
    def go(page, world):
        concerns_services.decide_concern(
            concern=world.long.concern,
            state="upheld",
            note="The article gives one opening.",
            by=world.people["researcher"],
            now=world.now,
        )
        page.goto(address(world))

    return go


@writes
def contexts_previewed(page, world):
    """Paragraphs near the threshold, pages that are missing, and a job that waits."""
    scored(world.long.waiting_question, 0.09, 0.3)
    ContextSearch.objects.create(
        question=world.long.waiting_question,
        fingerprint="0" * 32,
        pages=2,
        missing=["East London line"],
        created_at=world.now,
    )
    contexts_services.start_search_job(
        project=world.long.project, by=world.people["researcher"], now=world.now
    )
    page.goto(f"{reverse('project-contexts', args=[world.long.slug])}?threshold=0.2")
    page.get_by_text("Preview.", exact=True).wait_for()


def bring_refused(page, world):
    """Nothing is accepted in the other project."""
    allow_problem(page, "status of 422")
    page.goto(reverse("project-bring", args=[world.long.slug]))
    page.get_by_role("button", name="Copy the questions").click()
    page.get_by_text("has no accepted question on dev yet").first.wait_for()


@writes
def find_agreement_long_answers(page, world):
    answers = [{"long_answer": "It opened in 1843, and to trains later.", "knowledge": []}] * 2
    pairs = [{"question": "When for walkers?", "short_answers": ["1843"]}]
    record = {"ambiguous_question": "When?", "qa_pairs": pairs, "annotations": answers}
    import_questions(
        project=world.long.project,
        file=io.BytesIO(json.dumps({"dev": {"a": record, "b": record}}).encode()),
        format="asqa",
        split=None,
        finished=True,
        by=None,
        now=world.now,
    )
    bring_agreement_up_to_date(world.long.project, world.now)
    page.goto(reverse("project-agreement", args=[world.long.slug]))
    page.get_by_text("Writers against each other").wait_for()


def contexts_refused(page, world):
    allow_problem(page, "status of 422")
    page.goto(f"{reverse('project-contexts', args=[world.long.slug])}?threshold=2")
    page.get_by_text("There is a problem").wait_for()


def long_slug(world):
    return world.long.slug


def long_work(world):
    return world.long.assignment.pk


@writes
def long_answer_with_suggestions(page, world):
    """A passage to look at, and a draft that is in the text."""
    assignment = world.long.assignment
    StagePolicy.objects.filter(pk=assignment.policy_id).update(suggestions="Reader 8B")
    suggestions_services.store_suggestions(
        question=assignment.task.question,
        system="Reader 8B",
        version="1",
        suggestions=[
            SuggestedContent(
                "passage", text="It has two arches.", title="Thames Tunnel", path="Tunnel"
            ),
            SuggestedContent(
                "long_answer", text="People walked through the tunnel before trains came."
            ),
        ],
        now=world.now,
    )
    page.goto(reverse("work-page", args=[assignment.pk]))
    page.fill("#long-answer", "The Thames Tunnel has been opened more than once already.")
    page.get_by_role("button", name="Add to my text").click()
    page.get_by_text("as it was suggested").wait_for()


PAGES = [
    ("long answer, suggestions", "annotator", long_answer_with_suggestions),
    ("long answer", "annotator", url("work-page", long_work)),
    ("long answer, refused", "annotator", long_answer_refused),
    ("long answer, from the question", "annotator", long_answer_from_the_question),
    ("long answer, ended", "annotator", long_answer_submitted("work-page", long_work)),
    ("long answer, its result", "annotator", long_answer_submitted("submission-view", long_work)),
    (
        "project, question with a long answer",
        "admin",
        long_answer_submitted("question-view", long_slug, lambda w: w.long.question.pk),
    ),
    ("concern, one's own", "annotator", url("work-concern", long_work)),
    ("concern, decided", "annotator", concern_decided(url("work-concern", long_work))),
    ("my work, a concern decided", "annotator", concern_decided(url("home"))),
    ("concerns", "admin", url("concern-list", long_slug)),
    ("concerns, decided", "admin", concern_decided(url("concern-list", long_slug))),
    ("contexts", "researcher", url("project-contexts", long_slug)),
    ("contexts, previewed", "researcher", contexts_previewed),
    ("contexts, refused", "researcher", contexts_refused),
    ("project of long answers, overview", "researcher", url("project-overview", long_slug)),
    ("questions from another project", "researcher", url("project-bring", long_slug)),
    ("questions from another project, refused", "researcher", bring_refused),
    ("agreement of long answers", "researcher", find_agreement_long_answers),
    (
        "agreement of long answers, nothing yet",
        "researcher",
        alone(url("project-agreement", long_slug)),
    ),
    (
        "project, question with a concern",
        "admin",
        url("question-view", long_slug, lambda w: w.long.question.pk),
    ),
]
