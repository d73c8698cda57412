"""The simulated project, with a sample drawn from it."""

import pytest

from annotation.models import StagePolicy
from tests.validation.simulated import simulate
from validation.audit import AUDIT
from validation.services import audit


@pytest.fixture
def world(project, ann, ben, val, answer, now):
    return simulate(project, ann, ben, val, answer, now)


@pytest.fixture
def draw(world, rosa, eve, now):
    """draw(size, …): a sample from dev, whose questions take no time and one expert."""

    def draw(size, **asked):
        sample = audit.draw(
            project=world.project, split="dev", size=size, by=rosa, now=now, **asked
        )
        StagePolicy.objects.filter(stage=AUDIT).update(minimum_seconds=0)
        return sample

    return draw
