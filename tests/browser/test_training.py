"""Training in a browser: self-study, a walk-through, the exam, its grading, and then work."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import QualificationAttempt, Qualified, WalkThrough
from annotation.qualifications.attempts import start_attempt
from tests import factories
from tests.annotation.long_answers import helpers as long_answers
from tests.annotation.qualifications.helpers import CROSSED, WALKED, answer_to, make_training
from tests.browser.helpers import allow_problem, arrived, check_axe, sign_in


@pytest.fixture
def project(db):
    return long_answers.make_project(slug="long-answers")


@pytest.fixture
def wilma(project):
    return factories.make_member(project, "annotator", name="Wilma Wood")


@pytest.fixture
def rita(project):
    return factories.make_member(project, "researcher", name="Rita Reed")


def test_from_the_first_sample_to_the_first_question(new_page, project, wilma, rita):
    now = timezone.now()
    course = make_training(project, rita, now)
    project.policies.update(qualification=course)
    long_answers.open_question(project, now)
    mine, team = new_page(), new_page()
    sign_in(mine, wilma)
    sign_in(team, rita)

    # Self-study: on one's own, then beside what the team prepared.
    mine.goto("/")
    mine.get_by_role("heading", name="Begin with self-study: 1 sample question.").wait_for()
    mine.get_by_role("link", name="See the qualification").click()
    begin = mine.get_by_role("button", name="Begin the self-study")
    begin.wait_for()
    assert mine.get_by_role("button", name="Begin the exam").count() == 0
    begin.click()
    arrived(mine, mine.locator("#long-answer"))
    mine.locator("#long-answer").fill("Trains crossed the Forth Bridge from 4 March 1890.")
    mine.get_by_text("1 of 2", exact=True).wait_for()  # saved and looked at by itself
    assert mine.get_by_text(CROSSED.expected["model_answer"]).count() == 0
    mine.get_by_role("button", name="Submit and compare").click()
    mine.get_by_text(CROSSED.expected["model_answer"]).wait_for()
    check_axe(mine)
    mine.get_by_role("link", name="See what comes next").click()
    mine.get_by_text("The walk-through comes first.").wait_for()

    # The team reads the samples, goes through them with the person, and marks it.
    team.goto(reverse("qualification-training", args=[project.slug, course.pk]))
    team.get_by_text("1 person is waiting for the team.").wait_for()
    team.get_by_role("link", name="Read the samples").click()
    team.get_by_label("Feedback on item 1").fill("Name the road bridge, too.")
    team.get_by_role("button", name="Save").click()
    team.get_by_role("link", name="Training progress").click()
    team.get_by_text("Mark the walk-through as held").click()
    team.get_by_label("Notes").fill("Say why there are two dates.")
    team.get_by_role("button", name="It was held").click()
    team.get_by_text("Marked as held. Wilma Wood will see the notes").wait_for()
    assert WalkThrough.objects.get().held_by == rita

    # The exam, with words that say an answer otherwise and a piece of knowledge.
    mine.reload()
    mine.get_by_text("Say why there are two dates.").wait_for()
    mine.get_by_role("button", name="Begin the exam").click()
    arrived(mine, mine.locator("#long-answer"))
    text = "Walkers went through it from 25 March 1843. Trains came in the winter of 1869."
    mine.locator("#long-answer").fill(text)
    mine.get_by_text("1 of 2", exact=True).wait_for()
    mine.get_by_text("I said it differently").click()
    mine.get_by_label("The words of your text that say it").fill("the winter of 1869")
    mine.get_by_role("button", name="These words say it").click()
    mine.get_by_text("2 of 2", exact=True).wait_for()
    mine.get_by_role("button", name="Add a piece of knowledge").click()
    mine.locator("#piece-2").fill("The railway bought the tunnel in 1865.")
    mine.locator("#page-2").fill("Thames Tunnel")
    mine.get_by_role("button", name="Review and submit").first.click()
    mine.get_by_role("button", name="Submit", exact=True).click()
    mine.get_by_text("The team is reviewing your attempt").wait_for()
    exam = QualificationAttempt.objects.get(part="exam")
    draft = answer_to(exam).draft
    assert draft["said"] == [
        {"disambiguation": 1, "words": "the winter of 1869", "at": text.index("the winter")}
    ]
    assert "The railway bought the tunnel in 1865." in [
        each["content"] for each in draft["knowledge"]
    ]

    # Graded by hand with feedback; then accepted, and work is there.
    team.reload()
    team.get_by_role("link", name="Grade the exam").click()
    team.get_by_text("1 of 2 short answers in the text (STR-EM 0.50)").wait_for()
    team.get_by_label("Feedback on item 1").fill("Good. The exact date would be better.")
    allow_problem(team, "status of 422")
    team.get_by_role("button", name="Passed", exact=True).click()
    team.get_by_text("Mark whether it passes, then decide.").first.wait_for()
    team.get_by_label("Verdict on item 1").select_option("Passes")
    team.get_by_label("To this person").fill("Welcome.")
    team.get_by_role("button", name="Passed", exact=True).click()
    team.get_by_text("Saved: passed.").wait_for()
    assert Qualified.objects.get().user == wilma
    mine.reload()
    mine.get_by_text("You have passed").wait_for()
    mine.get_by_text("Good. The exact date would be better.").wait_for()
    mine.get_by_text(WALKED.expected["model_answer"]).wait_for()
    mine.goto("/")
    mine.get_by_role("button", name="Take the next question").click()
    mine.get_by_role("heading", name="When did the thames tunnel open?").wait_for()


def test_pieces_come_and_go_without_losing_what_is_typed(new_page, project, wilma, rita):
    exam = make_training(project, rita, timezone.now(), samples=(), walk_through=False)
    attempt = start_attempt(qualification=exam, by=wilma, now=timezone.now())
    page = new_page()
    sign_in(page, wilma)
    page.goto(reverse("attempt-item", args=[attempt.pk, 1]))
    page.locator("#piece-1").fill("First.")
    page.get_by_role("button", name="Add a piece of knowledge").click()
    page.locator("#piece-2").fill("Second.")
    page.get_by_role("button", name="Delete piece 1").click()
    assert page.locator("#piece-1").input_value() == "Second."
    page.get_by_role("button", name="Undo").click()
    assert page.locator("#piece-1").input_value() == "First."
    page.locator("#long-answer").fill("It opened twice.")
    page.locator("[data-insert='25 March 1843']").click()
    page.get_by_text("1 of 2", exact=True).wait_for()
    page.reload()
    assert "25 March 1843" in page.locator("#long-answer").input_value()
    assert page.locator("#piece-2").input_value() == "Second."
