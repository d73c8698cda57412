"""Invitations from when each had one role: several open ones of an address become one."""

import datetime as dt
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone

from annotation.models import Invitation
from tests import factories

DAY = dt.timedelta(days=1)
migration = import_module("annotation.migrations.0002_invitations_have_several_roles")


@pytest.mark.django_db
def test_open_invitations_of_one_address_become_one(project, ada):
    other = factories.make_project(slug="other")
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute("DROP INDEX invitation_one_open_per_address")

    def invite(email, role, days, project=project, **more):
        return Invitation.objects.create(
            project=project,
            email=email,
            roles=[role],
            invited_by=ada,
            created_at=now - DAY,
            expires_at=now + days * DAY,
            **more,
        ).pk

    kept = invite("nora@example.org", "validator", 5)
    joined = invite("Nora@example.org", "annotator", 3)
    apart = invite("nora@example.org", "expert", 2)
    expired = invite("nora@example.org", "admin", -2)
    used = invite("nora@example.org", "judge", 4, accepted_at=now, accepted_by=ada)
    elsewhere = invite("nora@example.org", "judge", 4, project=other)
    migration.join_open(apps, None)
    rows = {row.pk: row for row in Invitation.objects.all()}
    assert {pk for pk, row in rows.items() if row.revoked_at is None} == {kept, used, elsewhere}
    assert {joined, apart, expired} < set(rows)
    assert rows[kept].roles == ["annotator", "validator"]
    assert [rows[each].roles for each in (used, elsewhere)] == [["judge"], ["judge"]]
