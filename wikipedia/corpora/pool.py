"""Work in other processes, answers in order, memory bounded: for builds that read whole wikis."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, TypeVar

from wikipedia.search.index import IndexProblem

Item = TypeVar("Item")
Answer = TypeVar("Answer")

# Handing over costs about a millisecond, so items are sent in chunks of up to this weight.
CHUNK_ITEMS: Final = 64
CHUNK_WEIGHT: Final = 1_000_000
_CHUNKS_PER_PROCESS: Final = 3
_KEPT_BYTES: Final = 16 << 20


def in_order(
    function: Callable[[Item], Answer],
    items: Iterable[Item],
    *,
    processes: int,
    weight: Callable[[Item], int],
) -> Iterator[Answer]:
    """`map(function, items)` over processes, with at most a few chunks per process under way.

    With `processes` 0 everything happens in this one. `weight` is about the bytes of an item.
    The function must be importable by name; workers end when this process does, however it ends.
    """
    if processes <= 0:
        yield from map(function, items)
        return
    pool = ProcessPoolExecutor(
        processes, mp_context=multiprocessing.get_context("spawn"), initializer=_begin
    )
    waiting: deque[Future[list[Answer]]] = deque()
    try:
        for chunk in _chunks(items, weight):
            waiting.append(pool.submit(_work, function, chunk))
            if len(waiting) >= processes * _CHUNKS_PER_PROCESS:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        raise IndexProblem(
            "A worker process was ended from outside, most likely because memory ran out. Run the "
            "command again with fewer --processes; it continues where it stopped."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def default_processes() -> int:
    """Return one worker for each processor, and 0 (no workers) where there is only one."""
    count = os.cpu_count() or 1
    return count if count > 1 else 0


def keep_freed_memory() -> None:
    """Let this process keep what it frees, up to some megabytes, for the next piece of text.

    glibc keeps freed memory for blocks up to the largest that was freed before. It gives larger
    ones back to the system, and then each piece costs page faults: an eighth of the time in which
    a dump is read. Other allocators do not mind.
    """
    bytes(_KEPT_BYTES)


def _chunks(items: Iterable[Item], weight: Callable[[Item], int]) -> Iterator[list[Item]]:
    chunk: list[Item] = []
    total = 0
    for item in items:
        chunk.append(item)
        total += weight(item)
        if len(chunk) >= CHUNK_ITEMS or total >= CHUNK_WEIGHT:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


def _work(function: Callable[[Item], Answer], chunk: list[Item]) -> list[Answer]:
    return [function(item) for item in chunk]


def _begin() -> None:
    """Leave Ctrl-C to the parent, and end with it, also when it is killed."""
    keep_freed_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.join,), daemon=True).start()


def _follow(join: Callable[[], None]) -> None:
    join()
    os._exit(1)
