"""What the time of a run goes into, and what a quick run left out; printed by tests/conftest.py.

Nothing here fails a test: a machine may be busy. It is there to be read.
"""

from collections import Counter

SLOWEST, LONG = 20, 1.0


def name_slow_tests(reports, needs):
    """Yield lines about the slowest tests, and about long ones without a marker of what they need.

    reports: those of every phase. A test's time is that of its fixtures and its body.
    """
    seconds, marked = Counter(), set()
    for report in reports:
        seconds[report.nodeid] += report.duration
        if needs & report.keywords.keys():
            marked.add(report.nodeid)
    slow = [(test, took) for test, took in seconds.most_common() if took >= LONG]
    if slow:
        yield f"slowest tests, of {len(slow)} that took over {LONG:g} s with their fixtures:"
    yield from (f"{took:7.1f} s  {test}" for test, took in slow[:SLOWEST])
    rest = [(test, took) for test, took in slow[SLOWEST:] if test not in marked]
    if rest:
        yield f"{len(rest)} more over {LONG:g} s, without a marker that says what they need:"
    yield from (f"{took:7.1f} s  {test}" for test, took in rest)


def name_left_out(left_out):
    """Yield a line for each kind of test that was left out on purpose. left_out: marker -> count"""
    for marker, count in Counter(left_out).most_common():
        yield f"{count} left out: {marker}. To run: make test"
