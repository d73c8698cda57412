"""How PostgreSQL reads for a cycle of work in a filled installation, for every stage.

Every statement of taking a question, its page, a saved draft and a submission is explained with
its values. None may read all of a table that grows with the work of others, or all of its index.
Smaller ones are left out: PostgreSQL rightly prefers to read a few pages.
"""

import json

import pytest
from django.db import connection, transaction

from annotation.models import Assignment
from annotation.services import taking
from benchmarks import installation
from tests.stages.scene import taken
from tests.stages.window import HX

EXPLAINED = ("SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "EXECUTE")
INDEX_SCANS = ("Index Scan", "Index Only Scan")
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
def growing(filled):
    """The names of the tables and indexes with many entries."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT relname FROM pg_class WHERE reltuples >= %s", [MANY])
        names = {row[0] for row in cursor.fetchall()}
    assert {"annotation_assignment", "annotation_task", "annotation_event"} <= names
    assert {"annotation_assignment_pkey", "assignment_last_position"} <= names
    return names


class Plans:
    """Explains each statement just before it runs, and notes those that read a whole table."""

    def __init__(self, growing):
        self.growing, self.explained, self.whole = growing, 0, []

    def __call__(self, execute, sql, params, many, context):
        if sql.lstrip().startswith(EXPLAINED):
            with connection.connection.cursor() as plain:
                plain.execute(f"EXPLAIN (FORMAT JSON) {sql}", params)
                [plan] = plain.fetchone()[0]
            self.explained += 1
            self.whole += [
                f"{json.dumps(node)} in {self._text(sql)}"
                for node in self._wholly_read(plan["Plan"])
            ]
        return execute(sql, params, many, context)

    def _wholly_read(self, node):
        """Give the nodes that read a growing table or index from one end to the other."""
        scans = node["Node Type"] in INDEX_SCANS and "Index Cond" not in node
        read = node.get("Index Name") if scans else node.get("Relation Name")
        if read in self.growing and (scans or node["Node Type"] == "Seq Scan"):
            yield {key: value for key, value in node.items() if key != "Plans"}
        for child in node.get("Plans", ()):
            yield from self._wholly_read(child)

    def _text(self, sql):
        if not sql.startswith("EXECUTE"):
            return sql
        with connection.connection.cursor() as plain:
            name = sql.split()[1]
            plain.execute("SELECT statement FROM pg_prepared_statements WHERE name = %s", [name])
            return plain.fetchone()[0]


def cycle(plans, scene, stage, worker):
    with connection.execute_wrapper(plans):
        work = taken(worker, scene.project, stage)
        assert work.client.get(work.url("page")).status_code == 200
        fields = scene.example.write(work.fields, "costermongers")
        assert work.post("draft", fields, headers=HX).status_code == 200
        work.open()
        assert work.post("submit").status_code == 302
    assert Assignment.objects.get(pk=work.assignment.pk).state == "submitted"


@pytest.fixture
def plans(growing, scene, example, now):
    """More is ready, so that a submission leads to the next question."""
    for _ in range(2):
        example.ready(scene.project, now)
    return Plans(growing)


def test_somebody_new_to_the_installation(plans, scene, stage):
    cycle(plans, scene, stage, scene.worker)
    assert plans.explained > 20
    assert not plans.whole, "\n".join(plans.whole)


def test_somebody_with_work_in_other_projects(plans, scene, stage):
    """They have positions in other policies, and none in this one."""
    busy = Assignment.objects.filter(project__slug="big-1").values_list("user", flat=True)[:1]
    Assignment.objects.filter(user__in=busy).exclude(state="active").update(user=scene.worker)
    for _ in range(2):
        cycle(plans, scene, stage, scene.worker)
    assert not plans.whole, "\n".join(plans.whole)


def test_walks_through_the_work_of_everybody_are_found(growing, project, ann):
    plans = Plans(growing)
    newest = "SELECT a.position FROM annotation_assignment a WHERE"
    with connection.execute_wrapper(plans), connection.cursor() as cursor:
        cursor.execute(f"{newest} a.user_id + 0 = %s ORDER BY a.id DESC LIMIT 1", [ann.pk])
        assert "annotation_assignment_pkey" in plans.whole[0]
        assert "Backward" in plans.whole[0]
        cursor.execute("SELECT count(*) FROM annotation_event WHERE data->>'path' = 'Thames'")
        assert "Seq Scan" in plans.whole[1]
        of_mine = taking.OF_MINE.replace("p.id", "%(policy)s")
        values = {"user": ann.pk, "policy": project.policies.first().pk}
        cursor.execute(f"{newest} {of_mine} {taking.NEWEST_OF_MINE}", values)
    assert len(plans.whole) == 2
