"""A database that every migration has run in, from which each process copies its own.

It stays on the server under a name made of the migrations, so that the next run copies it, too.
"""

import hashlib
import inspect
from contextlib import contextmanager, suppress

import psycopg2
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader

PREFIX = "ambit_template_"
LOCK = 20_260_101  # any number, as long as every process of a run takes the same


def prepare_template() -> str:
    """Return the template's name; the first process makes it while the others wait."""
    name = PREFIX + digest_migrations()
    with maintenance() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [PREFIX])
        existing = {row[0] for row in cursor.fetchall()}
        if name not in existing:
            for old in existing:
                with suppress(psycopg2.errors.ObjectInUse):
                    cursor.execute(f"DROP DATABASE IF EXISTS {old}")
            make_template(cursor, name)
    return name


def make_template(cursor, name: str) -> None:
    """Migrate a new database and give it the name at the end: half a template is never copied."""
    unfinished = f"{PREFIX}unfinished"
    cursor.execute(f"DROP DATABASE IF EXISTS {unfinished}")
    cursor.execute(f"CREATE DATABASE {unfinished} TEMPLATE template0 ENCODING 'UTF8'")
    before = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = unfinished
    try:
        call_command("migrate", verbosity=0)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before
    cursor.execute(f"ALTER DATABASE {unfinished} RENAME TO {name}")


def digest_migrations() -> str:
    """Return what tells the migrations of this checkout and its packages from all others."""
    digest = hashlib.sha256()
    migrations = MigrationLoader(None).disk_migrations
    for key in sorted(migrations):
        digest.update(repr(key).encode())
        digest.update(inspect.getsource(inspect.getmodule(type(migrations[key]))).encode())
    return digest.hexdigest()[:16]


@contextmanager
def maintenance():
    """Give a cursor on the server itself, outside of any transaction."""
    parameters = connection.get_connection_params()
    server = psycopg2.connect(**parameters | {"dbname": "postgres", "cursor_factory": None})
    try:
        server.autocommit = True
        yield server.cursor()
    finally:
        server.close()
