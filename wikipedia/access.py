"""Who may see the list of snapshots: staff of the installation, and whom floors above name."""

from collections.abc import Callable
from typing import Any

_readers: list[Callable[[Any], bool]] = []


def register_readers(check: Callable[[Any], bool]) -> None:
    """Let the people whom `check` is true of read the list, too."""
    _readers.append(check)


def may_read_list(user: Any) -> bool:
    """Say whether the person may read the list of snapshots."""
    return bool(getattr(user, "is_staff", False)) or any(check(user) for check in _readers)
