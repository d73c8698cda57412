"""How long commands show that they go on: a bar on a terminal, one line a minute otherwise."""

import sys
import time
from types import TracebackType

from tqdm import tqdm

EVERY_SECONDS = 60


class Progress:
    """Counts up to `total` on standard error."""

    def __init__(self, what: str, total: int, unit: str) -> None:
        self.what, self.total, self.unit = what, total, unit
        terminal = sys.stderr.isatty()
        self._bar = tqdm(
            total=total, unit=f" {unit}", desc=what, file=sys.stderr, disable=not terminal
        )
        self._silent = terminal
        self._said_at = time.monotonic()

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()

    def reach(self, done: int) -> None:
        """Say that `done` units are finished."""
        self._bar.update(done - self._bar.n)
        now = time.monotonic()
        if not self._silent and now - self._said_at >= EVERY_SECONDS:
            self._said_at = now
            print(f"{self.what}: {done:,} of {self.total:,} {self.unit}", file=sys.stderr)  # noqa: T201
