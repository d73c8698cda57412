"""A sample drawn from the simulated project."""

import pytest

from annotation.models import StagePolicy
from validation.audits import services as audits_services
from validation.audits.values import AUDIT


@pytest.fixture
def draw(world, rosa, eve, now):
    """draw(size, …): a sample from dev, whose questions take no time and one expert."""

    def draw(size, **asked):
        sample = audits_services.draw_sample(
            project=world.project, split="dev", size=size, by=rosa, now=now, **asked
        )
        StagePolicy.objects.filter(stage=AUDIT).update(minimum_seconds=0)
        return sample

    return draw
