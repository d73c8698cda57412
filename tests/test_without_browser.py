"""Where no browser starts, tests that need one skip; nothing is made for them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]


def test_a_chromium_that_does_not_start_counts_as_none(tmp_path):
    for name in ("chromium-headless-shell", "chromium"):
        (tmp_path / name).symlink_to("/bin/false")
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "pytest", "-n0", "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*command, "tests/browser/test_chromium.py"],
        cwd=ROOT,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout
    assert re.search(r"= \d+ skipped in", run.stdout.splitlines()[-1])
    assert "Chromium does not start" in run.stdout
    assert "To run: make browser" in run.stdout
