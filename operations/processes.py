"""Start and stop the processes of a small installation together."""

import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from types import FrameType

GRACE_SECONDS = 15.0
WATCH_SECONDS = 5.0
FORK = multiprocessing.get_context("fork")
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def port_is_free(port: int) -> bool:
    """Say whether something can listen on the loopback port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


class Supervisor:
    """Runs named jobs until one ends or a signal comes, then ends all of them.

    Each job is a copy of this process and shares the memory of what is loaded by then.
    """

    def __init__(self, jobs: Mapping[str, Callable[[], object]]) -> None:
        self.jobs = jobs
        self.running: dict[str, BaseProcess] = {}
        self.stopping = False

    def run(
        self, on_started: Callable[[], None], watch: Callable[[], object] = lambda: None
    ) -> str | None:
        """Run until told to stop. Return None after a signal, else the process that ended early.

        `watch` is called every few seconds meanwhile.
        """
        for number in SIGNALS:
            signal.signal(number, self._stop)
        try:
            for name, job in self.jobs.items():
                self.running[name] = FORK.Process(target=_apart, args=[job])
                self.running[name].start()
            on_started()
            watched = time.monotonic()
            while not self.stopping:
                for name, process in self.running.items():
                    if process.exitcode is not None:
                        return f"{name} ended with status {process.exitcode}"
                if time.monotonic() - watched > WATCH_SECONDS:
                    watch()
                    watched = time.monotonic()
                time.sleep(0.2)
            return None
        finally:
            self._end_all()

    def is_alive(self) -> bool:
        """Say whether every process still runs and no stop was requested."""
        return not self.stopping and all(p.is_alive() for p in self.running.values())

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stopping = True

    def _end_all(self) -> None:
        for process in self.running.values():
            process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        for process in self.running.values():
            process.join(max(0.1, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


def _apart(job: Callable[[], object]) -> None:
    """Do the job in a session of its own: Ctrl-C reaches the supervisor, which ends us in order."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    os.setsid()
    job()
