"""Memory of the processes of an installation over hours: its size, and whether it grows."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SAMPLE_SECONDS, WARM_UP_SECONDS = 5.0, 300.0
LEAST_SAMPLES = 6  # of one life of a process
MEGABYTE = 1024.0  # kilobytes, of which the system counts


class Sample(NamedTuple):
    """Seconds since the beginning, and megabytes: resident, and resident shared fairly."""

    at: float
    rss: float
    pss: float


def read_memory(pid: int, at: float) -> Sample | None:
    """Return the memory of a process; None if it has just ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    sizes = {name: rest for name, _, rest in (line.partition(":") for line in lines)}
    if "Pss" not in sizes:
        return None
    kilobytes = [float(sizes[name].split()[0]) for name in ("Rss", "Pss")]
    return Sample(at, *(number / MEGABYTE for number in kilobytes))


class Sampler:
    """Looks at processes every few seconds, in a thread."""

    def __init__(self, list_pids: Callable[[str], Sequence[int]], parts: Sequence[str]) -> None:
        self.list_pids, self.parts = list_pids, parts
        self.samples: dict[tuple[str, int], list[Sample]] = defaultdict(list)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def _sample(self) -> None:
        begin = time.monotonic()
        while not self._over.wait(SAMPLE_SECONDS):
            for part in self.parts:
                for place, pid in enumerate(self.list_pids(part)):
                    name = f"{part}, {'a process' if place else 'the first process'}"
                    if sample := read_memory(pid, time.monotonic() - begin):
                        self.samples[name, pid].append(sample)


def describe_memory(samples: Mapping[tuple[str, int], Sequence[Sample]]) -> dict[str, Any]:
    """Return for each kind of process its sizes in MB and how fast they grow, in MB an hour.

    A process that was started again begins anew, and the first five minutes of each do not count:
    it still loads what it needs. The slope is the one of a regression with an intercept for every
    life; None where none was long enough. `minutes` is how long they were observed, together.
    """
    lives: dict[str, list[list[Sample]]] = defaultdict(list)
    for (name, _), every in samples.items():
        warm = [each for each in every if each.at >= every[0].at + WARM_UP_SECONDS]
        lives[name].append(warm if len(warm) >= LEAST_SAMPLES else [])
    found = {}
    for name, own in sorted(lives.items()):
        every = [each for (of, _), some in samples.items() if of == name for each in some]
        found[name] = {
            "lives": len(own),
            "minutes": round(sum(life[-1].at - life[0].at for life in own if life) / 60, 1),
            "pss_mb": round(sum(each.pss for each in every) / len(every), 1),
            "rss_mb": round(sum(each.rss for each in every) / len(every), 1),
            "most_rss_mb": round(max(each.rss for each in every), 1),
            "pss_mb_an_hour": _slope(own, lambda each: each.pss),
            "rss_mb_an_hour": _slope(own, lambda each: each.rss),
        }
    return found


def _slope(lives: Sequence[Sequence[Sample]], of: Callable[[Sample], float]) -> float | None:
    together = spread = 0.0
    for life in filter(None, lives):
        at = sum(each.at for each in life) / len(life)
        size = sum(map(of, life)) / len(life)
        together += sum((each.at - at) * (of(each) - size) for each in life)
        spread += sum((each.at - at) ** 2 for each in life)
    return round(3600 * together / spread, 1) if spread else None
