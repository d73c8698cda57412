"""The demo of lists: systems that are scored, and studies that wait for people."""

import pytest
from django.utils import timezone

from annotation.models import StagePolicy
from annotation.stages import registry as stages
from annotation.work.assignments import take_next
from demo.people import PEOPLE
from evaluation.scores.measuring import score_systems
from qampari import demo
from tests import factories
from tests.modeling import corpora

pytestmark = pytest.mark.django_db


def test_two_systems_are_scored_and_their_lists_are_compared_blind(monkeypatch):
    monkeypatch.setattr("modeling.corpus.corpus_of", lambda snapshot: corpora.Corpus())
    now = timezone.now()
    project = factories.make_project(protocol="qampari", policies=False)
    people = {
        person.login: factories.make_member(project, person.roles[0], is_staff=True)
        for person in PEOPLE
    }
    StagePolicy.objects.bulk_create(stages.default_policies(project))
    demo.load_questions(project, people, now)
    long, short = score_systems(project, "test", list(project.systems.order_by("name")))
    assert [row.system.name for row in (long, short)] == ["Long memory", "Short memory"]
    assert long.figures["recall"].value != short.figures["recall"].value
    assert all(row.figures["f1"].n == 6 for row in (long, short))
    for login, stage in (("judge1", "comparison"), ("expert", "expert")):
        turn = take_next(project=project, stage=stage, by=people[login], now=now)
        given = stages.get_stage(stage).build_sheet_context(turn, now=now)
        shown = " ".join(given.texts) if stage == "comparison" else given.text
        assert "\nRialto" in shown  # each answer has its line
        assert "memory" not in shown
