"""No test waits for ever: past its limit it fails, and its report has every stack (loaded with -p).

The fixtures, the body and the end of a test have the limit each, so that a test which failed
cannot hang while it is cleared up. Playwright waits in greenlets: their stacks are listed, too.
What no signal interrupts, such as waiting for a lock of the database, ends the process with its
stacks on stderr; pytest-xdist reports the test and starts another worker.
"""

import faulthandler
import gc
import os
import signal
import sys
import threading
import traceback

import pytest

CUT = pytest.StashKey[bool]()  # a phase of this test was ended
STDERR = pytest.StashKey[int]()


def pytest_addoption(parser):
    parser.addoption(
        "--limit",
        type=float,
        default=300,
        metavar="SECONDS",
        help="end a test whose fixtures, body or clearing up take longer; 0 for no limit",
    )


def pytest_configure(config):
    # While a test runs, the usual descriptor is pytest's own.
    config.stash[STDERR] = os.dup(sys.__stderr__.fileno())


def pytest_unconfigure(config):
    os.close(config.stash[STDERR])


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    return (yield from limited(item, "setup"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    return (yield from limited(item, "call"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item):
    return (yield from limited(item, "teardown"))


def pytest_enter_pdb():
    signal.setitimer(signal.ITIMER_REAL, 0)
    faulthandler.cancel_dump_traceback_later()


def limited(item, phase):
    """Run the phase; an alarm ends it at the limit, and the end of the process later.

    Listing the stacks of greenlets takes seconds on a busy machine.
    """
    limit = item.config.getoption("limit")
    if not limit:
        return (yield)
    if patience := item.get_closest_marker("patience"):
        limit *= patience.args[0]

    def ring(number, frame):
        item.stash[CUT] = True
        item.add_report_section(phase, "stacks", "\n".join(stacks()))
        pytest.fail(f"the {phase} of this test was still running after {limit:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit)
    faulthandler.dump_traceback_later(limit * 1.2 + 2, exit=True, file=item.config.stash[STDERR])
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()
        signal.signal(signal.SIGALRM, before)


def stacks():
    """Give the stack of every thread and of every greenlet that waits."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    for ident, frame in sys._current_frames().items():
        yield f"~~ thread {names.get(ident, ident)}\n{shown(frame)}"
    if greenlets := sys.modules.get("greenlet"):
        for waiting in gc.get_objects():
            # Not isinstance: a proxy of what is gone raises when it is asked for its class.
            if issubclass(type(waiting), greenlets.greenlet) and waiting.gr_frame:
                yield f"~~ {waiting}\n{shown(waiting.gr_frame)}"


def shown(frame):
    """Give the innermost calls: the outer ones are pytest's."""
    return "".join(traceback.format_stack(frame)[-20:])
