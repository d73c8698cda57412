"""Sending a release elsewhere: which files go, where to, and what is said when they do not.

A target is `hub:ORG/NAME` (a data set on the hub of Hugging Face) or `zenodo`. What goes is what a
release writes and nothing else. Tokens come from the environment; none is written or shown.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
from django.conf import settings

from annotation.core.refusals import Conflict

if TYPE_CHECKING:  # a target is read before there is anything to send
    from validation.release.services import Release

HUB, ZENODO = "hub", "zenodo"
TOKENS: Mapping[str, str] = {HUB: "HF_TOKEN", ZENODO: "ZENODO_TOKEN"}
"""The variables of the environment with the tokens."""
SECONDS = 60
"""How long to wait for an answer."""
_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_BLOCK = 1 << 20
_AGAIN = "Start the same command again later: what has arrived is not sent twice."


class PushFailed(Exception):
    """The release was not sent, or not all of it; the text says why and what to do."""


class PushTarget(NamedTuple):
    """Where a release goes: HUB with the name of a repository, or ZENODO."""

    kind: str
    repository: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.repository}" if self.repository else self.kind


@dataclass(frozen=True)
class OutgoingFile:
    """A file of a release under the name that it has elsewhere; `size` in bytes, digests in hex."""

    name: str
    path: Path
    size: int
    sha256: str
    md5: str


@dataclass(frozen=True)
class Outgoing:
    """A written release: its files, and what says what it is.

    `identity` is the same for each release of a layout and split of a project, `version` for each
    with the same data.
    """

    files: tuple[OutgoingFile, ...]
    identity: str
    title: str
    description: str
    version: str
    licence: str

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class Pushed:
    """What came of it: the address, the names of what was sent, how many were there already."""

    address: str
    sent: tuple[str, ...]
    there: int
    note: str = ""


def parse_target(text: str) -> PushTarget:
    """Return the target in text such as “hub:our-lab/crossings”. Raises Conflict."""
    kind, _, repository = text.partition(":")
    if kind == HUB and _REPOSITORY.fullmatch(repository):
        return PushTarget(HUB, repository)
    if text == ZENODO:
        return PushTarget(ZENODO)
    raise Conflict(
        f"“{text}” is not a place to send a release to. It should be hub:ORG/NAME, such as "
        "hub:our-lab/crossings, or zenodo."
    )


def find_token(target: PushTarget) -> str:
    """Return the token for a target. Raises Conflict where the environment has none."""
    token: str = settings.HUB_TOKEN if target.kind == HUB else settings.ZENODO_TOKEN
    if not token:
        raise Conflict(f"{TOKENS[target.kind]} is not set. Set it to a token that may write there.")
    return token


def write_outgoing(release: "Release", folder: Path) -> Outgoing:
    """Write a release into an empty folder; return what would go. Raises OSError."""
    from annotation.exports.files import write_files
    from validation.release.services import CROISSANT

    name = release.file_name
    write_files(release, folder / name)
    files = [_describe(path, _name_elsewhere(release, path.name)) for path in folder.iterdir()]
    described: dict[str, Any] = orjson.loads((folder / f"{name}{CROISSANT}").read_bytes())
    manifest: dict[str, Any] = orjson.loads((folder / f"{name}.manifest.json").read_bytes())
    project, split = release.project, release.split
    return Outgoing(
        files=tuple(sorted(files, key=lambda file: file.name)),
        identity=f"ambit:{project.slug}/{release.format.key}/{split or 'all'}",
        title=f"{project.title}: {release.format.label}{f', {split}' if split else ''}",
        description=described["description"],
        version=described["version"],
        licence=manifest["licence"],
    )


def _name_elsewhere(release: "Release", name: str) -> str:
    """Return the name of a file of a release as a hub shows it: that of a ZIP."""
    ending = name[len(release.file_name) :]
    return release.zip_name(release.file_name, ending) if ending else name


def _describe(path: Path, name: str) -> OutgoingFile:
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            sha256.update(block)
            md5.update(block)
    return OutgoingFile(name, path, path.stat().st_size, sha256.hexdigest(), md5.hexdigest())


def explain_status(where: str, kind: str, status: int, said: str = "") -> str:
    """Return what a refusal means and what to do, by its HTTP status.

    said: what the other side gave as its reason.
    """
    token = TOKENS[kind]
    reason = f" It said: “{' '.join(said.split())[:200]}”." if said.strip() else ""
    if status == 401:
        return f"{where} does not accept the token in {token}. Make a new one there, and set it."
    if status == 403:
        return f"The token in {token} may not write there ({where}). Make one that may.{reason}"
    if status == 404:
        return f"{where} has no such place, or the token in {token} may not see it."
    if status == 409:
        return (
            f"{where} has something else there, or somebody else is sending to it (409).{reason} "
            f"Look at it there first. {_AGAIN}"
        )
    if status == 413:
        return f"{where} does not take files this large (413).{reason}"
    if status == 429:
        return f"{where} asks to wait (429). {_AGAIN}"
    if status >= 500:
        return f"{where} has a problem of its own ({status}). {_AGAIN}"
    return f"{where} refused it ({status}).{reason}"


def explain_silence(where: str, *, late: bool) -> str:
    """Return what to say of a place that did not answer in time (`late`), or not at all."""
    if late:
        return f"{where} did not answer within {SECONDS} seconds. {_AGAIN}"
    return f"{where} cannot be reached. Check its address and the network. {_AGAIN}"
