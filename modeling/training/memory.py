"""Whether a training has room here, before any weights are read."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from modeling.base import MissingModel
from modeling.training.adapters import find_targets
from modeling.training.recipes import Recipe
from modeling.weights import Weights, files_of

# For each number that is learnt: itself, its gradient, and two moments of AdamW, four bytes each.
BYTES: Final = 16
_READ: Final = 4  # bytes of one that is not
_CGROUP: Final = Path("/sys/fs/cgroup")


def check_room(base: Weights, device: str, recipe: Recipe) -> int:
    """Return the bytes that a training takes at least, without what a batch takes.

    Raises MissingModel where they are not free, with ways out; BadOption where the recipe has
    adapters and the base has no place for them.
    """
    needed = BYTES * count_numbers(base)
    if recipe.adapters:
        needed = _READ * count_numbers(base) + BYTES * count_adapters(base, recipe.adapters)
    free = find_free_bytes(device)
    if needed > free:
        fewer = "" if recipe.adapters else "learn adapters alone (--preset lora), "
        raise MissingModel(
            f"Training {base.name} takes {_gigabytes(needed)} and more for each batch, and "
            f"{_gigabytes(free)} are free here. Begin with a smaller model (--from), {fewer}train "
            "on a machine with a larger graphics card, or write a training set and train elsewhere "
            "(training_set)."
        )
    return needed


def count_numbers(base: Weights) -> int:
    """Return how many numbers weights have. Only the heads of files are read."""
    return sum(map(_count, files_of(base.folder)))


def count_adapters(base: Weights, rank: int) -> int:
    """Return how many numbers adapters of a rank have, as far as the heads of files tell."""
    targets = find_targets(base)
    return sum(
        rank * sum(shape)
        for path in files_of(base.folder)
        for name, shape in _list_tensors(path)
        if name.removesuffix(".weight").rpartition(".")[2] in targets and len(shape) == 2
    )


def find_free_bytes(device: str) -> int:
    """Return what is free on the device: of the graphics card, or of this process's memory."""
    import psutil  # comes with what training needs
    import torch

    if device != "cpu" and torch.cuda.is_available():
        return int(torch.cuda.mem_get_info()[0])
    free = int(psutil.virtual_memory().available)
    try:  # a container may have less than its machine
        most = (_CGROUP / "memory.max").read_text().strip()
        used = (_CGROUP / "memory.current").read_text().strip()
    except OSError:
        return free
    return free if most == "max" else min(free, int(most) - int(used))


def _count(path: Path) -> int:
    if path.suffix == ".safetensors":
        return sum(_product(shape) for _, shape in _list_tensors(path))
    return path.stat().st_size // 4 if path.suffix == ".bin" else 0


def _list_tensors(path: Path) -> Iterator[tuple[str, list[int]]]:
    """Give name and shape of each tensor of a file, nothing where its format does not tell."""
    if path.suffix == ".safetensors":
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            head = json.loads(file.read(size))
        yield from ((name, each["shape"]) for name, each in head.items() if name != "__metadata__")


def _product(shape: list[int]) -> int:
    product = 1
    for size in shape:
        product *= size
    return product


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:,.1f} GB"
