"""The big installation that benchmarks and tests of plans fill, at a small size."""

import pytest
from django.apps import apps
from django.db import connection

from annotation.models import Assignment, AuditEntry, Event, PayEntry, Question, Task
from annotation.work.seats import recount_open_seats
from benchmarks import installation
from benchmarks.databases import insert
from validation.models import Decision, SubmissionOutcome

pytestmark = pytest.mark.django_db


def test_it_has_the_size_asked_for_and_every_state():
    projects = installation.fill(questions=400, assignments=2000)

    assert [project.protocol for project in projects] == ["ambigqa", "ambigqa", "asqa"]
    assert Question.objects.count() == 400
    assert 1900 < Assignment.objects.count() < 2300
    states = set(Assignment.objects.values_list("state", flat=True))
    assert states == set(Assignment.State.values)
    stages = set(Assignment.objects.values_list("stage", flat=True))
    assert stages == {"generation", "validation", "long_answers"}
    assert Event.objects.count() > 3000
    assert PayEntry.objects.filter(kind="accepted").exists()
    assert Decision.objects.filter(outcome="edited").exists()
    assert SubmissionOutcome.objects.filter(decision=None).exists()


def test_its_rows_agree_with_each_other():
    installation.fill(questions=400, assignments=2000)

    # The database did not check references while it was filled.
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if field.remote_field:
                held = model._default_manager.exclude(**{field.name: None})
                targets = field.related_model._default_manager.values("pk")
                lost = held.exclude(**{f"{field.attname}__in": targets})
                assert not lost.exists(), field
    seats = dict(Task.objects.values_list("pk", "seats"))
    recount_open_seats(seats)
    assert dict(Task.objects.values_list("pk", "seats")) == seats


def test_what_was_inserted_is_known_to_the_next_statement():
    insert(AuditEntry, "generate_series(1, 50)", at="now()", action="'x'", target="'y'")

    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'annotation_auditentry'")
        assert cursor.fetchone() == (50,)
