"""Release accepted work in the official layouts: streamed, the same rows giving the same bytes.

A release is the data with a manifest and a dataset card. All three come from one snapshot of the
database, so that none of them has a decision made meanwhile.
"""

import datetime as dt
from collections.abc import Generator
from contextlib import closing
from typing import Any

from django.db import transaction

from accounts.models import User
from annotation import protocols
from annotation.models import Project, StagePolicy
from annotation.policies import Conflict
from annotation.policies.data import check_can_export
from annotation.services import audit
from annotation.services.exports.dataset import Dataset, indented
from annotation.services.exports.layouts import Layout
from validation.services.release.manifest import manifest_of

CARD = ".card.md"


def every() -> dict[str, Layout]:
    """Return the layouts of all protocols by their keys."""
    return {layout.key: layout for protocol in protocols.every() for layout in protocol.layouts}


class Release(Dataset):
    """One release: the data, then its manifest and its dataset card."""

    def __init__(self, project: Project, format: Layout, split: str | None) -> None:
        super().__init__(project)
        self.format = format
        self.split = split
        self.counts = format.counts()
        self.policies: list[StagePolicy] = []

    @property
    def file_name(self) -> str:
        """The file name of a download of the data."""
        parts = [self.project.slug, *([self.split] if self.split else []), self.format.key]
        return f"{'-'.join(parts)}.json"

    def parts(self) -> Generator[bytes]:
        """Give the data in pieces."""
        self.policies = list(self.project.policies.order_by("stage", "split"))
        with closing(self.format.parts(self.project, self.split, self.counts)) as pieces:
            yield from pieces

    def companions(self, file_name: str) -> dict[str, bytes]:
        """Return the manifest and the dataset card."""
        return super().companions(file_name) | {CARD: self.card(file_name)}

    def manifest(self, file_name: str) -> bytes:
        """Return the manifest, as indented JSON. Only after `blocks` is read to its end."""
        return indented(self._manifest(file_name))

    def card(self, file_name: str) -> bytes:
        """Return the dataset card in Markdown. Only after `blocks` is read to its end."""
        manifest = self._manifest(file_name)
        return self.format.card(manifest, self.format, self.project, self.policies).encode()

    def _manifest(self, file_name: str) -> dict[str, Any]:
        return manifest_of(
            project=self.project,
            format=self.format.key,
            split=self.split,
            written=self.written(file_name),
            counts=self.counts,
        )


@transaction.atomic
def start_release(
    *, project: Project, format: str, split: str | None, by: User | None, now: dt.datetime
) -> Release:
    """Open a release of the accepted work in `split` (None: all), and log who took it.

    Read its `blocks` outside this transaction. Staff only (`by=None`: the management command).
    Raises Conflict if the layout belongs to another protocol.
    """
    if by is not None:
        check_can_export(by, project)
    own = {layout.key: layout for layout in protocols.of(project).layouts}
    kind = own.get(format)
    if kind is None:
        layouts = " or ".join(own) or "nothing yet"
        raise Conflict(
            f"{every()[format].label} is a layout of another protocol than "
            f"{project.protocol_label}. This project is released as {layouts}."
        )
    audit.record(
        "released", project, by=by, now=now, project=project, format=format, split=split or "all"
    )
    return Release(project, kind, split)
