"""Whether this version of Ambit can work on the database: none that is newer, or too old.

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
# The last commit that has each of the migrations that are one for each app now. It brings an older
# database as far as this version needs it.
STEPPING_STONE = "98e42165"
noticed = ""


def find_misfit() -> str:
    """Return a sentence if this version cannot work on the database, "" if it can.

    A process that finds it out writes it into the log, once.
    """
    global noticed
    sentence = describe_misfit(_applied())
    if sentence != noticed:
        noticed = sentence
        if sentence:
            logger.warning(sentence)
    return sentence


def end_on_misfit() -> None:
    """End this process, which is about to start, if this version cannot work on the database.

    One that does not answer is left to whoever uses it.
    """
    try:
        sentence = describe_misfit(_applied())
    except DatabaseError:
        return
    if sentence:
        sys.exit(sentence)


def check_command(arguments: Sequence[str]) -> None:
    """End the program if its command would work on a database that this version cannot use."""
    if embedded.needed_by(list(arguments)) and arguments[1] not in FOR_ANY_DATABASE:
        end_on_misfit()


def describe_misfit(applied: Iterable[str]) -> str:
    """Return why this version cannot work on a database with these migrations, "" if it can."""
    names = list(applied)
    return describe_unknown(unknown_migrations(names)) or describe_missing(
        missing_migrations(names)
    )


def unknown_migrations(applied: Iterable[str]) -> list[str]:
    """Return those of the migrations, written “app.name”, that this version does not have."""
    unknown = set(applied) - set(_in_files())
    if unknown:  # the files are read only now: it takes longer than most commands
        for migration in MigrationLoader(None).disk_migrations.values():
            unknown -= {f"{app}.{name}" for app, name in migration.replaces}
    return sorted(unknown)


def missing_migrations(applied: Iterable[str]) -> list[str]:
    """Return those that the database lacks, written “app.name”, and no file has any more.

    They are part of one that took the place of others. It stands for all of them in a database
    that has them all, and makes a new one; what has only some of them has to get the rest from
    the version that had each.
    """
    names, files = set(applied), set(_in_files())
    if not names or files <= names:
        return []  # new, or up to date: the files need not be read
    missing: set[str] = set()
    for migration in MigrationLoader(None).disk_migrations.values():
        replaced = {f"{app}.{name}" for app, name in migration.replaces}
        if replaced & names:
            missing |= replaced - names - files
    return sorted(missing)


def describe_unknown(unknown: Sequence[str]) -> str:
    """Return what is wrong and what to do about it, "" where nothing is unknown."""
    if not unknown:
        return ""
    return (
        f"The database was changed by a newer version of Ambit. This is {settings.VERSION}, which "
        f"does not know {list_some(unknown)}. Start the newer version, or restore the backup from "
        "before the upgrade."
    )


def describe_missing(missing: Sequence[str]) -> str:
    """Return what is wrong and what to do about it, "" where nothing is missing."""
    if not missing:
        return ""
    return (
        f"The database is too old for this version of Ambit: it lacks {list_some(missing)}. Run "
        f"`migrate` of commit {STEPPING_STONE} on it first, then of this version."
    )


def list_some(migrations: Sequence[str]) -> str:
    """Return the first names of a list, and how many more there are."""
    more = f" and {len(migrations) - NAMED} more" if len(migrations) > NAMED else ""
    return f"{', '.join(migrations[:NAMED])}{more}"


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
