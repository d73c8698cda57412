"""Work that a qualification guards: handed only to who has passed, at no further cost."""

import datetime as dt

import pytest
from django.urls import reverse

from annotation.core.refusals import Conflict, Denied
from annotation.models import Assignment, Qualified, StagePolicy
from annotation.projects import services as projects_services
from annotation.qualifications import grading
from annotation.qualifications import services as qualifications_services
from annotation.work import assignments
from tests import factories
from tests.annotation.qualifications.helpers import attempt_with, make

pytestmark = pytest.mark.django_db
SENTENCE = "Pass the qualification first: 3 short questions"


@pytest.fixture
def exam(project, rosa, now):
    made = make(project, rosa, now)
    project.policies.update(qualification=made)
    return made


def take(project, by, now):
    return assignments.take_next(project=project, stage="generation", by=by, now=now)


def test_who_has_not_passed_gets_nothing(exam, project, ann, now):
    factories.make_task(project)
    with pytest.raises(Denied, match=SENTENCE):
        take(project, ann, now)
    assert not Assignment.objects.exists()


def test_who_has_passed_works(exam, project, ann, now):
    task = factories.make_task(project)
    attempt_with(exam, ann, now, right=3)
    assert take(project, ann, now).task == task


@pytest.mark.parametrize("right", [1, 2])
def test_less_is_not_enough(exam, project, ann, now, right):
    factories.make_task(project)
    attempt_with(exam, ann, now, right=right)
    with pytest.raises(Denied, match=SENTENCE):
        take(project, ann, now)


def test_no_exception_for_superusers(exam, project, now):
    boss = factories.make_user(is_superuser=True)
    factories.make_task(project)
    with pytest.raises(Denied, match=SENTENCE):
        take(project, boss, now)


def test_another_qualification_does_not_help(exam, project, rosa, ann, now):
    factories.make_task(project)
    attempt_with(make(project, rosa, now, title="Other"), ann, now, right=3)
    with pytest.raises(Denied, match=SENTENCE):
        take(project, ann, now)


def test_qualified_by_hand(exam, project, rosa, ann, now):
    factories.make_task(project)
    grading.grant_qualification(qualification=exam, user=ann, note="Pilot", by=rosa, now=now)
    assert take(project, ann, now)


def test_taken_back_they_finish_what_they_have_and_get_no_more(exam, project, rosa, ann, now):
    factories.make_task(project)
    factories.make_task(project)
    grading.grant_qualification(qualification=exam, user=ann, note="", by=rosa, now=now)
    mine = take(project, ann, now)
    grading.revoke_qualification(qualification=exam, user=ann, note="Careless", by=rosa, now=now)
    assert take(project, ann, now) == mine
    assignments.give_back(assignment=mine, by=ann, now=now)
    with pytest.raises(Denied, match=SENTENCE):
        take(project, ann, now)


def test_a_split_that_demands_nothing_stays_open(exam, project, ann, now):
    project.policies.filter(split="train").update(qualification=None)
    factories.make_task(project, split="dev")
    train = factories.make_task(project, split="train")
    assert take(project, ann, now).task == train
    Assignment.objects.update(state="submitted", submitted_at=now, ended_at=now, lease_ends_at=None)
    with pytest.raises(Denied, match=SENTENCE):
        take(project, ann, now)


def test_it_takes_as_many_statements_as_without(project, ann, rosa, now, django_assert_num_queries):
    factories.make_task(project)
    exam = make(project, rosa, now)
    project.policies.update(qualification=exam)
    grading.grant_qualification(qualification=exam, user=ann, note="", by=rosa, now=now)
    with django_assert_num_queries(4):  # as in test_engine_take, with the savepoint
        assert take(project, ann, now)


def test_my_work_says_what_to_do(exam, project, ann, client_as, now):
    factories.make_task(project)
    page = client_as(ann).get("/").content.decode()
    assert SENTENCE in page
    assert reverse("qualification-start", args=[project.slug, exam.pk]) in page
    assert "Take the next question" not in page
    assert "You have no work yet" not in page
    attempt_with(exam, ann, now, right=2)
    assert "The team is reading your qualification" in client_as(ann).get("/").content.decode()


def test_my_work_once_passed(exam, project, ann, client_as, now):
    factories.make_task(project)
    attempt_with(exam, ann, now, right=3)
    page = client_as(ann).get("/").content.decode()
    assert "1 question is ready for you" in page
    assert "Pass the qualification" not in page


def test_my_work_costs_one_query_more_only_where_one_is_missing(
    exam, project, ann, ben, rosa, client_as, now, django_assert_num_queries
):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    factories.make_task(project)
    before = now - dt.timedelta(days=30)  # no news any more: that is another query, see below
    grading.grant_qualification(qualification=exam, user=ben, note="", by=rosa, now=before)

    def count(person):
        client = client_as(person)
        client.get("/")
        with CaptureQueriesContext(connection) as captured:
            client.get("/")
        return len(captured)

    assert count(ann) == count(ben) + 1
    Qualified.objects.update(given_at=now)
    assert count(ann) == count(ben)


def test_work_next_answers_with_the_sentence(exam, project, ann, client_as):
    factories.make_task(project)
    answer = client_as(ann).post(reverse("work-next", args=[project.slug, "generation"]))
    assert answer.status_code == 403
    assert SENTENCE in answer.content.decode()


def test_a_policy_demands_it_from_its_page(project, rosa, client_as, now):
    exam = make(project, rosa, now)
    policy = project.policies.get(split="dev")
    address = reverse("policy-change", args=[project.slug, policy.pk])
    page = client_as(rosa).get(address)
    data = {
        name: value for name, value in page.context["form"].initial.items() if value is not None
    }
    assert client_as(rosa).post(address, data | {"qualification": exam.pk}).status_code == 302
    policy.refresh_from_db()
    assert policy.qualification == exam
    # Closed now, it stays chosen; nothing else is lost by saving the page again.
    qualifications_services.set_state(qualification=exam, state="closed", by=rosa, now=now)
    assert client_as(rosa).post(address, data | {"qualification": exam.pk}).status_code == 302
    assert client_as(rosa).post(address, data).status_code == 302
    policy.refresh_from_db()
    assert policy.qualification is None


def test_one_of_another_project_cannot_be_demanded(project, rosa, now):
    other = factories.make_project()
    exam = make(other, factories.make_member(other, "researcher", user=rosa), now)
    policy = StagePolicy.objects.filter(project=project).first()
    with pytest.raises(Conflict, match="another project"):
        projects_services.change_policy(
            policy=policy, changes={"qualification": exam}, by=rosa, now=now
        )
