"""An ASQA project with two writers, two of its staff, and one open question."""

import pytest

from annotation.long_answers.concerns import services as concerns_services
from tests import factories
from tests.annotation.long_answers import helpers


@pytest.fixture
def project(db):
    return helpers.make_project()


@pytest.fixture
def question(project, now):
    return helpers.open_question(project, now)


@pytest.fixture
def cat(project):
    return factories.make_member(project, "annotator", name="Cat Cole")


@pytest.fixture
def mine(project, question, ann, now):
    """Ann's turn at the question."""
    return helpers.take(project, ann, now)


@pytest.fixture
def concern(mine, ann, now):
    """Ann doubts the second disambiguation."""
    return concerns_services.raise_concern(
        assignment=mine,
        disambiguations=[1],
        reason="Trains ran through it earlier, too.",
        by=ann,
        now=now,
    )
