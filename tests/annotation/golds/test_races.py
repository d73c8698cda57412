"""Two submissions judged at once: the person is flagged and paused once."""

import pytest
from django.utils import timezone

from annotation.golds import drawing as gold_drawing
from annotation.golds import services as golds_services
from annotation.models import Assignment, AuditEntry, GoldFlag, GoldItem, GoldVerdict, Task
from tests import factories
from tests.annotation.golds import checks
from tests.annotation.work.helpers import in_parallel

pytestmark = pytest.mark.django_db(transaction=True)


def failures(results):
    return [result for result in results if isinstance(result, Exception)]


def test_two_misses_at_once_pause_once():
    project = checks.make(12)
    checks.plan(project, rate=50, enough=2, missed=2)
    ann = factories.make_member(project, "annotator")
    late = checks.take_gold(ann, project)
    now = timezone.now()
    # A lease that ended is submitted late while another item is in hand.
    Assignment.objects.filter(pk=late.pk).update(state="expired", ended_at=now, lease_ends_at=None)
    held = checks.take_gold(ann, project)
    works = [Assignment.objects.get(pk=pk) for pk in (late.pk, held.pk)]
    results = in_parallel([lambda work=work: checks.submit(work, "yes") for work in works])
    assert not failures(results)
    assert GoldVerdict.objects.filter(user=ann, missed=True).count() == 2
    assert GoldFlag.objects.count() == 1
    assert AuditEntry.objects.filter(action="membership_paused").count() == 1


def test_items_drawn_at_once_are_drawn_once():
    project = checks.make(12)
    plan = checks.plan(project, rate=50)
    Task.objects.filter(gold=True).delete()
    plan.drawn_until = 0
    plan.save()
    now = timezone.now()
    results = in_parallel([lambda: golds_services.draw_items(plan=plan, now=now) for _ in range(4)])
    assert not failures(results)
    assert sum(results) == GoldItem.objects.count() == GoldItem.objects.values("host").count()
    assert sum(results) <= 12
    assert gold_drawing.draw_items(plan=plan, now=now) == 0
