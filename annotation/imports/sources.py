"""Accepted work of one project as a file for another. Higher layers say what is accepted.

The file has a format of `annotation.imports.formats`, so that copied work is imported in the same
way as any file.
"""

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from accounts.models import User
from annotation.core.models.projects import Project


class AcceptedWorkReader(Protocol):
    """Gives the accepted work of one split of a project, in blocks of bytes."""

    def __call__(
        self, project: Project, split: str, *, by: User | None, now: dt.datetime
    ) -> Iterator[bytes]: ...


class Source(NamedTuple):
    """The format of a protocol's file of accepted work, and the function that yields it."""

    format: str
    give: AcceptedWorkReader
