"""Times: of one thing again and again, of two things in turns, and how they are summed up."""

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class Taken:
    """Seconds that a block took: on the clock, and of this process's processor."""

    def __init__(self) -> None:
        self.began, self.used = time.perf_counter(), time.process_time()
        self.seconds = self.processor = 0.0

    def stop(self) -> None:
        """Note what it took until now."""
        self.seconds = time.perf_counter() - self.began
        self.processor = time.process_time() - self.used


@contextmanager
def taking() -> Iterator[Taken]:
    """Time a block."""
    taken = Taken()
    yield taken
    taken.stop()


def repeat_call(call: Callable[[], object], times: int, warm_up: int = 0) -> list[Taken]:
    """Call something this many times, after calls that do not count; return the time of each."""
    every = []
    for _ in range(warm_up + times):
        with taking() as taken:
            call()
        every.append(taken)
    return every[warm_up:]


def take_turns(sides: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Let each side run once in each round, so that a machine that drifts is fair to all."""
    found: dict[str, list[T]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, run in sides.items():
            found[name].append(run())
    return found


def ratio_of(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how many times the median of the other is in that of one."""
    return statistics.median(one) / statistics.median(other)


def spread_of(seconds: Sequence[float], *extra: int) -> dict[str, float]:
    """Return p50 and p95, and `extra` percentiles, in milliseconds."""
    cuts = statistics.quantiles(seconds, n=100) if len(seconds) > 1 else [*seconds] * 99
    wanted = (50, 95, *extra)
    return {f"p{at}_ms": round(cuts[at - 1] * 1e3, 2) for at in wanted}


def median_ms(every: Sequence[Taken]) -> float:
    """Return the median on the clock, in milliseconds."""
    return round(1e3 * statistics.median(taken.seconds for taken in every), 1)


def clock_of(every: Sequence[Taken]) -> list[float]:
    """Return the seconds on the clock."""
    return [taken.seconds for taken in every]


def processor_of(every: Sequence[Taken]) -> list[float]:
    """Return the seconds of the processor."""
    return [taken.processor for taken in every]
