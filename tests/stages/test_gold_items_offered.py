"""Every stage offers gold items, or says why not."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation import stages
from annotation.policies.base import Conflict
from annotation.services import golds
from tests import factories
from tests.stages.gold_examples import GOLDS
from tests.stages.scene import at_hand, example_of


@pytest.fixture(autouse=True)
def example(db, stage):
    with at_hand(stage):
        yield example_of(stage)


def test_a_stage_has_gold_items_or_says_why_not(stage):
    about = stages.get(stage)
    assert (about.golds is not None) == (stage in GOLDS)
    if about.golds is None:
        assert re.fullmatch(r"[A-Z][^.]+\.", about.no_golds), "one sentence"
    else:
        assert not about.no_golds


def test_the_page_of_gold_items_says_why_not(stage, example, client):
    project = example.project()
    client.force_login(factories.make_member(project, "admin"))
    page = client.get(reverse("project-golds", args=[project.slug]), {"stage": stage}).text
    assert ("cannot have gold items" in page) == (stage not in GOLDS)
    if stage not in GOLDS:
        assert stages.get(stage).no_golds in page
        with pytest.raises(Conflict, match="Leave the rate at 0"):
            golds.save(project=project, stage=stage, by=None, now=timezone.now(), rate=10)
