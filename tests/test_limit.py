"""A test that waits for ever is ended, says where it stood, and the others go on."""

import subprocess
import sys
from pathlib import Path

import pytest

# One process of xdist starts all of them at once: they mostly wait.
pytestmark = [pytest.mark.process, pytest.mark.xdist_group("limit")]

ROOT = Path(__file__).resolve().parent.parent
LIMIT = ("-p", "tests.limit", "--limit", "2")
ALONE = ("-c", "/dev/null", "-p", "no:django", "-p", "no:cacheprovider")
AFTER = "def test_the_next_one():\n    pass\n"
WAITS = "def test_it():\n    time.sleep(50)"
PATIENT = "@pytest.mark.patience(2)\n@pytest.mark.filterwarnings('ignore')\n"
SOURCES = {
    "weak reference": "import weakref\nclass Thing:\n    pass\nGONE = weakref.proxy(Thing())\n"
    + WAITS,
    "body": WAITS,
    "patient": f"{PATIENT}def test_it():\n    time.sleep(3)",
    "too patient": f"{PATIENT}{WAITS}",
    "fixture": "@pytest.fixture\n"
    "def place():\n    yield\n    time.sleep(50)\n\n"
    "def test_it(place):\n    assert False, 'first'",
    "greenlet": "def wait_for_the_page():\n    import greenlet\n"
    "    greenlet.greenlet(lambda: time.sleep(50)).switch()\n\n"
    "def test_it():\n    wait_for_the_page()",
    "no signal": "def test_it():\n"
    "    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\n"
    "    time.sleep(50)",
}


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    """Start a run of each of the sources, with a limit of two seconds."""
    runs = {}
    for name, source in SOURCES.items():
        folder = tmp_path_factory.mktemp("waiting")
        path = folder / "test_waiting.py"
        path.write_text(f"import signal, time\nimport greenlet, pytest\n\n{source}\n\n{AFTER}")
        with (printed := folder / "printed.txt").open("w") as file:
            run = subprocess.Popen(
                [sys.executable, "-m", "pytest", *LIMIT, *ALONE, "--rootdir", folder, path],
                cwd=ROOT,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        runs[name] = run, printed
    yield runs
    for run, _ in runs.values():
        run.kill()
        run.wait()


@pytest.fixture
def run(started):
    """Give the exit status of a run, and what was printed."""

    def run(name):
        process, printed = started[name]
        return process.wait(timeout=60), printed.read_text()

    return run


def test_stacks_are_listed_where_a_weak_reference_is_gone(run):
    status, text = run("weak reference")
    assert status == 1
    assert "the call of this test was still running after 2 s" in text


def test_a_body_that_waits(run):
    status, text = run("body")
    assert status == 1
    assert "the call of this test was still running after 2 s" in text
    assert "1 failed, 1 passed" in text


def test_one_for_which_there_is_more_patience(run):
    status, text = run("patient")
    assert (status, "2 passed" in text) == (0, True)
    status, text = run("too patient")
    assert status == 1
    assert "was still running after 4 s" in text


def test_a_fixture_whose_end_waits_after_a_failure(run):
    status, text = run("fixture")
    assert status == 1
    assert "the teardown of this test was still running after 2 s" in text
    assert "1 failed, 1 passed, 1 error" in text


def test_the_stack_of_a_greenlet_that_waits(run):
    """As Playwright waits: the alarm rings in the greenlet that runs the loop."""
    status, text = run("greenlet")
    assert status == 1
    stacks = text.split("Captured stacks call")[1]
    assert "in wait_for_the_page" in stacks
    assert "time.sleep(50)" in stacks


def test_what_no_signal_ends(run):
    status, text = run("no signal")
    assert status == 1
    assert "Timeout (0:00:04.4" in text
    assert "in test_it" in text
    assert "passed" not in text
