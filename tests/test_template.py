"""The database of a test is a copy of a migrated one, and like one that was migrated itself."""

import os
import subprocess
import sys
from pathlib import Path

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


def test_rows_that_a_module_makes_are_not_in_the_database_of_the_settings(django_db_setup):
    assert connection.settings_dict["NAME"].startswith("test_")


@pytest.mark.process
def test_no_test_with_the_marker_is_needed_for_that():
    test = test_rows_that_a_module_makes_are_not_in_the_database_of_the_settings.__name__
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider", f"{__file__}::{test}"],
        cwd=Path(__file__).parents[1],
        env=os.environ | {"TOX_PARALLEL_ENV": "alone"},  # a database beside that of this process
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
