"""How PostgreSQL reads for a cycle of work in a filled installation, for every stage.

Every statement of taking a question, its page, a saved draft and a submission is explained with
its values. None may walk through a table that grows with the work of others, or through its index.
Smaller ones are left out: PostgreSQL rightly prefers to read a few pages.
"""

import pytest
from django.db import connection, transaction

from annotation.models import Assignment
from annotation.work.statements import NEWEST_OF_MINE, OF_MINE
from benchmarks import installation
from tests import plans
from tests.stages.scene import at_hand, make_scene, taken
from tests.stages.window import HX

MANY = 3_000


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """Three projects with 20,000 assignments, for all tests of this file; rolled back at last."""
    with django_db_blocker.unblock(), transaction.atomic():
        installation.fill(questions=4_000, assignments=20_000)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = origin")
        yield
        transaction.set_rollback(True)


@pytest.fixture
def scene(filled, db, stage, now):
    """A scene of the filled installation; the one of other modules would be older than it."""
    with at_hand(stage):
        yield make_scene(stage, now)


@pytest.fixture
def growing(filled):
    """The names of the tables and indexes with many entries."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE reltuples >= %s", [MANY])
        names = {row[0] for row in cursor.fetchall()}
    assert {"annotation_assignment", "annotation_task", "annotation_event"} <= names
    assert {"annotation_assignment_pkey", "assignment_last_position"} <= names
    return names


def cycle(growing, scene, stage, worker):
    """Do a cycle of work; return how many statements it had, and those that read too much."""
    with plans.explained() as explained:
        work = taken(worker, scene.project, stage)
        assert work.client.get(work.url("page")).status_code == 200
        fields = scene.example.write(work.fields, "costermongers")
        assert work.post("draft", fields, headers=HX).status_code == 200
        work.open()
        assert work.post("submit").status_code == 302
    assert Assignment.objects.get(pk=work.assignment.pk).state == "submitted"
    return len(explained), [
        str(plan) for plan in explained if plan.walks(growing) or plan.rows > MANY
    ]


@pytest.fixture
def ready(scene, example, now):
    """More is ready, so that a submission leads to the next question."""
    for _ in range(2):
        example.ready(scene.project, now)


@pytest.mark.usefixtures("ready")
def test_somebody_new_to_the_installation(growing, scene, stage):
    explained, too_much = cycle(growing, scene, stage, scene.worker)
    assert explained > 20
    assert not too_much, "\n".join(too_much)


@pytest.mark.usefixtures("ready")
def test_somebody_with_work_in_other_projects(growing, scene, stage):
    """They have positions in other policies, and none in this one."""
    busy = Assignment.objects.filter(project__slug="big-1").values_list("user", flat=True)[:1]
    Assignment.objects.filter(user__in=busy).exclude(state="active").update(user=scene.worker)
    for _ in range(2):
        _, too_much = cycle(growing, scene, stage, scene.worker)
        assert not too_much, "\n".join(too_much)


def test_walks_through_the_work_of_everybody_are_found(growing, project, ann):
    newest = "SELECT a.position FROM annotation_assignment a WHERE"
    of_mine = OF_MINE.replace("p.id", "%(policy)s")
    values = {"user": ann.pk, "policy": project.policies.first().pk}
    with plans.explained() as explained, connection.cursor() as cursor:
        cursor.execute(f"{newest} a.user_id + 0 = %s ORDER BY a.id DESC LIMIT 1", [ann.pk])
        cursor.execute("SELECT count(*) FROM annotation_event WHERE data->>'path' = 'Thames'")
        cursor.execute(f"{newest} {of_mine} {NEWEST_OF_MINE}", values)
    backward, event, good = explained
    [walk] = backward.walks(growing)
    assert (walk.index, walk.backward) == ("annotation_assignment_pkey", True)
    assert backward.rows > MANY
    [walk] = event.walks(growing)
    assert walk.kind == "Seq Scan"
    assert not good.walks(growing)
