"""Reads across snapshots."""

from __future__ import annotations

import logging
from pathlib import Path

from wikipedia.models import Snapshot
from wikipedia.providers.http import contact_problem
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import is_outdated, read_info
from wikipedia.search.searching import check_index

logger = logging.getLogger(__name__)


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
    return {row.name: problem for row in ready if (problem := _problem_of(row))}


def outdated_indexes() -> list[str]:
    """Return the names of the indexes that another version of this program made.

    Those of snapshots and those of passages for models; most of them can still be searched.
    """
    folder = index_dir("")
    folders = sorted(folder.iterdir()) if folder.is_dir() else []
    return [entry.name for entry in folders if is_outdated(entry)]


def index_advice(snapshot: Snapshot) -> str | None:
    """Return a sentence that says how to build an outdated index again, or None if it is not."""
    folder = index_dir(snapshot.name)
    if snapshot.kind != Snapshot.Kind.ZIM or not (read_info(folder) and is_outdated(folder)):
        return None
    return (
        "Its index was made by another version of Ambit, and is searched until you build it "
        f"again: manage.py index_wikipedia {snapshot.archive} --name {snapshot.name}"
    )


def _problem_of(snapshot: Snapshot) -> str | None:
    """Return what is wrong with a snapshot, also where that keeps it from being looked at."""
    try:
        return index_problem(snapshot)
    except Exception as error:  # one bad archive must not hide the others
        logger.exception("snapshot %s cannot be looked at", snapshot.name)
        return f"Snapshot “{snapshot.name}” cannot be looked at: {type(error).__name__}."


def live_problem(snapshot: Snapshot) -> str | None:
    """Return why this installation cannot use a live snapshot, without asking the wiki."""
    problem = contact_problem(snapshot.address)
    return f"Snapshot “{snapshot.name}” cannot be read: {problem}" if problem else None
