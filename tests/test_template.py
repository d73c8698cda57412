"""The database of a test is a copy of a migrated one, and like one that was migrated itself."""

import pytest
from django.core.management import call_command
from django.db import connection

from tests import template


@pytest.mark.django_db
def test_nothing_is_left_to_migrate():
    call_command("migrate", check_unapplied=True)  # exits with 1 where something is


@pytest.mark.django_db
def test_this_database_was_copied():
    assert connection.settings_dict["TEST"]["TEMPLATE"] == template.prepare_template()


def test_another_migration_asks_for_another_template(monkeypatch):
    before = template.digest_migrations()
    source = template.inspect.getsource
    monkeypatch.setattr(template.inspect, "getsource", lambda module: source(module) + "# changed")
    assert template.digest_migrations() != before
