"""The page of a question shows staff its answers with the verdicts on them."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Question, Submission
from annotation.stages import registry as stages
from evaluation.models import Output, System
from qampari.answer_lines import list_answer_lines
from tests import factories as people
from tests.qampari import factories
from tests.stages.window import Window, words_of

pytestmark = pytest.mark.django_db
TOWNS = ("Kelso", "Leeds", "Wells")


@pytest.fixture
def project():
    return factories.make_project(least_answers=1)


@pytest.fixture
def annotator(project):
    return people.make_member(project, "annotator")


@pytest.fixture
def question(project, annotator, now):
    """Two of its answers are checked, one of them is doubted."""
    question = factories.make_question(project, now, answers=TOWNS)
    for verdict in ("correct", "doubtful"):
        check(Window(annotator, project, "qampari-check").take(), verdict)
    return question


def check(window, verdict):
    assert window.post("submit", window.fields | {"verdict": [verdict]}).status_code == 302


def said(question):
    question.refresh_from_db()
    return [(each.text, each.said, each.accepted) for each in list_answer_lines(question)]


def test_each_answer_has_its_verdicts(project, annotator, question, django_assert_num_queries):
    doubt = "Wrong, or cannot determine (1)"
    assert said(question) == [
        ("Kelso", "Correct (1)", False),
        ("Leeds", doubt, False),
        ("Wells", "Not checked", False),
    ]
    with django_assert_num_queries(1):
        list_answer_lines(question)
    check(Window(annotator, project, "qampari-check").take(), "correct")
    team = Window(people.make_member(project, "researcher"), project, "qampari-team").take()
    fields = {name: ["correct"] for name in team.fields if name.endswith("-verdict")}
    assert team.post("submit", team.fields | fields).status_code == 302
    kelso, leeds, wells = said(question)
    assert leeds == ("Leeds", f"{doubt}; Team: Correct", True)
    assert kelso[2]
    assert wells[2]


def test_staff_read_them_on_the_page(question, client_as):
    staff = client_as(people.make_member(question.project, "researcher"))
    page = staff.get(reverse("question-view", args=[question.project.slug, question.pk]))
    assert "Leeds Wrong, or cannot determine (1) no" in words_of(page.text)
    assert "Wells Not checked no" in words_of(page.text)


def test_a_submission_says_which_answer_it_is_about(question, client_as):
    first, second = Submission.objects.order_by("pk")
    stage = stages.get_stage("qampari-check")
    assert stage.list_submission_texts(first) == [("Answer", "Kelso"), ("Verdict", "Correct")]
    assert stage.response_for_export(second.response) == {
        "verdict": "doubtful",
        "why": "",
        "answer": "Leeds",
    }
    staff = client_as(people.make_member(question.project, "researcher"))
    page = staff.get(reverse("question-view", args=[question.project.slug, question.pk]))
    assert "AnswerLeeds VerdictWrong, or cannot determine" in words_of(page.text)


def test_staff_read_what_is_accepted_beside_the_answers_of_systems(project, question, client_as):
    """A80: the reference of a list are its accepted answers, and nothing before they are."""
    system = System.objects.create(project=project, name="Reader", created_at=timezone.now())
    Output.objects.create(system=system, question=question, text="A list.")
    staff = client_as(people.make_member(project, "researcher"))
    address = reverse("system-answers", args=[project.slug])
    [row] = staff.get(address).context["compared"]
    assert not row.references
    question.state = Question.State.ACCEPTED
    question.save()
    [row] = staff.get(address).context["compared"]
    expected = [each.text for each in list_answer_lines(question) if each.accepted]
    assert [line.text for line in row.references] == expected
    assert expected
