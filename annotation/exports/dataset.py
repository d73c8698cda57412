"""A file of data to send or write: its bytes, counted while they are read, and its manifest."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from typing import Any, BinaryIO

import orjson
from django.conf import settings

from annotation.core.consistent_view import snapshot
from annotation.core.models.projects import Project
from annotation.exports.arrangements import Arrangement, Entry
from annotation.exports.format import Format
from annotation.exports.layouts import Layout

BLOCK = 1 << 16
MANIFEST = ".manifest.json"
Content = bytes | BinaryIO
"""What is in a companion: bytes, or an open file, which is read from its start."""


class Dataset(ABC):
    """One export or release. Read `blocks` to the end, outside a transaction; then all is known.

    `split`: that of all records, None for any.
    """

    def __init__(
        self, project: Project, arrangement: Arrangement, split: str | None = None
    ) -> None:
        self.project = project
        self.arrangement = arrangement
        self.split = split
        self._digest = hashlib.sha256()
        self._bytes = 0
        self._complete = False

    @property
    @abstractmethod
    def file_name(self) -> str:
        """The name a download of the data has."""

    @abstractmethod
    def iterate_entries(self) -> Generator[Entry]:
        """Yield the records, within one snapshot of the database."""

    @abstractmethod
    def encode_entry(self, entry: Entry) -> bytes:
        """Return the bytes of a record as it passes by, once for each."""

    @abstractmethod
    def build_manifest(self, file_name: str) -> bytes:
        """Describe the data, with its digest. Only after `blocks` is read to its end."""

    def build_companions(self, file_name: str) -> dict[str, Content]:
        """Return the files that go with the data, by the ending of their names."""
        return {MANIFEST: self.build_manifest(file_name)}

    def zip_name(self, file_name: str, ending: str) -> str:
        """Return the name that a companion has in a ZIP."""
        return f"{file_name}{ending}"

    def close(self) -> None:  # noqa: B027 - most data need nothing removed
        """Remove what was needed only while the data and its companions were read."""

    def blocks(self) -> Generator[bytes]:
        """Yield the data, in blocks of bytes."""
        with snapshot():
            self.project = Project.objects.select_related("snapshot").get(pk=self.project.pk)
            with closing(self._write_parts()) as pieces, closing(_joined(pieces)) as joined:
                for block in joined:
                    self._digest.update(block)
                    self._bytes += len(block)
                    yield block
        self._complete = True

    def _write_parts(self) -> Generator[bytes]:
        last: Entry | None = None
        with closing(self.iterate_entries()) as entries:
            for entry in entries:
                yield self.arrangement.lead_in(last, entry)
                yield self.encode_entry(entry)
                last = entry
        yield self.arrangement.lead_out(last, self.split)

    def file_entry(self, file_name: str) -> dict[str, Any]:
        """Return name, size and digest, as a manifest has them."""
        if not self._complete:
            raise RuntimeError("The data has not been read to its end.")
        return {"file": file_name, "bytes": self._bytes, "sha256": self._digest.hexdigest()}


def describe_misfit(format: str, known: Mapping[str, Format | Layout], project: Project) -> str:
    """Return why a project is not written in a format: it is of another protocol, or of none."""
    if format not in known:
        return f"There is no format {format!r}."
    return f"{known[format].label} is a layout of another protocol than {project.protocol_label}."


def describe_project(project: Project) -> dict[str, Any]:
    """Return a manifest's entries on the project, its Wikipedia and this software."""
    shown = project.snapshot
    return {
        "project": {
            "slug": project.slug,
            "title": project.title,
            "protocol": project.protocol,
            "reference_date": project.reference_date.isoformat(),
        },
        "snapshot": {
            "name": shown.name,
            "title": shown.title,
            "language": shown.language,
            "as_of": shown.as_of.isoformat(),
            "licence": shown.licence,
        },
        "licence": shown.licence,
        "software": {"name": "Ambit", "version": settings.VERSION},
    }


def indent_json(manifest: Mapping[str, Any]) -> bytes:
    """Return a manifest as indented JSON."""
    return orjson.dumps(manifest, option=orjson.OPT_INDENT_2) + b"\n"


def _joined(parts: Iterator[bytes]) -> Generator[bytes]:
    """Join small parts into blocks large enough to send or write."""
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= BLOCK:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)
