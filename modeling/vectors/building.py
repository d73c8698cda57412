"""Make the vectors of all passages of a snapshot, and the index that searches them.

Vectors are added to a file as they are made. After every batch the build notes in `state.json` how
far it is; when it was killed, it continues there. The last step renames a folder and replaces
`current.json`, so searches see the old vectors or the new ones. Memory is bounded by a batch.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modeling.base import BadOption, MissingModel
from modeling.vectors.store import (
    FORMAT,
    POINTER,
    VectorsInfo,
    passage_weights,
    passages_of,
    read_info,
    vectors_dir,
)
from modeling.weights import Weights
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import BuildLock, IndexInfo, IndexProblem, write_json
from wikipedia.search.stored import StoredPassage, passages_from

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from modeling.engines.base import Encoder

KINDS: Final = ("auto", "flat", "hnsw", "ivf")
BATCH: Final = 256  # passages between two notes
BUILDING, STATE = "building", "state.json"
VECTORS, PLACES = "vectors.f16", "places.u64"

Progress = Callable[[int, int], None]  # passages done, passages in all


def build_vectors(
    name: str, encoder: str, *, kind: str = "auto", progress: Progress = lambda done, total: None
) -> VectorsInfo:
    """Make the vectors of a snapshot by an encoder, and let them be searched.

    Continues where a killed build of the same passages and weights stopped, and does nothing where
    they are finished. kind: "flat", "hnsw", "ivf", or "auto" for the one that suits their number.
    What `progress` raises stops the build, which can be continued. Raises BadOption, MissingModel,
    and IndexProblem where another process builds them or the passages are indexed again meanwhile.
    """
    if kind not in KINDS:
        raise BadOption(f"The kind “{kind[:40]}” is not known. Use {', '.join(KINDS)}.")
    weights, passages = passage_weights(encoder), passages_of(name)
    folder = vectors_dir(name, encoder)
    folder.mkdir(parents=True, exist_ok=True)
    with BuildLock(folder):
        info = read_info(folder)
        made_of = info and (info.passages, info.weights)
        if info and made_of == (passages.folder, weights.version) and kind in ("auto", info.kind):
            return info
        build = _Build(folder / BUILDING, name, passages, weights)
        build.encode(progress)
        return build.finish(encoder, kind)


class _Build:
    """Vectors in the making: the file of vectors, the file of places, and the note of both."""

    def __init__(self, folder: Path, name: str, passages: IndexInfo, weights: Weights) -> None:
        self.folder, self.name, self.passages, self.weights = folder, name, passages, weights
        own = {"format": FORMAT, "passages": passages.folder, "weights": weights.version}
        self.state: dict[str, Any] = own | {"next": 0, "count": 0, "size": 0}
        if (state := self._noted()) and own.items() <= state.items():
            self.state = state
        else:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)

    def _noted(self) -> dict[str, Any] | None:
        try:
            state = json.loads((self.folder / STATE).read_text("utf-8"))
            whole = all(isinstance(state[key], int) for key in ("next", "count", "size"))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return state if whole else None

    def encode(self, progress: Progress) -> None:
        """Add the vectors that are missing."""
        from modeling import engines  # loads the model

        total = self.passages.passages
        progress(self.state["count"], total)
        if self.state["count"] >= total:
            return
        encoder = engines.load_encoder(self.weights)
        count, size = self.state["count"], self.state["size"]
        with (
            _appended(self.folder / VECTORS, count * size * 2) as vectors,
            _appended(self.folder / PLACES, count * 8) as places,
        ):
            for until, batch in self._batches():
                made = _encoded(encoder, batch)
                for file, array in ((vectors, made), (places, _places(batch))):
                    file.write(array.tobytes())
                    file.flush()
                    os.fsync(file.fileno())
                self.state |= {
                    "next": until,
                    "count": self.state["count"] + len(batch),
                    "size": made.shape[1],
                }
                write_json(self.folder / STATE, self.state)
                progress(self.state["count"], total)

    def _batches(self) -> Iterator[tuple[int, list[StoredPassage]]]:
        """Give passages of whole articles, and the position where the next ones begin."""
        batch: list[StoredPassage] = []
        until = start = self.state["next"]
        for until, passages in passages_from(index_dir(self.name), self.passages.folder, start):
            batch += passages
            if len(batch) >= BATCH:
                yield until, batch
                batch = []
        if batch:
            yield until, batch

    def finish(self, encoder: str, kind: str) -> VectorsInfo:
        """Write the index, and let it be searched instead of the one there was."""
        import numpy as np

        from modeling.vectors import nearest

        count, size, above = self.state["count"], self.state["size"], self.folder.parent
        if count != self.passages.passages:
            raise IndexProblem(
                f"The index of “{self.name}” has {count:,} passages, not "
                f"{self.passages.passages:,} as it says. Build it again."
            )
        kind = nearest.kind_for(count) if kind == "auto" else kind
        final = above / f"v-{secrets.token_hex(6)}"
        vectors = np.memmap(self.folder / VECTORS, np.float16, "r", shape=(count, size))
        nearest.write_index(kind, vectors, self.folder)
        del vectors
        info = VectorsInfo(
            FORMAT, final.name, self.passages.folder, encoder, self.weights.version,
            kind, count, size,
        )  # fmt: skip
        self.folder.rename(final)
        write_json(above / POINTER, asdict(info))
        for leftover in (final / VECTORS, final / STATE):
            leftover.unlink()
        for old in above.glob("v-*"):
            if old != final:
                shutil.rmtree(old, ignore_errors=True)
        return info


def _appended(path: Path, length: int) -> Any:
    """Open a file to add to it, without what a killed build wrote after its last note."""
    file = path.open("r+b" if path.exists() else "wb")
    file.truncate(length)
    file.seek(length)
    return file


def _encoded(encoder: Encoder, batch: list[StoredPassage]) -> NDArray[np.float16]:
    import numpy as np

    texts, titles = [passage.text for passage in batch], [passage.title for passage in batch]
    made = encoder.encode(texts, titles).astype(np.float16)
    if not np.isfinite(made).all():
        raise MissingModel("The encoder gave numbers that are not finite. Check its weights.")
    return made


def _places(batch: list[StoredPassage]) -> NDArray[np.uint64]:
    import numpy as np

    return np.array([passage.place for passage in batch], dtype=np.uint64)
