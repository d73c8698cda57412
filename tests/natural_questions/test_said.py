"""The page of a question shows staff the answers that people gave."""

import pytest
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Output, System
from natural_questions import pages
from natural_questions.annotation import PageAnnotation, PageSpan, to_json
from natural_questions.answer_lines import list_answer_lines
from natural_questions.response import PageAnswerResponse
from tests import factories
from tests.natural_questions import page
from tests.natural_questions.test_through import answer
from tests.stages.examples import nq_project, nq_question
from tests.stages.window import words_of

pytestmark = pytest.mark.django_db


def place(key):
    return PageSpan(*map(int, key.split("-")))


@pytest.fixture
def question(now):
    """Answered by one person here, and by three before the import."""
    project = nq_project()
    question = nq_question(project, now)
    paragraph, keeper = place(page.PARAGRAPH), place(page.KEEPER)
    imported = [
        PageAnnotation(good=True, long=paragraph, short=(keeper,)),
        PageAnnotation(good=True, long=paragraph, yes_no="YES"),
        PageAnnotation(good=False, reason="opinion"),
    ]
    pages.keep_annotations({question.pk: [to_json(each) for each in imported]})
    response = PageAnswerResponse(
        good="yes", box=page.PARAGRAPH, answer="words", short=(page.KEEPER,)
    )
    answer(project, factories.make_member(project, "annotator"), response)
    question.refresh_from_db()
    return question


def test_each_answer_has_the_number_of_people(question, django_assert_num_queries):
    with django_assert_num_queries(3):
        found = list_answer_lines(question)
    assert [(each.label, each.said, each.accepted) for each in found] == [
        ("Long answer:", "3 of 4 people", True),
        ("Short answer:", "2 of 4 people", True),
        ("Short answer:", "1 of 4 people", True),
        ("Bad question", "1 of 4 people", False),
    ]
    assert "keeper was Ida Brook" in found[0].text
    assert [each.text for each in found[1:]] == ["Ida Brook", "Yes", ""]


def test_staff_read_them_on_the_page(question, client_as):
    staff = client_as(factories.make_member(question.project, "researcher"))
    shown = staff.get(reverse("question-view", args=[question.project.slug, question.pk]))
    assert "Short answer: Ida Brook 2 of 4 people Accepted" in words_of(shown.text)


def test_staff_read_them_beside_the_answers_of_systems(question, client_as):
    """A80: the reference of a page are the answers of people, with how many gave them."""
    project = question.project
    system = System.objects.create(project=project, name="Reader", created_at=timezone.now())
    Output.objects.create(system=system, question=question, text="Seven.")
    staff = client_as(factories.make_member(project, "researcher"))
    [row] = staff.get(reverse("system-answers", args=[project.slug])).context["compared"]
    assert [(line.text or "–", line.label) for line in row.references] == [
        (each.text or "–", f"{each.label} {each.said}") for each in list_answer_lines(question)
    ]
    assert [answer.text for answer in row.answers] == ["Seven."]
