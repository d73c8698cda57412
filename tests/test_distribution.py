"""The processes of a run share the tests by file, and files of a group stay together."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parent.parent
ALONE = ("-c", "/dev/null", "-p", "no:django", "-p", "no:cacheprovider", "-W", "ignore")
TESTS = """
import json, os, time
import pytest

{marks}

@pytest.mark.parametrize("number", range(6))
def test_it(number):
    time.sleep(0.02)  # so that the other process could have the next
    with open({log!r}, "a") as log:
        print(json.dumps(["{name}", os.getpid()]), file=log)
"""
GROUP = 'pytestmark = [pytest.mark.xdist_group("models"), pytest.mark.models]'
FILES = {
    **{"a": "", "b": "", "c": GROUP, "d": "", "e": GROUP},
    "f": "pytestmark = pytest.mark.guide",
    "g": "pytestmark = pytest.mark.browser",
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """For each test, as they were run: the name of its file and the number of its process."""
    folder = tmp_path_factory.mktemp("shared")
    log = str(folder / "log")
    for name, marks in FILES.items():
        source = TESTS.format(marks=marks, log=log, name=name)
        (folder / f"test_{name}.py").write_text(source)
    options = ("-p", "tests.distribution", "-n", "2", "--dist", "loadgroup", *ALONE)
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", folder, folder],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return [json.loads(line) for line in Path(log).read_text().splitlines()]


def processes(rows, *names):
    return {pid for name, pid in rows if name in names}


def test_what_a_module_makes_once_is_made_in_one_process(rows):
    assert len(rows) == 6 * len(FILES)
    assert len(processes(rows, *FILES)) == 2
    assert {name: len(processes(rows, name)) for name in FILES} == dict.fromkeys(FILES, 1)


def test_a_group_is_in_one_process(rows):
    assert len(processes(rows, "c", "e")) == 1


def test_what_takes_longest_comes_first(rows):
    """Else one process has it at the end, and the other has nothing to do."""
    for pid in processes(rows, *FILES):
        own = list(dict.fromkeys(name for name, each in rows if each == pid))
        assert own == sorted(own, key="fcegabd".index)
    assert rows[0][0] in "fc"


@pytest.mark.parametrize(("cores", "processes"), [(2, 3), (64, 8), (None, 2)])
def test_one_process_more_than_cores_up_to_eight(monkeypatch, pytestconfig, cores, processes):
    """As pytest-xdist asks, which has an answer of its own."""
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert pytestconfig.hook.pytest_xdist_auto_num_workers(config=pytestconfig) == processes
