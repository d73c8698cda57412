"""Dense search: how long an index takes to build, how much memory, how much a search misses.

    python -m benchmarks.vectors [--size 384] [--counts 20000 100000 1000000]

Prints a line of JSON for each kind of index at each number of vectors, each in a process of its
own. The vectors are in clusters, as those of texts are; 200 questions are near some of them.
`recall_100`: share of the 100 nearest vectors that a search finds. `anonymous_mb`: memory that is
not a page of a file, at most, above that of the process before. `processor_seconds` and
`processor_ms` hardly change when the machine has other work, `seconds` and `ms` do.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import psutil

from modeling.vectors import nearest

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUESTIONS, TOP = 200, 100
_MADE = 50_000  # vectors at once
_MOST: dict[str, int] = {"hnsw": 200_000, "flat": 1_000_000}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--size", type=int, default=384)
    parser.add_argument("--counts", type=int, nargs="+", default=[20_000, 100_000, 1_000_000])
    parser.add_argument(
        "--one", nargs=3, metavar=("KIND", "FILE", "FOLDER"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.one:
        kind, file, folder = options.one
        print(json.dumps(_measured(kind, Path(file), Path(folder), options.size)))
        return
    for count in options.counts:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "vectors.f16"
            _write(file, count, options.size)
            for kind in nearest.KINDS:
                if count <= _MOST.get(kind, count):
                    (Path(folder) / kind).mkdir()
                    own = [kind, str(file), str(Path(folder) / kind)]
                    command = [sys.executable, "-m", "benchmarks.vectors", "--one", *own]
                    subprocess.run([*command, "--size", str(options.size)], check=True)


def _write(file: Path, count: int, size: int) -> None:
    random = np.random.default_rng(1)
    centres = random.standard_normal((max(100, count // 100), size), dtype=np.float32)
    with file.open("wb") as out:
        for start in range(0, count, _MADE):
            number = min(_MADE, count - start)
            some = centres[random.integers(0, len(centres), number)]
            some = some + random.standard_normal((number, size), dtype=np.float32)
            out.write(_unit(some).astype(np.float16).tobytes())


def _unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def _measured(kind: str, file: Path, folder: Path, size: int) -> dict[str, object]:
    vectors = np.memmap(file, np.float16, "r").reshape(-1, size)
    own, peak, over = psutil.Process(), [0], threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            memory = own.memory_full_info()
            peak[0] = max(peak[0], memory.rss - memory.shared)

    before = own.memory_full_info().rss - own.memory_full_info().shared
    threading.Thread(target=watch, daemon=True).start()
    began, processor = time.perf_counter(), time.process_time()
    nearest.write_index(kind, vectors, folder)
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    over.set()
    return {
        "kind": kind, "count": len(vectors), "size": size,
        "seconds": round(seconds, 1), "processor_seconds": round(processor, 1),
        "anonymous_mb": round((peak[0] - before) / 1e6),
        "disk_mb": round(sum(path.stat().st_size for path in folder.iterdir()) / 1e6),
    } | _searched(nearest.NearestIndex(kind, folder), vectors)  # fmt: skip


def _searched(index: nearest.NearestIndex, vectors: NDArray[np.float16]) -> dict[str, float]:
    random = np.random.default_rng(2)
    near = vectors[np.sort(random.choice(len(vectors), QUESTIONS, replace=False))]
    noise = random.standard_normal(near.shape, dtype=np.float32) / near.shape[1] ** 0.5
    questions = _unit(near.astype(np.float32) + noise)
    best = _nearest(vectors, questions)
    for question in questions[:20]:
        index.search(question, TOP)  # what is read from disk is in memory then
    began, processor = time.perf_counter(), time.process_time()
    hits = [index.search(question, TOP) for question in questions]
    took, processor = time.perf_counter() - began, time.process_time() - processor
    shares = [
        len({number for number, _ in pairs} & set(row.tolist())) / TOP
        for pairs, row in zip(hits, best, strict=True)
    ]
    return {
        "ms": round(1000 * took / QUESTIONS, 2),
        "processor_ms": round(1000 * processor / QUESTIONS, 2),
        "recall_100": round(float(np.mean(shares)), 3),
    }


def _nearest(vectors: NDArray[np.float16], questions: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the numbers of the nearest vectors, found by comparing all."""
    scores = np.concatenate(
        [
            vectors[start : start + _MADE].astype(np.float32) @ questions.T
            for start in range(0, len(vectors), _MADE)
        ]
    )
    return np.argpartition(-scores, TOP, axis=0)[:TOP].T


if __name__ == "__main__":
    if "OMP_NUM_THREADS" not in os.environ:
        os.environ["OMP_NUM_THREADS"] = str(os.cpu_count() or 1)
    main()
