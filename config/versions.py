"""Whether the database was changed by a newer version of Ambit than this one.

A migration that was ever applied keeps its name: in a file, or in `replaces` of the one that took
its place. A version that drops an app deletes its rows of `django_migrations`.
"""

import logging
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from pkgutil import iter_modules

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, ProgrammingError, connection
from django.db.migrations.loader import MigrationLoader

from config import embedded

logger = logging.getLogger(__name__)
# Commands that show what is in the database, or are the way back to the version before.
# `check` and `migrate` have a look of their own, at the database that they are asked about.
FOR_ANY_DATABASE = {"backup", "restore", "check", "migrate", "showmigrations", "makemigrations"}
NAMED = 3  # migrations in a sentence; a version may have many
noticed = ""


def newer_database() -> str:
    """Return a sentence if the database is of a newer version, "" if not.

    A process that finds it out writes it into the log, once.
    """
    global noticed
    sentence = describe_unknown(unknown_migrations(_applied()))
    if sentence != noticed:
        noticed = sentence
        if sentence:
            logger.warning(sentence)
    return sentence


def end_if_newer() -> None:
    """End this process, which is about to start, if the database is of a newer version.

    One that does not answer is left to whoever uses it.
    """
    try:
        sentence = describe_unknown(unknown_migrations(_applied()))
    except DatabaseError:
        return
    if sentence:
        sys.exit(sentence)


def check_command(arguments: Sequence[str]) -> None:
    """End the program if its command would work on the database of a newer version."""
    if embedded.needed_by(list(arguments)) and arguments[1] not in FOR_ANY_DATABASE:
        end_if_newer()


def unknown_migrations(applied: Iterable[str]) -> list[str]:
    """Return those of the migrations, written “app.name”, that this version does not have."""
    unknown = set(applied) - set(_in_files())
    if unknown:  # the files are read only now: it takes longer than most commands
        for migration in MigrationLoader(None).disk_migrations.values():
            unknown -= {f"{app}.{name}" for app, name in migration.replaces}
    return sorted(unknown)


def describe_unknown(unknown: Sequence[str]) -> str:
    """Return what is wrong and what to do about it, "" where nothing is unknown."""
    if not unknown:
        return ""
    more = f" and {len(unknown) - NAMED} more" if len(unknown) > NAMED else ""
    return (
        f"The database was changed by a newer version of Ambit. This is {settings.VERSION}, which "
        f"does not know {', '.join(unknown[:NAMED])}{more}. Start the newer version, or restore "
        "the backup from before the upgrade."
    )


def _applied() -> list[str]:
    with connection.cursor() as cursor:
        try:
            cursor.execute("SELECT app || '.' || name FROM django_migrations")
        except ProgrammingError:  # no table: nothing has been applied
            return []
        return [row for (row,) in cursor.fetchall()]


def _in_files() -> Iterable[str]:
    for app in apps.get_app_configs():
        module, _ = MigrationLoader.migrations_module(app.label)
        try:
            folder = import_module(module or "").__path__
        except (ModuleNotFoundError, ValueError):
            continue  # it has none
        yield from (f"{app.label}.{file.name}" for file in iter_modules(folder))
