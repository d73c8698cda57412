"""The processes of a small installation start and end together."""

import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import os, sys, time
from config.processes import Supervisor

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
