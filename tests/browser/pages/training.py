"""The pages of training and monitoring, brought into the states that are worth looking at."""

from django.urls import reverse
from django.utils import timezone

from annotation.feedback import services as feedback_services
from annotation.models import Part
from annotation.qualifications import attempts
from annotation.qualifications import training_services as training
from tests import factories
from tests.annotation.long_answers import helpers as long_answers
from tests.annotation.qualifications.helpers import CROSSED, WALKED, make_training, sit, study
from tests.browser.helpers import allow_problem
from tests.browser.pages.steps import writes


def make_course(world):
    """A project of long answers whose training the annotator of the world goes through."""
    now = timezone.now()
    project = long_answers.make_project(slug="long-answers", title="Tunnels at length")
    annotator, staff = world.people["annotator"], world.people["researcher"]
    factories.make_member(project, "annotator", user=annotator)
    factories.make_member(project, "researcher", user=staff)
    for name in ("Otto Oak", "Ada Ash"):
        factories.make_member(project, "annotator", name=name)
    course = make_training(project, staff, now, samples=(CROSSED, WALKED))
    project.policies.update(qualification=course)
    long_answers.open_question(project, now)
    return course, annotator, staff, now


def _open(page, name, *args):
    page.goto(reverse(name, args=args))
    page.locator("h1").first.wait_for()


@writes
def step_list(page, world):
    make_course(world)
    page.goto("/")
    page.get_by_text("Begin with self-study").wait_for()


@writes
def sample(page, world):
    course, annotator, _, now = make_course(world)
    attempt = attempts.start_attempt(qualification=course, by=annotator, now=now, part=Part.STUDY)
    _open(page, "attempt-item", attempt.pk, 1)
    page.locator("#long-answer").fill("Trains crossed it in 1890.")
    page.locator("#long-answer").blur()
    page.get_by_text("I said it differently").first.click()
    page.get_by_text("is not in your text").first.wait_for()


@writes
def sample_compared(page, world):
    course, annotator, _, now = make_course(world)
    attempt = study(course, annotator, now, hand_in=1)
    _open(page, "attempt-item", attempt.pk, 1)
    page.get_by_text("Model answer").wait_for()


@writes
def samples(page, world):
    course, annotator, _, now = make_course(world)
    _open(page, "attempt-view", study(course, annotator, now, hand_in=1).pk)


def _walked_through(world):
    course, annotator, staff, now = make_course(world)
    study(course, annotator, now)
    training.record_walk_through(
        qualification=course,
        user=annotator,
        held_on=timezone.localdate(),
        notes="Say why there are two dates.",
        by=staff,
        now=now,
    )
    return course, annotator, now


@writes
def walked_through(page, world):
    course, *_ = _walked_through(world)
    _open(page, "qualification-start", course.project.slug, course.pk)
    page.get_by_text("Notes from your walk-through").wait_for()


@writes
def who_stands_where(page, world):
    course, annotator, _, now = make_course(world)
    study(course, annotator, now)
    allow_problem(page, "status of 422")
    _open(page, "qualification-training", course.project.slug, course.pk)
    page.get_by_text("Mark the walk-through as held").click()
    page.get_by_label("Held on").fill("")
    page.get_by_role("button", name="It was held").click()
    page.get_by_text("There is a problem").wait_for()


@writes
def exam_graded_by_hand(page, world):
    course, annotator, now = _walked_through(world)
    attempt = sit(course, annotator, now)
    _open(page, "qualification-grade", course.project.slug, course.pk, attempt.pk)
    page.get_by_text("These figures are for information").wait_for()


@writes
def long_item_form(page, world):
    course, *_ = make_course(world)
    type(course).objects.filter(pk=course.pk).update(state="draft")
    item = course.items.first()
    _open(page, "qualification-item", course.project.slug, course.pk, item.pk)


@writes
def long_preview(page, world):
    course, *_ = make_course(world)
    _open(page, "qualification-preview", course.project.slug, course.pk, course.items.first().pk)


def _monitored(world):
    course, annotator, staff, now = make_course(world)
    course.project.policies.update(qualification=None)
    turn = long_answers.answer(course.project, annotator, now)
    feedback_services.give_feedback(assignment=turn, tag="a_list", by=staff, now=now)
    return course.project, annotator


@writes
def monitoring(page, world):
    project, _ = _monitored(world)
    _open(page, "project-monitoring", project.slug)
    page.get_by_text("not read yet").wait_for()


@writes
def monitoring_person(page, world):
    project, annotator = _monitored(world)
    _open(page, "monitoring-person", project.slug, annotator.pk)
    page.get_by_text("Week by week").wait_for()


PAGES = [
    ("training, steps under my work", "annotator", step_list),
    ("training, sample", "annotator", sample),
    ("training, sample handed in", "annotator", sample_compared),
    ("training, samples", "annotator", samples),
    ("training, walked through", "annotator", walked_through),
    ("training, progress", "researcher", who_stands_where),
    ("training, exam to grade", "researcher", exam_graded_by_hand),
    ("training, item of long answers", "researcher", long_item_form),
    ("training, preview of long answers", "researcher", long_preview),
    ("monitoring", "researcher", monitoring),
    ("monitoring, a person", "researcher", monitoring_person),
]
