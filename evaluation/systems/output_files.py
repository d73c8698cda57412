"""Files in which a data set's own scorer takes answers, by protocol; floors above register them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, NamedTuple

from annotation import registration
from annotation.imports.records import BadLine, Piece
from annotation.models import Project

Content = Mapping[str, Any]  # what is stored of an answer besides its text (`Output.details`)


class GivenContent(NamedTuple):
    """An answer that came as something else than a text."""

    content: Content


class OutputText(NamedTuple):
    """An answer as it is stored. content: None where it is a text alone."""

    text: str
    author: int | None = None
    content: Content | None = None


@dataclass(frozen=True, kw_only=True)
class OutputFile:
    """The file in which answers come and go besides texts by id.

    label: what it is called; hint: what one writes in it, for the page that imports it; is_like:
    whether the beginning of a file looks like one; cut: a file to its records; parse: a record to
    the id of its question and the answer, raises ValueError with the sentence to show; render:
    answers by question as they are stored, or why one cannot be, raises WrongFormat where they do
    not fit together; holds: the key of what is stored that comes and goes in it; encode: ids,
    texts and of what is stored only that to the file; None where it only comes in.
    """

    label: str
    is_like: Callable[[bytes], bool]
    cut: Callable[[BinaryIO], Iterator[Piece]]
    parse: Callable[[Piece], tuple[str, object]]
    render: Callable[[Mapping[int, Content]], Mapping[int, OutputText | BadLine]]
    hint: str = ""
    holds: str = ""
    encode: Callable[[Iterable[tuple[str, str, Content]]], Iterator[bytes]] | None = None


_files: dict[str, OutputFile] = {}


def register(protocol: str, file: OutputFile) -> None:
    """Register the file of a protocol; what was there before is replaced."""
    _files[protocol] = file


def find_file(project: Project) -> OutputFile | None:
    """Return the file that the answers of a project can come and go in besides texts by id."""
    registration.PROTOCOLS.make()
    return _files.get(project.protocol)
