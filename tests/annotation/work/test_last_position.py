"""Where somebody stopped last is read from its index, in an installation full of others' work."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.home.ready import list_ready_stages
from annotation.models import Assignment, Question, Task
from annotation.work import assignments
from tests import factories

MANY = 4000


@pytest.fixture
def elsewhere(db, now):
    """Another project, whose people have answered 4,000 questions; its work is the newest."""
    other = factories.make_project()
    policy = other.policies.get(split="dev")
    people = [factories.make_member(other, "annotator", name=f"P{n} Person") for n in range(2)]
    Question.objects.bulk_create(
        Question(project=other, external_id=f"x{n}", text="why", split="dev", created_at=now)
        for n in range(MANY)
    )
    made = Task.objects.bulk_create(
        Task(policy=policy, question=each, seats=0, position=each.pk, created_at=now)
        for each in Question.objects.filter(project=other).order_by("pk")
    )
    ended = {"state": "submitted", "submitted_at": now, "ended_at": now}
    Assignment.objects.bulk_create(
        Assignment(
            task=task,
            user=people[at % 2],
            project=other,
            policy=policy,
            stage="generation",
            position=task.position,
            started_at=now,
            seen_at=now,
            **ended,
        )
        for at, task in enumerate(made)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_assignment")
    return people


def work_read(captured, words):
    """Return how the statement with these words reads assignments: the scans of its plan."""
    [sql] = [each["sql"] for each in captured if words in each["sql"]]
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        [plan] = cursor.fetchone()[0]
    return list(scans(plan["Plan"]))


def scans(node):
    if node.get("Relation Name") == "annotation_assignment":
        yield node
    for child in node.get("Plans", ()):
        yield from scans(child)


def offers(project, person, now):
    with CaptureQueriesContext(connection) as captured:
        assignments.take_next(project=project, stage="generation", by=person, now=now)
    # The first statement finds what there is.
    return [each for each in captured if "EXECUTE" in each["sql"]][:1]


def test_a_person_new_to_a_policy_costs_one_probe(project, elsewhere, now):
    """Without that, the newest work of everybody is walked until one's own is found: never."""
    newcomer = elsewhere[0]
    factories.make_member(project, "annotator", user=newcomer)
    factories.make_task(project)
    for node in work_read(offers(project, newcomer, now), "EXECUTE"):
        assert node.get("Rows Removed by Filter", 0) == 0, node


def test_somebody_who_has_done_much_costs_no_more(project, elsewhere, now):
    other = elsewhere[0].memberships.get().project
    for node in work_read(offers(other, elsewhere[0], now), "EXECUTE"):
        assert node["Actual Rows"] <= 1, node
        assert node.get("Rows Removed by Filter", 0) == 0, node


def test_my_work_costs_no_more_either(project, elsewhere, now):
    newcomer = elsewhere[0]
    factories.make_member(project, "annotator", user=newcomer)
    factories.make_task(project)
    with CaptureQueriesContext(connection) as captured:
        list_ready_stages(newcomer, active=[], now=now + dt.timedelta(hours=1))
    nodes = work_read(captured, "EXECUTE")
    assert any(node.get("Index Name") == "assignment_last_position" for node in nodes)
    assert not any(node.get("Rows Removed by Filter") for node in nodes), nodes
