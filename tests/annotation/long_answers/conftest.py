"""An ASQA project instead of the AmbigQA one: ann and ben write in it."""

import pytest

from tests.annotation.long_answers import helpers


@pytest.fixture
def project(db):
    return helpers.make_project()


@pytest.fixture
def question(project, now):
    return helpers.open_question(project, now)
