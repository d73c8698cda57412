"""A project of long answers with a writer and somebody who gives feedback."""

import pytest

from tests import factories
from tests.annotation.long_answers import helpers


@pytest.fixture
def writing(db):
    return helpers.make_project(slug="long-answers")


@pytest.fixture
def writer(writing):
    return factories.make_member(writing, "annotator", name="Wilma Wood")


@pytest.fixture
def staff(writing):
    return factories.make_member(writing, "researcher", name="Rita Reed")


@pytest.fixture
def turn(writing, writer, now):
    helpers.open_question(writing, now)
    return helpers.answer(writing, writer, now)
