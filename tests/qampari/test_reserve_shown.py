"""Staff see which excluded questions only wait in the reserve."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Question
from qampari.models import ListQuestion
from tests import factories
from tests.qampari import factories as lists
from tests.stages.window import words_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(now):
    """One question to check, one that dropped out, and two in the reserve."""
    made = lists.make_project()
    rows = [lists.make_question(made, now) for _ in range(4)]
    Question.objects.filter(pk__in=[row.pk for row in rows[1:]]).update(state="excluded")
    ListQuestion.objects.filter(pk__in=[row.pk for row in rows[2:]]).update(reserve=True)
    return made


@pytest.fixture
def staff(client_as, project):
    return client_as(factories.make_member(project, "researcher"))


def states(client, project, **query):
    page = client.get(reverse("project-questions", args=[project.slug]), query).text
    cells = re.findall(r'<td data-label="State">(.*?)</td>', page)
    return [words_of(cell).strip() for cell in cells]


def test_the_list_names_them_and_filters_by_them(staff, project):
    waiting, dropped = ["In the reserve"] * 2, ["Excluded"]
    assert states(staff, project) == ["Imported", *dropped, *waiting]
    assert states(staff, project, state="aside") == waiting
    assert states(staff, project, state="excluded") == dropped
    assert states(staff, project, state="imported") == ["Imported"]
    assert states(staff, project, state="aside", order="state") == waiting


def test_they_are_counted_apart(staff, project):
    page = words_of(staff.get(reverse("project-questions", args=[project.slug])).text)
    assert "Imported 1Excluded 1In the reserve 2" in page
    page = words_of(staff.get(reverse("project-overview", args=[project.slug])).text)
    assert "4 questions:1 imported1 excluded2 in the reserve" in page


def test_the_page_of_a_question_says_so(staff, project):
    row = project.questions.filter(list__reserve=True).first()
    page = words_of(staff.get(reverse("question-view", args=[project.slug, row.pk])).text)
    assert "In the reserve" in page
    assert "Excluded" not in page


def test_an_accepted_question_is_not_said_to_lack_answers(staff, project):
    Question.objects.update(state="accepted")
    row = project.questions.first()
    page = words_of(staff.get(reverse("question-view", args=[project.slug, row.pk])).text)
    assert "No answer is accepted" not in page


def test_a_project_without_a_reserve_asks_nothing_more(client_as, rosa):
    project = factories.make_project("plain")
    factories.make_question(project, state="excluded")
    client = client_as(factories.make_member(project, "researcher"))
    with CaptureQueriesContext(connection) as queries:
        assert states(client, project) == ["Excluded"]
        assert states(client, project, state="aside") == ["Excluded"]  # not a filter here
    assert not any("qampari" in each["sql"] for each in queries.captured_queries)
