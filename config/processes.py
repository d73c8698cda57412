"""Start and stop the processes of a small installation together."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType

GRACE_SECONDS = 15.0


def port_is_free(port: int) -> bool:
    """Say whether something can listen on the loopback port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def web_command(port: int) -> list[str]:
    """Return the Python options that serve a small installation on a port of the loopback."""
    return [
        *("-m", "gunicorn", "config.wsgi", "--preload", "--workers", "2"),
        *("--worker-class", "gthread", "--threads", "8", "--log-level", "warning"),
        *("--bind", f"127.0.0.1:{port}", "--chdir", str(Path(__file__).resolve().parent.parent)),
    ]


class Supervisor:
    """Runs named commands until one ends or a signal comes, then ends all of them."""

    def __init__(self, commands: Mapping[str, Sequence[str]]) -> None:
        self.commands = commands
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.stopping = False

    def run(self, on_started: Callable[[], None]) -> str | None:
        """Run until told to stop. Return None after a signal, else the process that ended early."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._stop)
        try:
            for name, command in self.commands.items():
                # A session of its own: Ctrl-C reaches us, and we end the others in order.
                self.running[name] = subprocess.Popen(  # noqa: S603 - our own commands
                    [sys.executable, *command], start_new_session=True
                )
            on_started()
            while not self.stopping:
                for name, process in self.running.items():
                    if process.poll() is not None:
                        return f"{name} ended with status {process.returncode}"
                time.sleep(0.2)
            return None
        finally:
            self._end_all()

    def alive(self) -> bool:
        """Say whether every process still runs and no stop was requested."""
        return not self.stopping and all(p.poll() is None for p in self.running.values())

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _end_all(self) -> None:
        for process in self.running.values():
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for process in self.running.values():
            try:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
