"""Every stage offers gold items, or says why not."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.golds import services as golds_services
from annotation.models import GoldPlan
from annotation.stages import registry as stages
from annotation.stages.gold_items import sources_of
from tests import factories
from tests.stages.gold_examples import GOLDS
from tests.stages.scene import at_hand, example_of


@pytest.fixture(autouse=True)
def example(db, stage):
    with at_hand(stage):
        yield example_of(stage)


def test_a_stage_has_gold_items_or_says_why_not(stage):
    about = stages.get_stage(stage)
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
        assert stages.get_stage(stage).no_golds in page
        with pytest.raises(Conflict, match="Leave the rate at 0"):
            golds_services.save_plan(
                project=project, stage=stage, by=None, now=timezone.now(), rate=10
            )


def test_the_form_offers_what_the_stage_can_do(stage, example, client):
    project = example.project()
    client.force_login(factories.make_member(project, "admin"))
    address = reverse("project-golds", args=[project.slug])
    page = client.get(address, {"stage": stage}).text
    offered = set(re.findall(r'<option value="(copies|finished|both)"', page))
    about = stages.get_stage(stage).golds
    assert offered == set(sources_of(about))
    rule = {"stage": stage, "enough": "4", "missed": "2", "both": "0", "share": ""}
    if about is None:
        assert 'name="rate"' not in page
        assert client.post(address, rule).status_code == 302
        assert GoldPlan.objects.get().enough == 4
        return
    first = next(iter(about.sources))
    drawn = {"rate": "10", "seed": "18", "source": first}
    assert client.post(address, rule | drawn).status_code == 302
    page = client.get(address, {"stage": stage}).text
    assert "No gold item could be drawn yet" in page
    other = {"copies", "finished", "both"} - offered
    for source in other:
        assert client.post(address, rule | drawn | {"source": source}).status_code == 422


def test_items_come_from_what_the_stage_can_do_unless_staff_choose(stage, example, now):
    plan = golds_services.save_plan(
        project=example.project(), stage=stage, by=None, now=now, rate=0
    )
    assert plan.source == next(iter(sources_of(stages.get_stage(stage).golds)), "copies")
