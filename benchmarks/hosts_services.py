"""What the rehearsal of several hosts starts: the services that they share, and the hosts.

Everything is a process of this machine on a loopback port, under one folder in /tmp. A host has a
data folder of its own and the processes of the running guide, started by `deploy/ambit`.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import databases
from benchmarks.harness import ROOT
from benchmarks.serving import free_port

KEYS = ("key", "not-a-secret")
BUCKET = "rehearsal"
STOP_SECONDS = 90.0
START_SECONDS = 180.0  # on a machine that is busy with other things


class Processes:
    """Processes that are started by name, each with a log, and ended together."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, command: Sequence[str], **options: Any) -> None:
        """Start a process, and those that it starts, in a session of its own."""
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, **options
            )

    def kill(self, name: str) -> None:
        """End a process and whatever it started at once, as when the power fails."""
        process = self.running.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self, name: str) -> float:
        """End a process in order, as systemd does; return how many seconds that took.

        Raises subprocess.TimeoutExpired if it does not end.
        """
        process, begin = self.running[name], time.monotonic()
        process.terminate()
        process.wait(timeout=STOP_SECONDS)
        del self.running[name]
        return time.monotonic() - begin

    def close(self) -> None:
        """End all of them, the last one first."""
        for name in reversed(list(self.running)):
            self.kill(name)

    def wait_until(self, ready: Callable[[], bool], what: str) -> None:
        """Wait for something that a process does once it has started."""
        end = time.monotonic() + START_SECONDS
        while not ready():
            if time.monotonic() > end:
                logs = [log.read_text(errors="replace") for log in self.folder.glob("*.log")]
                sys.exit(f"{what} did not start within {START_SECONDS:.0f} s.\n{''.join(logs)}")
            time.sleep(0.1)


class Shared:
    """PostgreSQL, Redis and a bucket: what all hosts use."""

    def __init__(self, folder: Path, broker: str, database: str) -> None:
        self.folder, self.processes = folder, Processes(folder)
        self.broker, self.database = broker, database
        self.redis, self.bucket = free_port(), f"http://127.0.0.1:{free_port()}"

    def start(self) -> None:
        """Start the services and wait until they answer."""
        self.start_redis()
        address = ["-H", "127.0.0.1", "-p", self.bucket.rpartition(":")[2]]
        self.processes.start("bucket", [sys.executable, "-m", "moto.server", *address])
        self.processes.wait_until(self._bucket_is_made, "The server of the bucket")

    def _bucket_is_made(self) -> bool:
        import boto3
        from botocore.exceptions import BotoCoreError

        key, secret = KEYS
        client = boto3.client(
            "s3", endpoint_url=self.bucket, region_name="us-east-1", aws_access_key_id=key,
            aws_secret_access_key=secret,
        )  # fmt: skip
        try:
            client.create_bucket(Bucket=BUCKET)
        except BotoCoreError:
            return False
        return True

    def start_redis(self) -> None:
        """Start a Redis that knows nothing."""
        options = ["--bind", "127.0.0.1", "--port", str(self.redis), "--save", ""]
        command = ["redis-server", *options, "--appendonly", "no", "--dir", str(self.folder)]
        self.processes.start("redis", command)

    def environment(self, data: Path) -> dict[str, str]:
        """Return the settings of a host whose data are in this folder."""
        storage = f"s3://{':'.join(KEYS)}@{BUCKET}?endpoint={self.bucket}&region=us-east-1"
        return {name: value for name, value in os.environ.items() if "AMBIT" not in name} | {
            "AMBIT_DATA": str(data),
            "AMBIT_SETTINGS": "/dev/null/no-such-file",
            "DATABASE_URL": self.database,
            "REDIS_URL": f"redis://127.0.0.1:{self.redis}/0",
            "BROKER_URL": self.broker,
            "STORAGE_URL": storage,
            "SECRET_KEY": "nobody else ever reads what this rehearsal signs",
            "ALLOWED_HOSTS": "127.0.0.1,localhost",
            "HTTPS": "False",
            "LOG_LEVEL": "WARNING",
            "PYTHONWARNINGS": "ignore",
            "WEB_PROCESSES": "1",
            "WORKER_PROCESSES": "1",
            "C_FORCE_ROOT": "1",
        }


class Host:
    """A web server and a worker, and on one host the clock, with a data folder of their own."""

    def __init__(self, number: int, shared: Shared) -> None:
        self.name, self.processes, self.port = f"host-{number}", shared.processes, free_port()
        data = shared.folder / self.name
        shutil.copytree(shared.folder / "driver" / "static", data / "static")
        self.environment = shared.environment(data) | {"WEB_PORT": str(self.port)}
        self.parts = ("web", "worker", "clock") if number == 1 else ("web", "worker")

    def start(self) -> None:
        """Start its processes."""
        for part in self.parts:
            command = [str(ROOT / "deploy" / "ambit"), part]
            self.processes.start(f"{self.name}-{part}", command, env=self.environment)

    def kill(self) -> None:
        """Let the power fail."""
        for part in self.parts:
            self.processes.kill(f"{self.name}-{part}")

    def answers(self) -> bool:
        """Say whether it shows the page for signing in."""
        from urllib.request import urlopen

        try:
            with urlopen(f"http://127.0.0.1:{self.port}/account/login/", timeout=10) as reply:
                return bool(reply.status == 200)
        except OSError:
            return False


@contextlib.contextmanager
def running_services(broker: str, database: str) -> Iterator[Shared]:
    """Start what hosts share, set Django up on it, and end everything afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="ambit-hosts-"))
    folder.chmod(0o755)
    shared = Shared(folder, broker, database)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("The rehearsal was stopped."))
    try:
        shared.start()
        for name in [name for name in os.environ if "AMBIT" in name]:
            del os.environ[name]
        os.environ.update(shared.environment(folder / "driver"))
        call_command = databases.set_up_django()
        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        yield shared
    finally:
        shared.processes.close()
        shutil.rmtree(folder, ignore_errors=True)
