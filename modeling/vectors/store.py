"""Where vectors of passages are, what they were made of, and whether they still fit.

Each encoder has a folder beside the index of the passages. `current.json` in it names the version
that is searched, and is replaced in one step.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from modeling.base import BadOption, MissingModel
from modeling.weights import Weights, get_weights
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import IndexInfo
from wikipedia.search.index import read_info as read_passages

FORMAT: Final = 1
POINTER: Final = "current.json"
DPR: Final = "dpr"
ENCODERS: Final = ("minilm", DPR)  # those that need no other name


@dataclass(frozen=True, slots=True)
class VectorsInfo:
    """The facts about finished vectors.

    passages: folder of the index whose passages they are of; weights: version of those that made
    them; kind: "flat", "hnsw" or "ivf"; size: numbers in a vector.
    """

    format: int
    folder: str
    passages: str
    encoder: str
    weights: str
    kind: str
    count: int
    size: int


def question_weights(encoder: str) -> Weights:
    """Return the weights that read questions. Raises MissingModel, BadOption."""
    return _weights("question-encoder", encoder)


def passage_weights(encoder: str) -> Weights:
    """Return the weights that read passages. Raises MissingModel, BadOption."""
    return _weights("passage-encoder", encoder)


def _weights(role: str, encoder: str) -> Weights:
    if not encoder:
        raise BadOption(f"Name an encoder: {', '.join(ENCODERS)}, or a model.")
    if find_spec("faiss") is None:
        raise MissingModel(
            "faiss is not installed here, which searches vectors. Run “make models” in Ambit's "
            "folder (docs/models.md)."
        )
    return get_weights(role, "" if encoder == DPR else encoder)


def vectors_dir(name: str, encoder: str) -> Path:
    """Return the folder of a snapshot's vectors by one encoder."""
    if encoder in ENCODERS:
        return index_dir(name) / "vectors" / encoder
    plain = re.sub(r"[^a-z0-9]+", "-", encoder.lower()).strip("-")[-40:]
    digest = hashlib.blake2b(encoder.encode(), digest_size=4).hexdigest()
    return index_dir(name) / "vectors" / f"{plain}-{digest}"


def read_info(folder: Path) -> VectorsInfo | None:
    """Return the facts about the vectors in a folder, None where there are none to be used."""
    try:
        info = VectorsInfo(**json.loads((folder / POINTER).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return info if info.format == FORMAT and (folder / info.folder).is_dir() else None


def passages_of(name: str) -> IndexInfo:
    """Return the facts about a snapshot's passages. Raises MissingModel where it has none."""
    info = read_passages(index_dir(name))
    if info is None or not info.passages:
        raise MissingModel(f"“{name}” has no passages that can be searched.")
    return info


def require_vectors(name: str, encoder: str) -> VectorsInfo:
    """Return the facts about vectors that fit passages and weights.

    Raises MissingModel, saying what does not fit and the command that makes them. Where the weights
    that read passages are not here, because the vectors were made elsewhere, these fit.
    """
    command = f"Run: python manage.py index_vectors {name} --encoder {encoder}"
    info = read_info(vectors_dir(name, encoder))
    if info is None:
        raise MissingModel(f"The passages of “{name}” have no vectors by {encoder}. {command}")
    if info.passages != passages_of(name).folder:
        raise MissingModel(
            f"“{name}” has been indexed again since its vectors by {encoder} were made. {command}"
        )
    try:
        weights = passage_weights(encoder)
    except MissingModel:
        return info
    if info.weights != weights.version:
        raise MissingModel(
            f"The vectors of “{name}” by {encoder} were made with other weights than those that "
            f"are here now. {command}"
        )
    return info
