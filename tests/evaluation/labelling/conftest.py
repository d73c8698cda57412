"""A project with a system, and a sample of its answers that two people label."""

import pytest

from annotation.models import Question
from tests import factories
from tests.evaluation import factories as made
from tests.evaluation.labelling.steps import draw
from tests.evaluation.reports.test_papers_read import SEVERAL, SINGLE, bring, record


@pytest.fixture
def project(now):
    """Three questions with several answers and one with one; of two, the known answer differs."""
    project = factories.make_project()
    rows = [record(f"q{n}", SEVERAL) for n in range(3)]
    bring(project, [*rows, record("one", SINGLE)], "ambignq", "dev", now)
    for name, known in (("q0", ["1900"]), ("q1", ["In 1843", "1843"]), ("one", ["1850"])):
        Question.objects.filter(external_id=name).update(known_answers=known)
    system = made.make_system(project, "SpanSeqGen")
    for question in Question.objects.filter(project=project):
        made.make_output(system, question, "It opened in 1843.", details={"answers": ["1843"]})
    return project


@pytest.fixture
def team(project):
    roles = {"rosa": "researcher", "adam": "admin", "eve": "expert", "ed": "expert"}
    return {
        name: factories.make_member(project, role, name=f"{name.title()} Reed")
        for name, role in roles.items()
    }


@pytest.fixture
def sample(project, team, now):
    """Predictions, two labellers for each."""
    return draw(project, "predictions", team, now, system=project.systems.get())
