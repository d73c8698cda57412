"""Servers under measurement: started as in production, with the processor time they use."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


@contextmanager
def served_web(**environment: str) -> Iterator[tuple[int, dict[str, int]]]:
    """Serve Ambit on the embedded database, with two processes, as the demo does.

    Gives the port, and the ids of the processes at work: "web" and "database".
    """
    from config import embedded

    port, root = free_port(), Path(str(import_module("config").__path__[0])).parent
    command = [sys.executable, str(root / "manage.py"), "web", "--port", str(port)]
    environment = {**os.environ, "LOG_LEVEL": "ERROR", **environment}
    with served(command, port, env=environment) as web:
        yield port, {"web": web, "database": postmaster(embedded.data_dir())}


@contextmanager
def served(command: Sequence[str], port: int, **options: object) -> Iterator[int]:
    """Run a server until the end of the block; give its process id."""
    server = subprocess.Popen(command, **options)  # type: ignore[call-overload]
    try:
        _wait_for(port, server)
        yield server.pid
    finally:
        server.terminate()
        server.wait(timeout=30)


def free_port() -> int:
    """Return a port of the loopback that no one listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    sys.exit("The server did not start within 60 s.")


def postmaster(directory: Path) -> int:
    """Return the process id of the embedded PostgreSQL under this data directory."""
    return int((directory / "postgresql" / "postmaster.pid").read_text().split()[0])


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process and its descendants, those that ended included."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0  # it has just ended; its parent has its time
    own = sum(map(int, fields[11:15])) / _TICKS
    return own + sum(processor_seconds(int(child)) for child in children)
