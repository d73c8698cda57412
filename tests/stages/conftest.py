"""The question that each test of every stage begins with."""

import pytest

from tests.stages.scene import at_hand, make_scene, taken
from tests.stages.scene import pytest_generate_tests as pytest_generate_tests


@pytest.fixture
def scene(db, stage, now):
    with at_hand(stage):
        yield make_scene(stage, now)


@pytest.fixture
def example(scene):
    return scene.example


@pytest.fixture
def work(scene, stage):
    """The worker's window, with the question in hand."""
    return taken(scene.worker, scene.project, stage)
