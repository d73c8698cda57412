"""The question that each test of every stage begins with."""

import copy

import pytest
from django.db import transaction
from django.utils import timezone

from tests.stages.scene import at_hand, make_scene, taken
from tests.stages.scene import pytest_generate_tests as pytest_generate_tests


@pytest.fixture(scope="module")
def shared_scene(stage, plain_settings, django_db_setup, django_db_blocker):
    """The scene of a stage, made once for a module: each test rolls back what it changes."""
    with django_db_blocker.unblock(), at_hand(stage), transaction.atomic():
        yield make_scene(stage, timezone.now())
        transaction.set_rollback(True)


@pytest.fixture
def scene(shared_scene, db):
    return copy.deepcopy(shared_scene)


@pytest.fixture
def example(scene):
    return scene.example


@pytest.fixture
def work(scene, stage):
    """The worker's window, with the question in hand."""
    return taken(scene.worker, scene.project, stage)
