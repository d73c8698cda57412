"""What apps register is loaded when it is first asked for.

To load every stage, protocol and extension takes twice as long as the rest of a command's start,
and many commands ask for none. Web servers and workers load them all at their own (`make_all`).
"""

from collections.abc import Callable
from threading import RLock
from typing import Final

# One for all: what a registration loads may ask another registry.
_lock = RLock()


class Registrations:
    """The registrations with one kind of registry, from the `ready()` of apps until it is asked."""

    def __init__(self) -> None:
        self._waiting: list[Callable[[], None]] = []
        self._at_work = False

    def add(self, register: Callable[[], None]) -> None:
        """Let a function, which imports what it registers, wait until that is asked for."""
        self._waiting.append(register)

    def make(self) -> None:
        """Call the functions that wait, in their order. Whatever reads a registry calls this first.

        Other threads wait for the last of them; a registration itself reads what there is so far.
        """
        if not self._waiting:
            return
        with _lock:
            if self._at_work:
                return
            self._at_work = True
            try:
                while self._waiting:
                    self._waiting[0]()
                    del self._waiting[0]
            finally:
                self._at_work = False


STAGES: Final = Registrations()
PROTOCOLS: Final = Registrations()
"""The protocols, the formats that they read, and what models and scores need of them."""
EXTENSIONS: Final = Registrations()


def make_all() -> None:
    """Load everything that apps register, in a process that will need it."""
    for registrations in (STAGES, PROTOCOLS, EXTENSIONS):
        registrations.make()
