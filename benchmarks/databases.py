"""Scratch databases on the embedded PostgreSQL, the demo, and rows in bulk."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from benchmarks.harness import run_apart


@contextmanager
def scratch_database(name: str, *, keep: bool = False) -> Iterator[bool]:
    """Set Django up on a database of the embedded PostgreSQL; give whether it is new.

    It is made anew and dropped afterwards, or with `keep` made only if missing, and left there.
    """
    if os.environ.get("DATABASE_URL"):
        sys.exit("This benchmark makes a database on the embedded PostgreSQL: unset DATABASE_URL.")
    embedded = start_database()
    maintenance = os.environ[embedded.URL_VARIABLE]
    new = not keep or not _on_server(
        maintenance, "SELECT 1 FROM pg_database WHERE datname = %s", [name]
    )
    os.environ[embedded.URL_VARIABLE] = (
        make(maintenance, name) if new else _address(maintenance, name)
    )
    try:
        call_command = set_up_django()
        from django.db import connection

        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        _collect_files(call_command)
        yield new
        connection.close()
    except BaseException:
        keep = keep and not new  # half a database is of no use
        raise
    finally:
        if not keep:
            drop(maintenance, name)


def _collect_files(call_command: Callable[..., Any]) -> None:
    """Collect the files of pages if they have changed."""
    from django.conf import settings

    manifest = settings.STATIC_ROOT / "staticfiles.json"
    newest = max(path.stat().st_mtime for path in (settings.BASE_DIR / "static").rglob("*"))
    if not manifest.exists() or manifest.stat().st_mtime < newest:
        call_command("collectstatic", interactive=False, clear=True, verbosity=0)


@contextmanager
def empty_database(name: str) -> Iterator[str]:
    """Give the address of an empty database, which is dropped afterwards."""
    embedded = start_database()
    maintenance = os.environ[embedded.URL_VARIABLE]
    try:
        yield make(maintenance, name)
    finally:
        drop(maintenance, name)


def start_database() -> Any:
    """Start the embedded PostgreSQL, unless the settings name another; return its module."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config import embedded

    embedded.start_if_wanted()
    return embedded


def set_up_django() -> Callable[..., Any]:
    """Set Django up; return what calls its commands."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from django.core.management import call_command

    return call_command


def run_in_demo(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function, which calls `load_demo` first, in an installation that ends with it."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the database may run as a user of its own
        return run_apart(function, *arguments, AMBIT_DATA=folder, LOG_LEVEL="ERROR")


def load_demo() -> None:
    """Start the installation under AMBIT_DATA and fill it with the demo."""
    start_database()
    set_up_django()("collectstatic", interactive=False, verbosity=0)
    from demo import loading

    loading.load_demo(lambda words: None)


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
        counted = field.primary_key and not field.remote_field and field.attname not in columns
        if counted or field.generated:
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
