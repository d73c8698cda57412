"""The small project of tests.validation.simulated, whose figures are counted by hand."""

import pytest

from tests.validation.conftest import answer, project  # noqa: F401 - fixtures
from tests.validation.simulated import simulate


@pytest.fixture
def world(project, ann, ben, val, answer, now):  # noqa: F811
    return simulate(project, ann, ben, val, answer, now)
