"""An item whose known answer is in doubt is taken back: it counts for no one."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone

from annotation.core.refusals import Denied
from annotation.golds import overview, queries, retiring
from annotation.models import AuditEntry, GoldFlag, GoldItem, GoldVerdict
from tests import factories
from tests.annotation.golds import checks

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    project = checks.make(20)
    project.admin = factories.make_member(project, "admin")
    project.ann = factories.make_member(project, "annotator", name="Wanda Wren")
    return project


def miss(project, person):
    work = checks.take_gold(person, project)
    checks.submit(work, "yes")
    return GoldItem.objects.get(task=work.task)


def retire(project, item):
    item.refresh_from_db()
    retiring.retire_item(item=item, by=project.admin, now=timezone.now())
    item.refresh_from_db()


def test_a_retired_item_is_handed_out_no_more_and_counts_for_no_one(project):
    plan = checks.plan(project, rate=50)
    item = miss(project, project.ann)
    open_before = plan.items.filter(task__seats__gt=0).count()
    other = plan.items.filter(task__seats__gt=0).first()
    retire(project, item)
    retire(project, other)
    assert plan.items.filter(task__seats__gt=0).count() == open_before - 1
    [person] = queries.list_people(plan)
    assert (person.seen, person.missed) == (0, 0)
    assert overview.list_missed(plan, project.ann.pk) == []
    retire(project, item)  # again changes nothing
    assert AuditEntry.objects.filter(action="gold_item_retired").count() == 2
    retiring.restore_item(item=item, by=project.admin, now=timezone.now())
    [person] = queries.list_people(plan)
    assert (person.seen, person.missed) == (1, 1)
    item.refresh_from_db()
    assert item.retired_at is not None  # it is handed out to no one new


def test_the_rule_does_not_count_retired_items(project):
    plan = checks.plan(project, rate=50, enough=2, missed=2, share=None)
    retire(project, miss(project, project.ann))
    miss(project, project.ann)
    assert not GoldFlag.objects.exists()
    miss(project, project.ann)
    assert GoldFlag.objects.get().seen == 2
    assert GoldVerdict.objects.filter(plan=plan).count() == 3


def test_whoever_holds_an_item_as_it_is_retired_is_not_flagged_for_it(project):
    checks.plan(project, rate=50, enough=1, missed=1, share=None)
    work = checks.take_gold(project.ann, project)
    retire(project, GoldItem.objects.get(task=work.task))
    checks.submit(work, "yes")
    assert not GoldFlag.objects.exists()


def test_only_staff_retire_items_and_only_of_their_project(project, client):
    checks.plan(project, rate=50)
    item = miss(project, project.ann)
    with pytest.raises(Denied):
        retiring.retire_item(item=item, by=project.ann, now=timezone.now())
    other = checks.make(3)
    staff = factories.make_member(other, "admin")
    client.force_login(staff)
    assert client.post(reverse("gold-item", args=[other.slug, item.pk])).status_code == 404
    client.force_login(project.admin)
    at = reverse("gold-item", args=[project.slug, item.pk])
    page = client.post(at, {"action": "retire"}, follow=True).text
    assert "counts for no one" in page
    assert "Count it again" in page
    assert "Count it again" not in client.post(at, {"action": "restore"}, follow=True).text


def test_the_database_holds_that_what_is_void_is_retired(project):
    checks.plan(project, rate=50)
    item = GoldItem.objects.first()
    with pytest.raises(IntegrityError, match="gold_item_void_is_retired"), transaction.atomic():
        GoldItem.objects.filter(pk=item.pk).update(void_at=timezone.now())
