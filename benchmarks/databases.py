"""Scratch databases on the embedded PostgreSQL, and rows in bulk."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit


@contextmanager
def scratch_database(name: str, *, keep: bool = False) -> Iterator[bool]:
    """Set Django up on a database of the embedded PostgreSQL; give whether it is new.

    It is made anew and dropped afterwards, or with `keep` made only if missing, and left there.
    """
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if os.environ.get("DATABASE_URL"):
        sys.exit("This benchmark makes a database on the embedded PostgreSQL: unset DATABASE_URL.")
    from config import embedded

    embedded.start_if_wanted()
    maintenance = os.environ[embedded.URL_VARIABLE]
    new = not keep or not _on_server(
        maintenance, "SELECT 1 FROM pg_database WHERE datname = %s", [name]
    )
    os.environ[embedded.URL_VARIABLE] = (
        make(maintenance, name) if new else _address(maintenance, name)
    )
    try:
        import django

        django.setup()
        from django.core.management import call_command
        from django.db import connection

        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        yield new
        connection.close()
    except BaseException:
        keep = keep and not new  # half a database is of no use
        raise
    finally:
        if not keep:
            drop(maintenance, name)


def make(maintenance: str, name: str) -> str:
    """Make an empty database in place of the one of this name, if any; return its address."""
    drop(maintenance, name)
    _on_server(maintenance, f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'")
    return _address(maintenance, name)


def _address(maintenance: str, name: str) -> str:
    return urlunsplit(urlsplit(maintenance)._replace(path=f"/{name}"))


def drop(maintenance: str, name: str) -> None:
    """Drop a database if it exists, whoever is connected."""
    _on_server(maintenance, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _on_server(maintenance: str, statement: str, values: list[str] | None = None) -> Any:
    import psycopg2

    connection = psycopg2.connect(maintenance)
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows = cursor.fetchall() if cursor.description else None
    connection.close()
    return rows


def insert(model: Any, rows: str, values: dict[str, Any] | None = None, /, **columns: str) -> int:
    """Insert a row of the model for each row of a FROM clause; return how many.

    `columns` are SQL expressions by attribute; every other column gets the model's default, so
    that a column added later needs no change here.
    """
    from django.db import connection

    values = dict(values or {})
    targets, expressions = [], []
    for field in model._meta.concrete_fields:
        if field.primary_key and not field.remote_field and field.attname not in columns:
            continue
        if field.attname not in columns:
            values[field.attname] = field.get_db_prep_save(field.get_default(), connection)
        expression = columns.get(field.attname, f"%({field.attname})s")
        targets.append(f'"{field.column}"')
        expressions.append(f"({expression})::{field.cast_db_type(connection)}")
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{model._meta.db_table}" ({", ".join(targets)}) '  # noqa: S608
            f"SELECT {', '.join(expressions)} FROM {rows}",
            values,
        )
        count = int(cursor.rowcount)
        # The next statement may join these rows: planned for an empty table, it would never end.
        cursor.execute(f'ANALYZE "{model._meta.db_table}"')
        return count


def tidy() -> None:
    """Bring statistics and visibility up to date, as autovacuum does on a running server."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
