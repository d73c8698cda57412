"""Start the embedded database before pytest-django reads the settings (loaded with -p)."""

import os
from pathlib import Path

# The tests' own data directory: a demo that runs beside them is left alone.
os.environ.setdefault("AMBIT_DATA", str(Path(__file__).resolve().parent.parent / ".ambit" / "test"))

from config import embedded


def do_not_wait_for_the_disk() -> None:
    """Let the server say "written" at once: no test's rows have to survive a power cut."""
    import psycopg2

    connection = psycopg2.connect(os.environ[embedded.URL_VARIABLE])
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            for name in ("fsync", "full_page_writes", "synchronous_commit"):
                cursor.execute(f"ALTER SYSTEM SET {name} = off")
            cursor.execute("SELECT pg_reload_conf()")
    finally:
        connection.close()


# These settings stay with a server, so no other folder's gets them, and none that runs already.
OURS = embedded.data_dir() == Path(__file__).resolve().parent.parent / ".ambit" / "test"
STARTS = embedded.is_wanted() and embedded.URL_VARIABLE not in os.environ
embedded.start_if_wanted()
if OURS and STARTS:
    do_not_wait_for_the_disk()
