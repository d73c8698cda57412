"""The web server: granian, whose processes are copies of one that has loaded Ambit.

operations/front.py says how a request comes from it to a thread.
"""

import atexit
import faulthandler
import logging
import multiprocessing
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from operations.front import ThreadedApplication

# Of one process. A thread waits for the database, and is busy for as long as somebody's long upload
# or download takes, so there are more of them than processors; they are started when they are
# needed. Each keeps its connection to the database, with what is prepared there.
THREADS = 8
CONNECTIONS = 1000  # of one process; most of them idle, kept open by browsers
HEAD_BYTES = 64 * 1024  # of a request; what comes in one piece may be twice as long
HEAD_SECONDS = 30  # to send a request's head; a connection without requests is closed after it
STOP_SECONDS = 12  # for running requests to end; operations/processes.py waits a little longer
STUCK_SECONDS = 30


def run_server(
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    socket: Path | None = None,
    workers: int = 2,
    threads: int = THREADS,
    stuck_seconds: float = STUCK_SECONDS,
) -> None:
    """Serve on an address or a Unix socket until a signal comes.

    A process that ends is replaced; one that crashes again at once ends the server.
    """
    from granian import Granian
    from granian.constants import HTTPModes, Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels

    preload_app()
    multiprocessing.set_start_method("fork", force=True)
    granian = Granian(
        "config.wsgi:application",
        address=host,
        port=port,
        uds=socket,
        interface=Interfaces.ASGINL,  # without “lifespan”, which Ambit has nothing to do in
        http=HTTPModes.http1,
        websockets=False,
        workers=workers,
        backpressure=CONNECTIONS,
        http1_settings=HTTP1Settings(
            header_read_timeout=HEAD_SECONDS * 1000, max_buffer_size=HEAD_BYTES
        ),
        respawn_failed_workers=True,
        workers_kill_timeout=STOP_SECONDS,
        log_level=LogLevels(logging.getLevelName(logging.root.level).lower()),
        log_dictconfig=_to_our_log(),
    )
    granian.serve(target_loader=lambda: _application(threads, stuck_seconds), wrap_loader=False)


def preload_app() -> None:
    """Load what every page needs, so that processes started from here share its memory."""
    _share_figures()
    import config.wsgi  # noqa: F401


def _share_figures() -> None:
    """Let the processes count requests in files that all can read (operations/prometheus.py).

    The folder is chosen before the library is loaded, and is deleted as this process ends.
    """
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ or "prometheus_client" in sys.modules:
        return
    folder = tempfile.mkdtemp(prefix="ambit-figures-")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
    atexit.register(_delete, folder, os.getpid())


def _delete(folder: str, owner: int) -> None:
    if os.getpid() == owner:  # and not a copy of it
        shutil.rmtree(folder, ignore_errors=True)


def _application(threads: int, stuck_seconds: float) -> ThreadedApplication:
    """Return what answers requests, in a process that is to answer them."""
    import config.wsgi

    threading.Thread(target=_end_if_stuck, args=[stuck_seconds], daemon=True).start()
    return ThreadedApplication(config.wsgi.application, threads)


def _end_if_stuck(seconds: float) -> None:
    """End this process, saying where it was, if no thread of Python has run for so long.

    A search for a pattern can run for hours, and nothing else runs beside it.
    """
    while True:
        faulthandler.dump_traceback_later(seconds, exit=True)
        time.sleep(seconds / 4)


def _to_our_log() -> dict[str, Any]:
    """Return the settings that let granian's lines go where all others go."""
    return {"formatters": {}, "handlers": {}, "loggers": {"_granian": {"propagate": True}}}
