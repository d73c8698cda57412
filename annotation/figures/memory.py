"""What was computed before from the same facts, so that a small change computes a small part anew.

Figures of a report are computed from all of its data. Most of the time goes into pure functions
whose facts have not changed: an interval, how close two texts are. Such a function asks here first;
what it gave is kept under a digest of its facts, beside the figures, for the next computation.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

Key = TypeVar("Key")
Made = TypeVar("Made")


class Memory:
    """Results by kind and digest: those `known` from before, and those `used` now."""

    def __init__(self, known: Mapping[str, Mapping[str, Any]]) -> None:
        self.known = known
        self.used: dict[str, dict[str, Any]] = {}

    def recall_rows(
        self,
        kind: str,
        facts: Mapping[Key, bytes],
        compute: Callable[[list[Key]], Sequence[Made]],
    ) -> dict[Key, Made]:
        """Return the result of each row; `compute` gives those of rows that are not known."""
        known, used = self.known.get(kind, {}), self.used.setdefault(kind, {})
        digests = {key: blake2b(fact, digest_size=12).hexdigest() for key, fact in facts.items()}
        new = [key for key, digest in digests.items() if digest not in known]
        made = dict(zip(new, compute(new), strict=True)) if new else {}
        found = {key: made[key] if key in made else known[digests[key]] for key in digests}
        used.update((digests[key], result) for key, result in found.items())
        return found


_memory: ContextVar[Memory | None] = ContextVar("memory", default=None)


@contextmanager
def use_memory(known: Mapping[str, Mapping[str, Any]]) -> Iterator[Memory]:
    """Let functions called in the block find what is known; the memory has what they used."""
    memory = Memory(known)
    token = _memory.set(memory)
    try:
        yield memory
    finally:
        _memory.reset(token)


def recall_rows(
    kind: str, facts: Mapping[Key, bytes], compute: Callable[[list[Key]], Sequence[Made]]
) -> dict[Key, Made]:
    """Return the result of each row, computing those that nobody computed from the same facts.

    facts: of each row, all that its result depends on besides the program. compute: from the rows
    that are not known to their results, in the same order, as JSON can hold them.
    """
    return (_memory.get() or Memory({})).recall_rows(kind, facts, compute)


@cache
def digest_program(root: Path) -> str:
    """Return what differs as soon as a module of the program does: only the same one may recall."""
    digest = blake2b(digest_size=12)
    folders = (path for path in root.iterdir() if not path.name.startswith((".", "tests")))
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        state = path.stat()
        digest.update(f"{path} {state.st_size} {state.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def recall(kind: str, facts: bytes, compute: Callable[[], Made]) -> Made:
    """Return what `compute` gives, or gave when it was last called for the same facts."""
    return recall_rows(kind, {"": facts}, lambda _: [compute()])[""]
