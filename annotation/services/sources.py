"""Accepted work of one project as a file for another: a floor above knows what is accepted.

The file is as a format of `annotation.formats` has it, so that what is copied is imported by the
same path as any file.
"""

import datetime as dt
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from accounts.models import User
from annotation.models import Project


class Give(Protocol):
    """Gives the accepted work of one split of a project, in blocks of bytes."""

    def __call__(
        self, project: Project, split: str, *, by: User | None, now: dt.datetime
    ) -> Iterator[bytes]: ...


class Source(NamedTuple):
    """What a protocol's projects give: the format of the file, and who gives it."""

    format: str
    give: Give
