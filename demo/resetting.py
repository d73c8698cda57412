"""Empty the demo, so that it can be loaded as it was at first."""

import shutil

from django.conf import settings
from django.db import connection, transaction

from accounts.models import User
from annotation.models import Project
from crowds.models import Participation
from demo.loading import LOADED
from demo.people import DOMAIN

# What was uploaded, written and queued. The encyclopedia and its index stay: they are the same.
FOLDERS = ("files", "mail", "queue")


class ResetRefused(Exception):
    """Nothing was changed. The message is a sentence that says why, and what to do."""


def reset_demo(*, everything: bool = False) -> None:
    """Delete all rows, uploads and letters of an embedded installation that holds the demo.

    Raises ResetRefused where the database is one of your own, where Ambit is running on it, and,
    unless `everything` may go, where there are projects or accounts that are not the demo's.
    """
    if not settings.EMBEDDED:
        raise ResetRefused(
            "Only a demo on the embedded database can be reset. DATABASE_URL names another one; "
            "unset it, or empty that database yourself."
        )
    if connection.introspection.table_names():
        if not everything and (found := _describe_real_work()):
            raise ResetRefused(
                f"Not all of this is the demo’s: {found}. Keep it with manage.py backup, then add "
                "--everything to delete it, too."
            )
        _drop_tables()
    for folder in FOLDERS:
        shutil.rmtree(settings.AMBIT_DATA / folder, ignore_errors=True)


def _describe_real_work() -> str:
    """Return what is not the demo's, in words; "" for nothing."""
    projects = list(Project.objects.exclude(slug__in=LOADED).values_list("slug", flat=True)[:4])
    others = User.objects.exclude(email__endswith=f"@{DOMAIN}").exclude(
        pk__in=Participation.objects.values("user")
    )
    people = list(others.values_list("email", flat=True)[:4])
    parts = [
        f"{label} {', '.join(names[:3])}{' and others' if len(names) > 3 else ''}"
        for label, names in (("project", projects), ("account", people))
        if names
    ]
    return "; ".join(parts)


def _drop_tables() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        if cursor.fetchone()[0]:
            raise ResetRefused("Ambit is running on this data. Stop it with Ctrl-C first.")
        cursor.execute("DROP SCHEMA public CASCADE")
        cursor.execute("CREATE SCHEMA public")
