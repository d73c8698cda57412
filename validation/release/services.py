"""Release accepted work in the official layouts: streamed, the same rows giving the same bytes.

A release is the data with a manifest, a dataset card, a Croissant description and tables. All come
from one snapshot of the database, so that none of them has a decision made meanwhile.
"""

import datetime as dt
from collections.abc import Generator
from contextlib import closing
from typing import Any

from django.db import transaction

from accounts.models import User
from annotation.access.data import check_can_export
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.exports.arrangements import Entry
from annotation.exports.dataset import Content, Dataset, describe_misfit, indent_json
from annotation.exports.format import EXTENSIONS
from annotation.exports.layouts import Layout
from annotation.models import Project, StagePolicy
from annotation.protocols import registry as protocols
from validation.release.card import render_card
from validation.release.croissant import render_croissant
from validation.release.header import render_card_header
from validation.release.manifest import manifest_of
from validation.release.tables import Table, Tables

CARD = ".card.md"
CROISSANT = ".croissant.json"


def layouts_by_key() -> dict[str, Layout]:
    """Return the layouts of all protocols by their keys."""
    return {
        layout.key: layout for protocol in protocols.list_protocols() for layout in protocol.layouts
    }


class Release(Dataset):
    """One release: the data, then its manifest, its dataset card and all else.

    `tables`: their kind, None for none.
    """

    def __init__(
        self, project: Project, format: Layout, split: str | None, tables: str | None
    ) -> None:
        super().__init__(project, format.arrangement, split)
        self.format = format
        self._tables = Tables(tables, format.columns) if tables else None
        self.counts = format.counts()
        self.policies: list[StagePolicy] = []

    @property
    def file_name(self) -> str:
        """The file name of a download of the data."""
        parts = [self.project.slug, *([self.split] if self.split else []), self.format.key]
        return f"{'-'.join(parts)}.{EXTENSIONS[self.format.content_type]}"

    @property
    def content_type(self) -> str:
        """The media type of the data."""
        return self.format.content_type

    def iterate_entries(self) -> Generator[Entry]:
        """Give the records with their splits and ids; count them and what is left out."""
        self.policies = list(self.project.policies.order_by("stage", "split"))
        entries = self.format.iterate_entries(self.project, self.split, self.counts)
        with closing(entries):
            yield from entries

    def encode_entry(self, entry: Entry) -> bytes:
        """Return a record in its layout; add its row to the tables."""
        if self._tables:
            self._tables.add(entry.split, self.format.row(entry.id, entry.record))
        return self.format.encode(entry.record)

    def build_companions(self, file_name: str) -> dict[str, Content]:
        """Return manifest, dataset card, Croissant description, tables, and what a layout adds."""
        described = {CARD: self.build_card(file_name), CROISSANT: self.build_croissant(file_name)}
        tables = {table.ending: table.file for table in self.list_tables()}
        of_layout = self.format.companions(self.counts)
        return {**super().build_companions(file_name), **described, **of_layout, **tables}

    def zip_name(self, file_name: str, ending: str) -> str:
        """Return the name of a companion in a ZIP; a hub shows the file README.md as the card."""
        return "README.md" if ending == CARD else super().zip_name(file_name, ending)

    def close(self) -> None:
        """Remove the temporary files of the tables."""
        if self._tables:
            self._tables.close()

    def list_tables(self) -> list[Table]:
        """Return the tables. Only after `blocks` is read to its end."""
        return self._tables.finish_tables() if self._tables else []

    def build_manifest(self, file_name: str) -> bytes:
        """Return the manifest, as indented JSON. Only after `blocks` is read to its end."""
        return indent_json(self._manifest(file_name))

    def build_card(self, file_name: str) -> bytes:
        """Return the dataset card in Markdown. Only after `blocks` is read to its end."""
        manifest = self._manifest(file_name)
        text = render_card(manifest, self.format, self.project, self.policies)
        return f"{render_card_header(manifest, self.format, self.list_tables())}{text}".encode()

    def build_croissant(self, file_name: str) -> bytes:
        """Return the Croissant description. Only after `blocks` is read to its end."""
        description = f"{self.format.label} of “{self.project.title}”: {self.format.hint}."
        return render_croissant(
            self._manifest(file_name),
            self.format,
            description,
            self.list_tables(),
            begun=self.project.created_at,
        )

    def _manifest(self, file_name: str) -> dict[str, Any]:
        return manifest_of(
            project=self.project,
            format=self.format.key,
            split=self.split,
            written=self.file_entry(file_name),
            counts=self.counts,
        )


@transaction.atomic
def start_release(
    *,
    project: Project,
    format: str,
    split: str | None,
    by: User | None,
    now: dt.datetime,
    tables: str | None = None,
    look_only: bool = False,
) -> Release:
    """Open a release of the accepted work in `split` (None: all), and log who took it.

    Read its `blocks` outside this transaction, and `close` it. Staff only (`by=None`: the
    management command). Raises Conflict if the project does not have the layout, or where
    tables of that kind (None: no tables) cannot be written. Not logged with `look_only`, for what
    is not given to anyone.
    """
    if by is not None:
        check_can_export(by, project)
    own = {layout.key: layout for layout in protocols.protocol_of(project).layouts}
    kind = own.get(format)
    if kind is None:
        layouts = " or ".join(own) or "nothing yet"
        raise Conflict(
            f"{describe_misfit(format, layouts_by_key(), project)} This project is released as "
            f"{layouts}."
        )
    if not look_only:
        known = {"format": format, "split": split or "all"}
        audit.record_action("released", project, by=by, now=now, project=project, **known)
    return Release(project, kind, split, tables)


def record_push(release: Release, place: str, *, by: User | None, now: dt.datetime) -> None:
    """Log that a release was sent to a place that others read."""
    audit.record_action(
        "release_pushed",
        release.project,
        by=by,
        now=now,
        project=release.project,
        format=release.format.key,
        split=release.split or "all",
        place=place,
    )
