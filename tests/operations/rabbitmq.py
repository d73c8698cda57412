"""A RabbitMQ of our own on loopback ports, with everything it writes in one folder."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.serving import free_port

# Debian's /usr/sbin/rabbitmq-server becomes another person, who may not write into our folder.
PROGRAM = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
START_SECONDS = 180.0  # on a machine that is busy with other things
STOP_SECONDS = 60.0


def installed() -> bool:
    """Say whether Debian's rabbitmq-server is here."""
    return PROGRAM.exists()


@contextlib.contextmanager
def rabbitmq(folder: Path) -> Iterator[str]:
    """Run a server until the end of the block; give its address. It knows no messages yet."""
    folder.mkdir(parents=True)
    port, between, names = free_port(), free_port(), str(free_port())
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": names,
        "RABBITMQ_NODENAME": f"ambit-{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": str(port),
        "RABBITMQ_DIST_PORT": str(between),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}",
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder),
        "RABBITMQ_LOGS": "-",
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
    }
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [PROGRAM], env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        _wait_for(port, server, folder / "log")
        yield f"amqp://guest:guest@127.0.0.1:{port}//"
    finally:
        _end(server)
        # The register of names is a process of its own, which outlives the server.
        subprocess.run(["epmd", "-port", names, "-kill"], capture_output=True, check=False)


def _wait_for(port: int, server: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.2)
    sys.exit(f"RabbitMQ did not start.\n{log.read_text(errors='replace')}")


def _end(server: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGTERM)
    try:
        server.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
