"""FAISS: which vectors are nearest to one. Numbers of vectors count from 0, in the order added.

Few vectors are compared with all (flat), and many are in lists of 8-bit numbers on disk (IVF, SQ8),
of which a search reads some: neither building nor searching them needs memory for all vectors. A
graph (HNSW) can be asked for. What was measured is in docs/models.md.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

logging.getLogger("faiss.loader").setLevel(logging.WARNING)  # it tells what it tries to load
import faiss  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS: Final = ("flat", "hnsw", "ivf")
_FLAT = 20_000  # up to this many vectors
_LINKS, _SEEN_BUILDING, _SEEN = 32, 80, 256  # HNSW: a vector's neighbours; candidates
_MOST_LISTS: Final = 4_096
_SAMPLE: Final = 40  # vectors for each list, from which its centre is learned; FAISS wants 39
_SHARE_READ, _LEAST_READ = 16, 32  # IVF: every sixteenth list, 32 at least
_ADDED: Final = 65_536  # vectors at once
_SHARD: Final = 1_000_000  # vectors in one file of lists
INDEX: Final = "vectors.faiss"
CENTRES: Final = "centres.faiss"
_SHARDS: Final = "lists-"


def kind_for(count: int) -> str:
    """Return the kind of index that suits this many vectors."""
    return "flat" if count <= _FLAT else "ivf"


def write_index(
    kind: str, vectors: NDArray[np.float16], folder: Path, *, shard: int = _SHARD
) -> None:
    """Write an index of the vectors into a folder.

    If the process is killed, the next call of the same continues with the parts that are whole.
    """
    size = vectors.shape[1]
    if kind == "ivf":
        return _write_lists(vectors, folder, shard)
    index: Any = faiss.IndexFlatIP(size)
    if kind == "hnsw":
        index = faiss.index_factory(size, f"HNSW{_LINKS}_SQfp16", faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = _SEEN_BUILDING
        index.train(_sampled(vectors, 1_000))
    for start in range(0, len(vectors), _ADDED):
        index.add(vectors[start : start + _ADDED].astype(np.float32))
    _save(index, folder / INDEX)


def _write_lists(vectors: NDArray[np.float16], folder: Path, shard: int) -> None:
    """Write the centres, and the lists in shards: no more than one shard is in memory."""
    centres = folder / CENTRES
    if not centres.exists():
        _save(_trained(vectors), centres)
    for number, start in enumerate(range(0, len(vectors), shard)):
        path = folder / f"{_SHARDS}{number:05}.faiss"
        if not path.exists():
            part = faiss.read_index(str(centres))
            for numbers in _stretches(start, min(start + shard, len(vectors))):
                part.add_with_ids(vectors[numbers].astype(np.float32), numbers)
            _save(part, path)


def _trained(vectors: NDArray[np.float16]) -> Any:
    wanted = 4 * len(vectors) ** 0.5
    lists = min(_MOST_LISTS, 1 << max(0, int(wanted).bit_length() - 1))
    lists = max(1, min(lists, len(vectors) // _SAMPLE))
    index = faiss.index_factory(vectors.shape[1], f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
    index.train(_sampled(vectors, _SAMPLE * lists))
    return index


def _sampled(vectors: NDArray[np.float16], most: int) -> NDArray[np.float32]:
    """Return some of the vectors, always the same ones."""
    count = min(most, len(vectors))
    chosen = np.random.default_rng(1).choice(len(vectors), count, replace=False)
    return vectors[np.sort(chosen)].astype(np.float32)


def _stretches(start: int, end: int) -> Iterator[NDArray[np.int64]]:
    for begin in range(start, end, _ADDED):
        yield np.arange(begin, min(begin + _ADDED, end), dtype=np.int64)


def _save(index: Any, path: Path) -> None:
    """Write a file that is whole or not there."""
    draft = path.with_suffix(".new")
    faiss.write_index(index, str(draft))
    draft.replace(path)


class NearestIndex:
    """An index, opened for searching. Lists stay on disk, where the system caches them."""

    def __init__(self, kind: str, folder: Path) -> None:
        self._kind, lists = kind, kind == "ivf"
        self._index: Any = faiss.read_index(str(folder / (CENTRES if lists else INDEX)))
        self.size = int(self._index.d)
        if lists:
            self._kept = _add_lists(self._index, sorted(folder.glob(f"{_SHARDS}*.faiss")))

    def search(self, vector: NDArray[np.float32], top: int) -> list[tuple[int, float]]:
        """Return number and inner product of up to `top` vectors, the largest first."""
        scores, numbers = self._index.search(vector.reshape(1, -1), top, params=self._how(top))
        pairs = zip(numbers[0].tolist(), scores[0].tolist(), strict=True)
        return [(number, score) for number, score in pairs if number >= 0]

    def _how(self, top: int) -> Any:
        """Return how much of the index a search for `top` vectors reads."""
        if self._kind == "ivf":
            lists = self._index.nlist
            return faiss.SearchParametersIVF(
                nprobe=min(lists, max(_LEAST_READ, lists // _SHARE_READ))
            )
        if self._kind == "hnsw":
            return faiss.SearchParametersHNSW(efSearch=max(_SEEN, top))
        return None


def _add_lists(index: Any, shards: list[Path]) -> list[Any]:
    """Let an index search the lists of some shards, which stay on disk; return what it needs."""
    lists, count, pointers = [], 0, faiss.InvertedListsPtrVector()
    for path in shards:
        part = faiss.read_index(str(path), faiss.IO_FLAG_MMAP)
        lists.append(part.invlists)
        part.own_invlists = False  # so that its centres can be forgotten, of which each has a copy
        pointers.push_back(part.invlists)
        count += part.ntotal
    together = faiss.HStackInvertedLists(pointers.size(), pointers.data())
    index.replace_invlists(together)
    index.ntotal = count
    return [together, *lists]
