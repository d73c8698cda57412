"""How the tables are emptied after a test whose transactions were real.

Django truncates every table, which makes some 600 new files, and then writes all permissions
again. Here the rows are deleted, and content types and permissions stay as they are.
"""

from functools import cache

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connections, transaction
from django.test import TransactionTestCase

ALWAYS_THE_SAME = {ContentType._meta.db_table, Permission._meta.db_table}

flush = TransactionTestCase._fixture_teardown


@cache
def deletes(alias: str) -> str:
    names = connections[alias].introspection.django_table_names(
        only_existing=True, include_views=False
    )
    names = sorted(set(names) - ALWAYS_THE_SAME)
    return "; ".join(f'DELETE FROM "{name}"' for name in names)  # noqa: S608 - our own tables


def empty(test: TransactionTestCase) -> None:
    """Leave no row behind, in place of `TransactionTestCase._fixture_teardown`."""
    for alias in test._databases_names(include_mirrors=False):
        connection = connections[alias]
        connection.ensure_connection()
        if connection.connection.info.parameter_status("is_superuser") != "on":
            return flush(test)  # only a superuser may pass over keys and triggers
        with transaction.atomic(using=alias), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL session_replication_role = replica; {deletes(alias)}")
