"""The last lines of a run: what was slow, and what was left out on purpose."""

from types import SimpleNamespace

from tests.budget import name_left_out, name_slow_tests


def report(test, seconds, *markers):
    return SimpleNamespace(nodeid=test, duration=seconds, keywords=dict.fromkeys(markers, 1))


def test_a_test_takes_the_time_of_its_fixtures_too():
    phases = [report("a", 0.5), report("a", 0.75), report("b", 0.5)]
    assert list(name_slow_tests(phases, set())) == [
        "slowest tests, of 1 that took over 1 s with their fixtures:",
        "    1.2 s  a",
    ]


def test_twenty_are_named_and_of_the_others_those_without_a_need():
    slow = [report(f"t{n}", 30 - n) for n in range(20)]
    more = [report("drives", 2, "browser"), report("dawdles", 1.5), report("flies", 0.9)]
    lines = list(name_slow_tests([*slow, *more], {"browser"}))
    assert len(lines) == 1 + 20 + 2
    assert lines[-2:] == [
        "1 more over 1 s, without a marker that says what they need:",
        "    1.5 s  dawdles",
    ]


def test_a_quick_run_says_nothing():
    assert list(name_slow_tests([report("a", 0.1)], set())) == []


def test_what_was_left_out_is_counted_with_the_command_that_runs_it():
    assert list(name_left_out({"browser": 557, "process": 40})) == [
        "557 left out: browser. To run: make test",
        "40 left out: process. To run: make test",
    ]
