"""The installation that the soak torments: all of its processes, its folder and its disk.

PostgreSQL is the embedded one; web server, worker and clock are those of the running guide, started
by `deploy/ambit`; Redis is Debian's where it is installed, and otherwise messages and cache are
kept as the demo keeps them. Everything that Ambit and PostgreSQL write is on a small disk of its
own, where this user may mount one.
"""

import atexit
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psutil

from benchmarks import databases
from benchmarks.harness import ROOT
from benchmarks.hosts_services import Processes
from benchmarks.serving import free_port, postmaster

PARTS = ("web", "worker", "clock")
DISK_MEGABYTES, MEGABYTES_A_MINUTE = 1200, 20
FEW_BYTES = 4096  # the longest file of a process whose files are limited
PROCESSES = 2  # of the web server, and of the worker
DATED, INTERNAL = re.compile(r"\d{4}-\d\d-\d\d "), "Internal Server Error: "
NO_REDIS = (
    "Redis was not lost: redis-server is not on PATH, so messages and cache are in files and in "
    "PostgreSQL, as in the demo."
)
NO_DISK = (
    "The disk of PostgreSQL was not filled, since this user may not mount one: instead no file of "
    "web server and worker could grow beyond 4 kB."
)


class Installation:
    """Ambit on a machine of its own, as far as one can be had without one."""

    def __init__(self, minutes: float) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ambit-soak-"))
        self.folder.chmod(0o755)  # PostgreSQL may run as a user of its own
        self.disk, self.ballast = self.folder / "disk", self.folder / "disk" / "ballast"
        self.disk.mkdir()
        megabytes = DISK_MEGABYTES + round(MEGABYTES_A_MINUTE * minutes)
        self.mounted = _mount(self.disk, megabytes)
        self.data = self.disk / "data"
        self.processes, self.port, self.redis = Processes(self.folder), free_port(), free_port()
        self.has_redis = shutil.which("redis-server") is not None
        self.left_out = [NO_REDIS] * (not self.has_redis) + [NO_DISK] * (not self.mounted)
        # After everything that the start of PostgreSQL registers, and so done last.
        atexit.register(self._remove)

    def settings(self) -> dict[str, str]:
        """Return the environment of every process."""
        ours = ("AMBIT", "DATABASE_URL", "REDIS_URL", "BROKER_URL", "STORAGE_URL")
        outside = {k: v for k, v in os.environ.items() if not k.startswith(ours)}
        return outside | {
            "AMBIT_DATA": str(self.data),
            "AMBIT_SETTINGS": "/dev/null/no-such-file",
            **({"REDIS_URL": f"redis://127.0.0.1:{self.redis}/0"} if self.has_redis else {}),
            "SECRET_KEY": "nobody else ever reads what this installation signs",
            "PSEUDONYM_KEY": "nor whom it names",
            "HTTPS": "False",
            "LOG_LEVEL": "WARNING",
            "PYTHONWARNINGS": "ignore",
            "WEB_PORT": str(self.port),
            "WEB_PROCESSES": str(PROCESSES),
            "WORKER_PROCESSES": str(PROCESSES),
            "C_FORCE_ROOT": "1",
        }

    def prepare(self) -> None:
        """Start PostgreSQL, set Django up on it, and make tables and static files."""
        settings = self.settings()
        os.environ.clear()
        os.environ.update(settings)
        if self.has_redis:
            self.start_redis()
        databases.start_database()
        call_command = databases.set_up_django()
        call_command("migrate", verbosity=0)
        call_command("createcachetable", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)

    def start(self, *parts: str) -> None:
        """Start parts: `web`, `worker`, `clock`."""
        for part in parts:
            self.processes.start(part, [str(ROOT / "deploy" / "ambit"), part])

    def start_ended(self) -> list[str]:
        """Start what has ended on its own, as systemd does; return its names."""
        running = self.processes.running
        ended = [part for part in PARTS if part in running and running[part].poll() is not None]
        for part in ended:
            self.processes.kill(part)  # what it may have left behind
            self.start(part)
        return ended

    def start_redis(self) -> None:
        """Start a Redis that knows nothing."""
        options = ["--bind", "127.0.0.1", "--port", str(self.redis), "--save", ""]
        command = ["redis-server", *options, "--appendonly", "no", "--dir", str(self.folder)]
        self.processes.start("redis", command)

    def list_pids(self, part: str) -> list[int]:
        """Return the ids of a part: that of its first process, then of those it started."""
        process = self.processes.running.get(part)
        if process is None:
            return []
        try:
            children = psutil.Process(process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []
        return [process.pid, *sorted(child.pid for child in children)]

    def kill_one_process(self, part: str) -> None:
        """Kill one that the first process of a part has started and has to start again."""
        os.kill(self.list_pids(part)[-1], signal.SIGKILL)

    def answers(self, path: str = "/readyz") -> bool:
        """Say whether an address answers with 200."""
        try:
            with urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False

    # --- PostgreSQL ---------------------------------------------------------------------------

    def kill_postgres(self) -> None:
        """Kill the first process of PostgreSQL: the others notice and end."""
        os.kill(postmaster(self.data), signal.SIGKILL)

    def revive_postgres(self, seconds: float = 180) -> None:
        """Start PostgreSQL again if it is dead, as soon as the rest of it has gone."""
        from config import embedded

        end = time.monotonic() + seconds
        while True:
            embedded.restart_if_dead()
            if self._postgres_lives():
                return
            if time.monotonic() > end:
                sys.exit(f"PostgreSQL could not be started again within {seconds:.0f} s.")
            time.sleep(0.5)

    def _postgres_lives(self) -> bool:
        import psycopg2

        try:
            psycopg2.connect(os.environ["AMBIT_EMBEDDED_URL"]).close()
        except psycopg2.OperationalError:
            return False
        return True

    # --- the disk -----------------------------------------------------------------------------

    def fill_disk(self) -> None:
        """Take all room on the disk, or where none is mounted let files grow no more."""
        if not self.mounted:
            self._limit_files(FEW_BYTES)
            return
        with self.ballast.open("wb", buffering=0) as file:
            for piece in (1 << 24, 1 << 16, 1 << 12):
                try:
                    while file.write(b"\0" * piece) == piece:
                        pass
                except OSError:
                    continue

    def empty_disk(self) -> None:
        """Give the room back."""
        if self.mounted:
            self.ballast.unlink()
        else:
            self._limit_files(resource.RLIM_INFINITY)

    def _limit_files(self, most: int) -> None:
        for pid in (*self.list_pids("web"), *self.list_pids("worker")):
            hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, hard))

    # --- commands -----------------------------------------------------------------------------

    def manage(self, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of manage.py, as an administrator would."""
        return subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *words],
            env=os.environ | environment,
            capture_output=True,
            text=True,
        )

    def logs(self, lines: int = 40) -> dict[str, Sequence[str]]:
        """Return the last lines that each process has written."""
        return {
            log.stem: log.read_text(errors="replace").splitlines()[-lines:]
            for log in sorted(self.folder.glob("*.log"))
        }

    def list_unexpected(self) -> list[str]:
        """Return what the web server answered with 500: the address and the error, from its log."""
        found: list[str] = []
        told = False  # whether these lines belong to such an answer
        for line in (self.folder / "web.log").read_text(errors="replace").splitlines():
            if DATED.match(line):
                told = INTERNAL in line
                found += [line.partition(INTERNAL)[2][:200]] if told else []
            elif told and line[:1].isalpha() and not line.startswith("Traceback"):
                found[-1] = f"{found[-1].partition(', ')[0]}, {line[:200]}"
        return found

    def close(self) -> None:
        """End all processes but PostgreSQL, which ends with this program."""
        self.processes.close()

    def _remove(self) -> None:
        if self.mounted:
            subprocess.run(["umount", "--lazy", str(self.disk)], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def _mount(folder: Path, megabytes: int) -> bool:
    """Mount a disk in memory; return whether this user may."""
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m,mode=755", "tmpfs", str(folder)]
    try:
        done: Any = subprocess.run(["mount", *options], capture_output=True, check=False)
    except FileNotFoundError:
        return False
    return bool(done.returncode == 0)
