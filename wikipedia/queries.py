"""Reads across snapshots."""

from __future__ import annotations

from pathlib import Path

from wikipedia.live import live_problem
from wikipedia.models import Snapshot
from wikipedia.providers.zim import index_dir
from wikipedia.search import check_index


def snapshot_named(name: str) -> Snapshot | None:
    """Return the snapshot with this name, whatever its state, or None."""
    return Snapshot.objects.filter(name=name).first()


def index_problem(snapshot: Snapshot) -> str | None:
    """Return a sentence why the snapshot cannot be searched and read, or None if it can."""
    if snapshot.kind == Snapshot.Kind.LIVE:
        return live_problem(snapshot)
    if snapshot.state != Snapshot.State.READY:
        return snapshot.problem or f"Snapshot “{snapshot.name}” is still being indexed."
    if not Path(snapshot.archive).is_file():
        return f"The archive of snapshot “{snapshot.name}” is not at {snapshot.archive} any more."
    return check_index(index_dir(snapshot.name))


def index_problems() -> dict[str, str]:
    """Return a sentence for each snapshot, by its name, whose index cannot be used.

    One that is being indexed for the first time is not in use yet, so it is not a problem.
    """
    ready = Snapshot.objects.filter(state=Snapshot.State.READY).order_by("name")
    return {each.name: problem for each in ready if (problem := index_problem(each))}
