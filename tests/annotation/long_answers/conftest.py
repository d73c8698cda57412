"""An ASQA project instead of the AmbigQA one: ann and ben write in it."""

import pytest
from django.utils import timezone

from tests.annotation.long_answers import helpers


@pytest.fixture
def project(db):
    return helpers.make_project()


@pytest.fixture
def question(project, now):
    return helpers.open_question(project, now)


@pytest.fixture
def work(project, question, ann):
    """Ann's question, in hand since a moment ago."""
    return helpers.take(project, ann, timezone.now())


@pytest.fixture
def web(client_as, ann):
    """Ann's browser."""
    return client_as(ann)
