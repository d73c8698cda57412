"""How the tables are emptied after a test whose transactions were real.

Django truncates every table, which makes some 600 new files, and then writes all permissions
again. Here the rows are deleted, and content types and permissions stay as they are.
"""

from functools import cache

from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db import connection, connections, transaction
from django.test import TransactionTestCase

ALWAYS_THE_SAME = {ContentType._meta.db_table, Permission._meta.db_table}

flush = TransactionTestCase._fixture_teardown


# Where rows are kept that come back after each test.
KEPT = "kept"


@cache
def table_names(alias: str) -> list[str]:
    names = connections[alias].introspection.django_table_names(
        only_existing=True, include_views=False
    )
    return sorted(set(names) - ALWAYS_THE_SAME)


@cache
def write_deletes(alias: str) -> str:
    return "; ".join(f'DELETE FROM "{name}"' for name in table_names(alias))  # noqa: S608 - our own tables


@cache
def write_inserts(alias: str) -> str:
    """Return what takes all rows from where they are kept; the database fills generated columns."""
    with connections[alias].cursor() as cursor:
        cursor.execute(
            "SELECT table_name, string_agg(quote_ident(column_name), ', ') "
            "FROM information_schema.columns WHERE table_schema = current_schema() "
            "AND is_generated = 'NEVER' AND table_name = ANY(%s) GROUP BY table_name",
            [table_names(alias)],
        )
        return "; ".join(
            f'INSERT INTO "{name}" ({columns}) SELECT {columns} FROM {KEPT}."{name}"'  # noqa: S608
            for name, columns in cursor.fetchall()
        )


def can_delete_all(connection) -> bool:
    """Say whether this is a superuser, who alone may pass over keys and triggers."""
    connection.ensure_connection()
    return connection.connection.info.parameter_status("is_superuser") == "on"


def empty(test: TransactionTestCase) -> None:
    """Leave no row behind, in place of `TransactionTestCase._fixture_teardown`."""
    for alias in test._databases_names(include_mirrors=False):
        if not can_delete_all(connections[alias]):
            return flush(test)
        with transaction.atomic(using=alias), connections[alias].cursor() as cursor:
            cursor.execute(f"SET LOCAL session_replication_role = replica; {write_deletes(alias)}")


def keep_rows() -> None:
    """Keep a copy of all rows beside the tables, for `bring_rows_back`."""
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {KEPT}")
        for name in table_names(connection.alias):
            cursor.execute(f'CREATE TABLE {KEPT}."{name}" AS TABLE "{name}"')


def bring_rows_back() -> None:
    """Let every table have the rows that were kept, and no other."""
    back = f"{write_deletes(connection.alias)}; {write_inserts(connection.alias)}"
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL session_replication_role = replica; {back}")


def forget_rows() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP SCHEMA {KEPT} CASCADE")
