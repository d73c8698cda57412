"""What stands in for Django's flush leaves as little behind, and keeps what never changes."""

import uuid
from decimal import Decimal

import pytest
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test import TransactionTestCase

from accounts.models import User
from annotation.pay import services as pay_services
from tests import emptying, factories
from tests.world import make_world


class Emptied(TransactionTestCase):
    """A test that was, for the method that empties after it."""


def filled():
    """The names of the tables with rows."""
    names = connection.introspection.django_table_names(only_existing=True, include_views=False)
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f'SELECT EXISTS (SELECT FROM "{name}")')  # noqa: S608 - our own tables
            if cursor.fetchone()[0]:
                yield name


@pytest.mark.django_db(transaction=True)
def test_no_row_stays_but_content_types_and_permissions():
    world = make_world()
    pay_services.post_entry(  # an entry that the database refuses to delete
        project=world.project,
        user=world.people["annotator"],
        kind="bonus",
        amount=Decimal("1.00"),
        currency="EUR",
        reason="Well done",
        key=uuid.uuid4(),
        by=world.people["researcher"],
        now=world.now,
    )
    before = Permission.objects.count(), ContentType.objects.count()
    assert len(set(filled())) > 10
    Emptied()._fixture_teardown()
    assert set(filled()) == emptying.ALWAYS_THE_SAME
    assert (Permission.objects.count(), ContentType.objects.count()) == before


def test_rows_that_were_kept_come_back_as_they_were_and_no_other(transactional_db):
    project = factories.make_project()
    emptying.keep_rows()
    try:
        type(project).objects.filter(pk=project.pk).update(title="Another")
        factories.make_user()
        project.policies.all().delete()
        emptying.bring_rows_back()
    finally:
        emptying.forget_rows()
    project.refresh_from_db()
    assert (project.title, project.policies.count()) == ("Crossings pilot", 3)
    assert not User.objects.exists()
