"""A test that waits for ever is ended, says where it stood, and the others go on."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parent.parent
LIMIT = ("-p", "tests.limit", "--limit", "2")
ALONE = ("-c", "/dev/null", "-p", "no:django", "-p", "no:cacheprovider")
AFTER = "def test_the_next_one():\n    pass\n"


@pytest.fixture
def run(tmp_path):
    """Run these tests with a limit of two seconds; gives the exit status and what was printed."""

    def run(source):
        path = tmp_path / "test_waiting.py"
        path.write_text(f"import signal, time\nimport greenlet, pytest\n\n{source}\n\n{AFTER}")
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", *LIMIT, *ALONE, "--rootdir", tmp_path, path],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return ended.returncode, ended.stdout + ended.stderr

    return run


def test_stacks_are_listed_where_a_weak_reference_is_gone(run):
    gone = "import weakref\nclass Thing:\n    pass\nGONE = weakref.proxy(Thing())\n"
    status, text = run(f"{gone}def test_it():\n    time.sleep(50)")
    assert status == 1
    assert "the call of this test was still running after 2 s" in text


def test_a_body_that_waits(run):
    status, text = run("def test_it():\n    time.sleep(50)")
    assert status == 1
    assert "the call of this test was still running after 2 s" in text
    assert "1 failed, 1 passed" in text


def test_one_for_which_there_is_more_patience(run):
    mark = "@pytest.mark.patience(2)\n@pytest.mark.filterwarnings('ignore')\n"
    status, text = run(f"{mark}def test_it():\n    time.sleep(3)")
    assert (status, "2 passed" in text) == (0, True)
    status, text = run(f"{mark}def test_it():\n    time.sleep(50)")
    assert status == 1
    assert "was still running after 4 s" in text


def test_a_fixture_whose_end_waits_after_a_failure(run):
    status, text = run(
        "@pytest.fixture\n"
        "def place():\n    yield\n    time.sleep(50)\n\n"
        "def test_it(place):\n    assert False, 'first'"
    )
    assert status == 1
    assert "the teardown of this test was still running after 2 s" in text
    assert "1 failed, 1 passed, 1 error" in text


def test_the_stack_of_a_greenlet_that_waits(run):
    """As Playwright waits: the alarm rings in the greenlet that runs the loop."""
    status, text = run(
        "def wait_for_the_page():\n    import greenlet\n"
        "    greenlet.greenlet(lambda: time.sleep(50)).switch()\n\n"
        "def test_it():\n    wait_for_the_page()"
    )
    assert status == 1
    stacks = text.split("Captured stacks call")[1]
    assert "in wait_for_the_page" in stacks
    assert "time.sleep(50)" in stacks


def test_what_no_signal_ends(run):
    status, text = run(
        "def test_it():\n"
        "    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})\n"
        "    time.sleep(50)"
    )
    assert status == 1
    assert "Timeout (0:00:04.4" in text
    assert "in test_it" in text
    assert "passed" not in text
