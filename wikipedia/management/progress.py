"""Progress of long commands: a bar on a terminal, a line a minute elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Final, TextIO

from tqdm import tqdm

_SECONDS_BETWEEN_LINES: Final = 60.0
_SECONDS_BETWEEN_NOTES: Final = 1.0


class ProgressBar:
    """Call with (done, total). Use as a context manager so that the bar is closed.

    The unit "B" is bytes, shown as MB or GB. every: seconds between lines, 60 where it is left out.
    """

    def __init__(
        self, stream: TextIO, label: str, unit: str, *, every: float | None = None
    ) -> None:
        self._stream, self._label, self._unit = stream, label, unit
        self._every = _SECONDS_BETWEEN_LINES if every is None else every
        self._bar: tqdm[Any] | None = None
        self._spoken = time.monotonic()

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, done: int, total: int, note: str = "") -> None:
        """Show how far it is, with a few words on what is under way."""
        if self._stream.isatty():
            if self._bar is None:
                self._bar = tqdm(
                    total=total, initial=done, desc=self._label, unit=self._unit,
                    unit_scale=self._unit == "B", file=self._stream,
                )  # fmt: skip
            self._bar.set_postfix_str(note, refresh=False)
            if done != self._bar.n:
                self._bar.update(done - self._bar.n)
            elif note and time.monotonic() - self._spoken >= _SECONDS_BETWEEN_NOTES:
                self._spoken = time.monotonic()
                self._bar.refresh()
        elif time.monotonic() - self._spoken >= self._every:
            self._spoken = time.monotonic()
            share = done / total if total else 1
            amount = f"{self._amount(done)} of {self._amount(total)} {self._unit_name}"
            self._stream.write(
                f"{self._label}: {amount} ({share:.0%}){f', {note}' if note else ''}\n"
            )
            self._stream.flush()

    @property
    def _unit_name(self) -> str:
        return "MB" if self._unit == "B" else self._unit

    def _amount(self, count: int) -> str:
        return f"{count / 1e6:,.0f}" if self._unit == "B" else f"{count:,}"
