"""Reads about weights of models on this host. None is loaded."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.conf import settings

from modeling.base import BadOption, MissingModel
from modeling.roles import ROLES
from modeling.weights import (
    HUB_NAME,
    LIBRARIES,
    PACKAGES,
    TRAINED,
    checksum_of,
    count_changed_files,
    find_folder,
    is_folder,
    name_of,
)
from operations.administration.storage.measuring import measure_folder

HERE, MISSING, UNUSED = "here", "missing", "unused"


@dataclass(frozen=True)
class WeightsRow:
    """Weights under one name. roles: parts of models that run on them; bytes: None if not here.

    state: `here`, `missing` with the `problem` and what to do, or `unused` by any role. changed:
    how many files of a package are not those that are pinned, None for other kinds. checksum: the
    SHA-256 by which the hub names a file of weights, "" for other kinds.
    """

    name: str
    kind: str
    roles: Sequence[str]
    bytes: int | None
    state: str
    problem: str = ""
    changed: int | None = None
    checksum: str = ""


@dataclass(frozen=True)
class Machine:
    """What this host has for models. lacking: libraries that are not installed."""

    cores: int
    memory: int
    lacking: Sequence[str]
    endpoint: bool


def describe_machine() -> Machine:
    """Return what this host has."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    lacking = [library for library in LIBRARIES if find_spec(library) is None]
    return Machine(os.cpu_count() or 1, memory, lacking, bool(settings.LLM_URL))


def list_weights() -> list[WeightsRow]:
    """Return the weights that roles name, and those in the hub's cache that none names."""
    roles = defaultdict(list)
    for role in ROLES:
        roles[name_of(role)].append(role)
    cached = {repo.repo_id: repo.size_on_disk for repo in list_cached_models()}
    rows = [_describe(name, roles[name], cached) for name in roles]
    rows += [
        WeightsRow(name, "hub", (), size, UNUSED)
        for name, size in cached.items()
        if name not in roles
    ]
    return sorted(rows, key=lambda row: (row.state == UNUSED, row.state != HERE, row.name))


def _describe(name: str, roles: Sequence[str], cached: dict[str, int]) -> WeightsRow:
    kind = _kind_of(name)
    try:
        folder = find_folder(roles[0], name)
    except (MissingModel, BadOption) as problem:
        return WeightsRow(name, kind, roles, cached.get(name), MISSING, str(problem))
    return WeightsRow(
        name,
        kind,
        roles,
        cached[name] if name in cached else measure_folder(folder)[0],
        HERE,
        changed=count_changed_files(name) if kind == "package" else None,
        checksum=checksum_of(folder) if kind == "hub" else "",
    )


def _kind_of(name: str) -> str:
    if name.startswith(TRAINED):
        return "trained"
    return "package" if name in PACKAGES else "folder" if is_folder(name) else "hub"


def list_cached_models() -> Iterator[Any]:
    """Yield what the hub's cache holds of models: none where its library is not installed."""
    if find_spec("huggingface_hub") is None:
        return
    # A second; only this page needs it.
    from huggingface_hub import CacheNotFound, scan_cache_dir

    try:
        found = scan_cache_dir()
    except CacheNotFound:
        return
    yield from (repo for repo in found.repos if repo.repo_type == "model")


def is_used(name: str) -> bool:
    """Whether a role of this installation names these weights."""
    return name in {name_of(role) for role in ROLES}


def is_hub_name(name: str) -> bool:
    """Whether this can be the name of a model of the hub."""
    return HUB_NAME.fullmatch(name) is not None


def converted_bytes() -> int:
    """Return what weights converted for the fast engine take."""
    size, _ = measure_folder(Path(settings.AMBIT_DATA) / "models")
    return size
