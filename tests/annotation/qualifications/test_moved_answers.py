"""Migration 0042: what is known of an item moves into one column, and back."""

import json

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests import factories

BEFORE, AFTER = "0041_figures_in_one_store", "0042_known_answers"
PAIRS = [{"question": "Which?", "short_answers": ["a"], "context": None, "wikipage": None}]
ROWS = [
    {"accepted": [{"answers": ["Fowler"]}, {"none": True}]},
    {"seeded": [{"answers": ["1850"], "correct": False}]},
    {"qa_pairs": PAIRS, "model_answer": "It opened twice."},
    {},
]
EMPTY = {"accepted": [], "seeded": [], "qa_pairs": [], "model_answer": ""}


def migrate_to(name):
    executor = MigrationExecutor(connection)
    executor.loader.build_graph()
    executor.migrate([("annotation", name)])
    return executor.loader.project_state([("annotation", name)]).apps


@pytest.fixture
def old(transactional_db):
    yield migrate_to(BEFORE)
    migrate_to(AFTER)


def test_every_kind_of_answer_moves_and_comes_back(old):
    project = factories.make_project()
    exam = old.get_model("annotation", "Qualification").objects.create(
        **{"project_id": project.pk, "title": "First steps", "kind": "generation"},
        **{"guideline_version": 0, "created_at": "2026-03-02T09:00:00Z"},
    )
    items = old.get_model("annotation", "QualificationItem")
    for position, row in enumerate(ROWS):
        items.objects.create(qualification=exam, position=position, prompt="when", **row)
    new = migrate_to(AFTER).get_model("annotation", "QualificationItem")
    stored = list(new.objects.order_by("position").values_list("expected", flat=True))
    assert stored == ROWS
    again = migrate_to(BEFORE).get_model("annotation", "QualificationItem")
    back = list(again.objects.order_by("position").values(*EMPTY))
    assert json.loads(json.dumps(back)) == [EMPTY | row for row in ROWS]
