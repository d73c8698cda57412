"""Who may see snapshots: installation staff, and people named by higher layers."""

from collections.abc import Callable
from typing import Any

from wikipedia.models import Snapshot

_readers: list[Callable[[Any], bool]] = []
_viewers: list[Callable[[Any, Snapshot], bool]] = []


def register_readers(check: Callable[[Any], bool]) -> None:
    """Let people for whom `check` is true read the list as well."""
    _readers.append(check)


def may_read_list(user: Any) -> bool:
    """Say whether the person may read the list of snapshots."""
    return bool(getattr(user, "is_staff", False)) or any(check(user) for check in _readers)


def register_viewers(check: Callable[[Any, Snapshot], bool]) -> None:
    """Let people for whom `check` is true see the pictures of a snapshot as well."""
    _viewers.append(check)


def may_see_pictures(user: Any, snapshot: Snapshot) -> bool:
    """Say whether the person may see the pictures of a snapshot."""
    return bool(user.is_staff) or any(check(user, snapshot) for check in _viewers)
