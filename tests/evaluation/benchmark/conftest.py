"""A project whose accepted answers are released but for the test split, and two teams."""

import pytest

from evaluation.benchmark import releases
from tests import factories
from tests.annotation.long_answers import helpers
from tests.evaluation.benchmark import scenes
from tests.evaluation.reports.test_papers_read import bring


@pytest.fixture
def project(db, now):
    project = helpers.make_project(slug="bridges")
    bring(project, scenes.asqa_file(), "asqa", None, now)
    return project


@pytest.fixture
def staff(project):
    return factories.make_member(project, "researcher", name="Rosa Reed")


@pytest.fixture
def benchmark(project, now):
    benchmark = scenes.make_benchmark(project, now)
    releases.make_release(benchmark=benchmark, layout="asqa", by=None, now=now)
    benchmark.refresh_from_db()
    return benchmark


@pytest.fixture
def red(benchmark, now):
    return scenes.make_team_member(benchmark, "Reds", "Rita Rowe", now)


@pytest.fixture
def blue(benchmark, now):
    return scenes.make_team_member(benchmark, "Blues", "Bela Blum", now)
