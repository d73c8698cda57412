"""Ctrl-C ends a run of the tests, whatever its workers are waiting for."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.running.machine import alive

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
WAITING = """
import os, time
from pathlib import Path
import psycopg2
from config import embedded

HERE = Path(__file__).parent

def test_that_sleeps():
    (HERE / "sleeps").touch()
    time.sleep(600)

def test_that_waits_for_the_database():
    address = os.environ.get(embedded.URL_VARIABLE) or os.environ["DATABASE_URL"]
    cursor = psycopg2.connect(address).cursor()
    (HERE / "waits").touch()
    cursor.execute("SELECT pg_sleep(600)")
"""


def heed_interrupts():
    """A run in the background is born with interrupts ignored, and so are its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupt_ends_both_workers(tmp_path):
    (tmp_path / "test_waiting.py").write_text(WAITING)
    command = [sys.executable, "-m", "pytest", "-n", "2", "-c", str(ROOT / "pyproject.toml")]
    run = subprocess.Popen(
        [*command, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,  # a group of its own, as a terminal gives it
        preexec_fn=heed_interrupts,
    )
    try:
        started = time.monotonic()
        while not ((tmp_path / "sleeps").exists() and (tmp_path / "waits").exists()):
            assert run.poll() is None, run.stdout.read()
            assert time.monotonic() - started < 200, "the two tests did not begin"
            time.sleep(0.1)
        os.killpg(run.pid, signal.SIGINT)
        printed, _ = run.communicate(timeout=60)
        assert "KeyboardInterrupt" in printed
        assert not alive(run.pid)
    finally:
        if alive(run.pid):
            os.killpg(run.pid, signal.SIGKILL)
