"""Who may see the list of snapshots: installation staff, and people named by higher layers."""

from collections.abc import Callable
from typing import Any

_readers: list[Callable[[Any], bool]] = []


def register_readers(check: Callable[[Any], bool]) -> None:
    """Let people for whom `check` is true read the list as well."""
    _readers.append(check)


def may_read_list(user: Any) -> bool:
    """Say whether the person may read the list of snapshots."""
    return bool(getattr(user, "is_staff", False)) or any(check(user) for check in _readers)
