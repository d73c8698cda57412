"""What apps register: loaded once, in their order, when it is first asked for."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from annotation.registration import Registrations


def test_what_waits_is_called_once_and_in_order_when_it_is_asked_for():
    registrations, called = Registrations(), []
    for name in "abc":
        registrations.add(lambda name=name: called.append(name))
    assert called == []

    registrations.make()
    registrations.make()
    assert called == ["a", "b", "c"]

    registrations.add(lambda: called.append("d"))
    registrations.make()
    assert called == ["a", "b", "c", "d"]


def test_a_registration_that_asks_sees_those_before_it():
    registrations, called = Registrations(), []

    def ask():
        registrations.make()
        called.append(list(called))

    for register in (lambda: called.append("a"), ask, lambda: called.append("b")):
        registrations.add(register)
    registrations.make()

    assert called == ["a", ["a"], "b"]


def test_who_asks_meanwhile_waits_until_all_are_there():
    registrations, called = Registrations(), []
    begun, may_end = Event(), Event()

    def take_long():
        begun.set()
        assert may_end.wait(10)
        called.append("long")

    registrations.add(take_long)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(registrations.make)
        assert begun.wait(10)
        second = threads.submit(lambda: (registrations.make(), list(called))[1])
        assert not second.done()
        may_end.set()
        first.result(10)
        assert second.result(10) == ["long"]


def test_one_that_fails_is_called_again_and_those_before_it_are_not():
    registrations, called = Registrations(), []

    def fail_once():
        called.append("failing")
        if called.count("failing") == 1:
            raise ImportError("no such module")

    registrations.add(lambda: called.append("a"))
    registrations.add(fail_once)
    with pytest.raises(ImportError):
        registrations.make()
    registrations.make()

    assert called == ["a", "failing", "failing"]
