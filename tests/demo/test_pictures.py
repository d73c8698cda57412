"""The pictures of README and site are taken from a demo that was just started.

`make pictures` runs this with AMBIT_PICTURES=docs/img, which is how they get there.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from benchmarks.serving import free_port
from docs import take_screenshots
from tests.running.machine import alive

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.process]
ROOT = Path(__file__).resolve().parents[2]
OF_THE_TESTS = ("AMBIT_", "DATABASE_URL", "DJANGO_SETTINGS_MODULE", "PYTEST")


@pytest.fixture
def demo(tmp_path):
    """The environment of a demo that serves, and its address."""
    port = free_port()
    inherited = {
        name: each for name, each in os.environ.items() if not name.startswith(OF_THE_TESTS)
    }
    environment = inherited | {"AMBIT_DATA": str(tmp_path / "data"), "AMBIT_PORT": str(port)}
    started = subprocess.Popen(
        [sys.executable, "manage.py", "demo"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        for line in started.stdout:
            if "Ctrl-C stops everything" in line:
                break
        yield environment, f"http://127.0.0.1:{port}"
        os.killpg(started.pid, signal.SIGINT)
        started.communicate(timeout=60)
    finally:
        if alive(started.pid):
            os.killpg(started.pid, signal.SIGKILL)


@pytest.mark.patience(4)
def test_every_picture_is_taken(demo, tmp_path):
    environment, address = demo
    folder = Path(os.environ.get("AMBIT_PICTURES") or tmp_path / "img").resolve()
    environment["AMBIT_PICTURES"] = str(folder)
    names = [picture.__name__ for picture in take_screenshots.PICTURES]
    before = {
        name: (folder / f"{name}.png").stat().st_mtime_ns for name in names if folder.exists()
    }
    command = [sys.executable, "-m", "docs.take_screenshots", address]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    for name in names:
        path = folder / f"{name}.png"
        assert path.stat().st_mtime_ns != before.get(name)
        with Image.open(path) as picture:
            assert picture.size == (1440, 900)
            assert len(picture.convert("L").getcolors()) > 20  # not a blank page
