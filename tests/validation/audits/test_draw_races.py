"""Draws at once, each on its own PostgreSQL connection."""

import pytest
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.models import StagePolicy, Task
from tests import factories
from tests.annotation.work.helpers import in_parallel
from validation.audits import services as audits_services
from validation.audits.values import AUDIT
from validation.models import AuditItem, Decision

pytestmark = pytest.mark.django_db(transaction=True)


def test_draws_at_once_share_no_question(project, rosa, eve):
    """Five draw four of sixteen: four get their own, the last is told that none is left."""
    now = timezone.now()
    for _ in range(16):
        question = factories.make_question(project, state="accepted")
        decision = Decision.objects.create(
            question=question, source="staff", outcome="accepted", change="none", created_at=now
        )
        decision.accepted.create(position=0, kind="single")

    def draw():
        return audits_services.draw_sample(
            project=project, split="dev", size=4, by=rosa, now=timezone.now()
        )

    results = in_parallel([draw] * 5)
    assert sorted(type(each).__name__ for each in results) == ["AuditSample"] * 4 + ["Conflict"]
    [refused] = [each for each in results if isinstance(each, Conflict)]
    assert "no question to draw from" in str(refused)
    drawn = list(AuditItem.objects.values_list("question", flat=True))
    assert len(drawn) == len(set(drawn)) == 16
    assert StagePolicy.objects.filter(project=project, stage=AUDIT).count() == 1
    assert Task.objects.filter(policy__stage=AUDIT, seats=1).count() == 16
