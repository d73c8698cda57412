"""A project of long answers: who runs it, two judges, and systems that have answered."""

import pytest

from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.factories import make_output, make_questions, make_system


@pytest.fixture
def project():
    return asqa.make_project()


@pytest.fixture
def rosa(project):
    return factories.make_member(project, "researcher", name="Rosa Reed")


@pytest.fixture
def rosas(client, rosa):
    client.force_login(rosa)
    return client


@pytest.fixture
def systems(project):
    questions = make_questions(project, 4)
    rows = [make_system(project, name) for name in ("Amber", "Blue", "Coral")]
    for system in rows:
        for question in questions:
            make_output(system, question, text="It opened on 25 March 1843.")
    return rows


@pytest.fixture
def judges(project):
    return [factories.make_member(project, "judge") for _ in range(2)]
