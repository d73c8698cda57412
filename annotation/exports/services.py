"""Exports, streamed in bounded memory; the same rows give the same bytes."""

import datetime as dt
from collections.abc import Generator

from django.db import transaction

from accounts.models import User
from annotation.access.data import check_can_export
from annotation.core import audit
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.exports.arrangements import ARRAY, LINES, Entry
from annotation.exports.dataset import Dataset, describe_misfit, describe_project, indent_json
from annotation.exports.format import EXTENSIONS, JSON, Format
from annotation.exports.selection import Selection
from annotation.protocols import registry as protocols

SCHEMA_VERSION = 1
"""Of the manifest."""


def formats_by_key() -> dict[str, Format]:
    """Return the formats of every protocol by their keys."""
    return {
        entry.key: entry for protocol in protocols.list_protocols() for entry in protocol.exports
    }


class Export(Dataset):
    """A download: its name, its type, its bytes, and the manifest once these are read."""

    def __init__(self, project: Project, format: Format, chosen: Selection) -> None:
        super().__init__(project, ARRAY if format.content_type == JSON else LINES)
        self.format = format
        self.chosen = chosen
        self.records = -format.headings

    @property
    def file_name(self) -> str:
        """The file's name, which tells the project, the format and the filters."""
        parts = [self.project.slug, *self.chosen.words(), self.format.key]
        return f"{'-'.join(parts)}.{EXTENSIONS[self.format.content_type]}"

    @property
    def content_type(self) -> str:
        """The media type of the data."""
        return self.format.content_type

    def iterate_entries(self) -> Generator[Entry]:
        """Yield the records, encoded."""
        for record in self.format.records(self.project, self.chosen):
            yield Entry(record)

    def encode_entry(self, entry: Entry) -> bytes:
        """Return the record; count it."""
        self.records += 1
        encoded: bytes = entry.record
        return encoded

    def build_manifest(self, file_name: str) -> bytes:
        """Return the manifest, as indented JSON. Only after `blocks` is read to its end."""
        manifest = {
            "schema_version": SCHEMA_VERSION,
            "format": self.format.key,
            "filters": self.chosen.as_json(),
            **self.file_entry(file_name),
            "counts": {"records": self.records},
            **describe_project(self.project),
        }
        return indent_json(manifest)


@transaction.atomic
def start_export(
    *,
    project: Project,
    format: str,
    chosen: Selection = Selection(),  # noqa: B008 - it cannot be changed
    by: User | None,
    now: dt.datetime,
) -> Export:
    """Open an export of the selection, and log who started it.

    Read `blocks` outside this transaction; they come from one snapshot of the database. Staff only
    (`by=None`: a command on the server). Raises Conflict if the project does not have the
    format, or it cannot hold what was chosen.
    """
    if by is not None:
        check_can_export(by, project)
    own = {entry.key: entry for entry in protocols.protocol_of(project).exports}
    kind = own.get(format)
    if kind is None:
        raise Conflict(
            f"{describe_misfit(format, formats_by_key(), project)} This project is exported as "
            f"{', '.join(own)}."
        )
    if chosen.study is not None and str(chosen.study) not in dict(kind.studies(project)):
        raise Conflict(f"{kind.label} cannot be limited to study {chosen.study}.")
    kind.check(project, chosen)
    filters = {name: value for name, value in chosen.as_json().items() if value}
    taken = {"format": format, "split": "all", **filters}
    audit.record_action("exported", project, by=by, now=now, project=project, **taken)
    return Export(project, kind, chosen)
