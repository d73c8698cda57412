"""Sending a message to the workers, by way of what `config` registers.

The broker's library takes longer to load than most commands take to run, and few processes send
anything, so this floor does not import it.
"""

from typing import Any, Protocol


class Sender(Protocol):
    """Puts a message for a task, named by its path, onto the queue."""

    def __call__(self, task: str, **arguments: Any) -> None: ...


_senders: list[Sender] = []


def register_sender(sender: Sender) -> None:
    """Use this sender from now on."""
    _senders[:] = [sender]


def send_task(task: str, **arguments: Any) -> None:
    """Send a task to the workers. Raises where the broker is down."""
    (sender,) = _senders
    sender(task, **arguments)
