"""Labels of ambiguity that an older version stored become a sample that one person labels."""

import datetime as dt
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from evaluation.labelling import queries
from evaluation.models import LabelSample
from tests import factories

pytestmark = pytest.mark.django_db
migration = import_module("evaluation.migrations.0003_samples_that_people_label")


@pytest.fixture
def old_rows():
    """The table as it was, empty."""
    state = MigrationLoader(connection).project_state(("evaluation", "0002_drafts_of_studies"))
    model = state.apps.get_model("evaluation", "Ambiguity")
    with connection.schema_editor(atomic=False) as editor:
        editor.create_model(model)
        editor.deferred_sql.clear()  # keys of a table that is gone when the test ends
    return model.objects


def test_each_project_keeps_its_sample_with_its_labels(old_rows, now):
    rosa = factories.make_user(name="Rosa Reed")
    projects = [factories.make_project(slug=slug) for slug in ("one", "two", "none")]
    earlier = now - dt.timedelta(days=9)
    for project in projects[:2]:
        for position, types in ((2, []), (1, ["event", "time"]), (7, ["other"])):
            old_rows.create(
                project_id=project.pk,
                question_id=factories.make_question(project).pk,
                position=position,
                types=types,
                labelled_by_id=rosa.pk if types else None,
                labelled_at=earlier if types else None,
            )
    names = {"Ambiguity": old_rows.model}
    known = SimpleNamespace(
        get_model=lambda app, name: names.get(name) or apps.get_model(app, name)
    )
    migration.move_labels_of_ambiguity(known, None)

    assert LabelSample.objects.count() == 2
    for project in projects[:2]:
        found = queries.find_ambiguity(project)
        assert (found.size, found.done) == (3, 2)
        sample = found.sample
        assert (sample.seed, sample.labellers, sample.created_at) == (0, 1, earlier)
        rows = queries.read_finished(sample)
        assert [(row.item.position, row.final) for row in rows] == [
            *((1, ["event", "time"]), (7, ["other"]))
        ]
        [labels] = rows[0].given
        assert (labels.labeller, labels.labelled_at) == (rosa, earlier)
        questions = dict(sample.items.values_list("position", "question"))
        assert questions == dict(
            old_rows.filter(project_id=project.pk).values_list("position", "question_id")
        )
