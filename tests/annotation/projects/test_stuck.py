"""Questions that nobody of a project may take any more, listed for its staff."""

import random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Membership, Task
from annotation.projects import stuck_work
from tests import factories
from tests.annotation.home.test_ready import random_world, taken
from tests.annotation.qualifications import helpers as exams

pytestmark = pytest.mark.django_db


def address(project):
    return reverse("project-stuck", args=[project.slug])


def test_a_question_that_everybody_has_had(client_as, project, ann, rosa):
    task = factories.make_task(project)
    factories.make_task(project)
    factories.make_assignment(task, ann, state="skipped")
    (found,) = stuck_work.list_stuck_work([project])
    assert (found.policy, found.questions) == (task.policy, 1)
    page = client_as(rosa).get(address(project)).text
    assert "Generation, dev: no one can take 1 question" in page
    assert "Every annotator who could take them has had them already" in page
    assert page.count(f"/questions/{task.question_id}/") == 1
    overview = client_as(rosa).get(f"/projects/{project.slug}/").text
    assert "No one can take 1 question of “Generation” in dev" in overview


def test_a_validator_who_answered_is_no_help(client_as, project, ann, rosa):
    project.policies.create(stage="validation", split="dev", people=1)
    factories.make_member(project, "validator", user=ann)
    question = factories.make_question(project, state="validating")
    factories.make_assignment(factories.make_task(project, question), ann, state="submitted")
    Task.objects.update(seats=0)
    factories.make_task(project, question, stage="validation")
    page = client_as(rosa).get(address(project)).text
    assert "Validation, dev: no one can take 1 question" in page
    factories.make_member(project, "validator")
    assert "Every question can be taken" in client_as(rosa).get(address(project)).text


@pytest.mark.parametrize(
    ("change", "why", "advice"),
    [
        ("nobody", "No one in this project is an annotator.", "Invite an annotator."),
        ("paused", "Every annotator is paused.", "Lift a pause"),
        ("unqualified", "No annotator who gets work has passed “", "Invite people to the"),
    ],
)
def test_it_says_why_and_what_to_do(client_as, project, rosa, ann, now, change, why, advice):
    factories.make_task(project)
    if change == "nobody":
        Membership.objects.filter(user=ann).delete()
    elif change == "paused":
        Membership.objects.filter(user=ann).update(paused_at=now)
    else:
        project.policies.update(qualification=exams.make(project, rosa, now))
    page = client_as(rosa).get(address(project)).text
    assert why in page
    assert advice in page


def test_a_project_that_does_not_run_waits_for_nobody(project):
    factories.make_task(project)
    project.state = "paused"
    project.save()
    assert stuck_work.list_stuck_work([project]) == []


@pytest.mark.parametrize("seed", range(40))
def test_stuck_is_what_no_member_can_take(now, seed):
    project, _ = random_world(random.Random(seed), factories.make_user(), now)
    found = {
        (each.policy.stage, each.policy.split): each.questions
        for each in stuck_work.list_stuck_work([project])
    }
    if project.state != "running":
        assert found == {}
        return
    members = {row.user for row in project.memberships.select_related("user")}
    for task in Task.objects.filter(seats__gt=0).select_related("policy"):
        stage, split = task.policy.stage, task.policy.split
        # This task alone: a member who has it open already would get that one.
        others = Task.objects.exclude(pk=task.pk).filter(seats__gt=0)
        seats = dict(others.values_list("pk", "seats"))
        others.update(seats=0)
        project.assignments.filter(state__in=["active", "parked"]).update(
            state="returned", lease_ends_at=None, ended_at=now
        )
        someone = any(taken(project, stage, member, now) for member in members)
        if not someone:
            assert found.get((stage, split)), (stage, split)
            found[stage, split] -= 1
        for pk, count in seats.items():
            Task.objects.filter(pk=pk).update(seats=count)
    assert not any(found.values())


def test_queries_do_not_grow(client_as, project, ann, rosa):
    client = client_as(rosa)

    def count():
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address(project)).status_code == 200
        return len(captured)

    factories.make_assignment(factories.make_task(project), ann, state="skipped")
    count()
    few = count()
    for _ in range(5):
        factories.make_assignment(factories.make_task(project), ann, state="skipped")
    assert count() == few
