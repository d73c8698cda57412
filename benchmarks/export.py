"""Speed and memory of exports.

Fills a scratch database of the embedded PostgreSQL with a project of AmbigQA in which about this
many annotations were submitted, two for a question, and exports it, each time in a process of its
own.
Formats that begin with "release-" release the questions that are decided, a quarter of them as they
were submitted.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import databases
from benchmarks.harness import Benchmark, option, run_apart, run_benchmark
from benchmarks.installation import make_staff, new_filled
from benchmarks.timing import Taken, taking

DATABASE = "ambit_benchmark_export"
RELEASE = "release-"
DEFAULTS = ("ambignq-light", "ambignq", "annotations", "release-ambignq-light", "release-ambignq")
SUBMITTED = 1.7  # of a question, as some are not finished


def memory(which: str) -> float:
    """Return this process's memory in MB: VmRSS now, VmHWM at its highest.

    Not getrusage: its peak is inherited from the process that started this one.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith(f"{which}:")]
    return int(line.split()[1]) / 1024


def export_once(format: str) -> dict[str, object]:
    """Export once within this process; return time, size and how far memory rose."""
    databases.set_up_django()
    from django.db import connection
    from django.utils import timezone

    from annotation.exports.services import start_export
    from annotation.models import Project
    from validation.release.services import start_release

    connection.ensure_connection()
    project = Project.objects.get()
    wanted: dict[str, Any] = {"project": project, "by": None, "now": timezone.now()}
    idle, taken, first, size = memory("VmRSS"), Taken(), 0.0, 0
    blocks: Iterator[bytes]
    if format.startswith(RELEASE):
        blocks = start_release(format=format.removeprefix(RELEASE), split=None, **wanted).blocks()
    else:
        blocks = start_export(format=format, **wanted).blocks()
    for block in blocks:
        taken.stop()
        first = first or taken.seconds
        size += len(block)
    taken.stop()
    return {
        "format": format,
        "seconds": round(taken.seconds, 3),
        "first_byte_seconds": round(first, 3),
        "megabytes": round(size / 1e6, 1),
        "idle_megabytes": round(idle, 1),
        "peak_above_idle_megabytes": round(memory("VmHWM") - idle, 1),
    }


@dataclass
class Exporting(Benchmark):
    """How fast is an export, and does its memory grow with the project?"""

    annotations: int = option(20_000)
    format: tuple[str, ...] = option(DEFAULTS)
    runs: int = option(3)

    def measure(self) -> dict[str, Any]:
        """Fill a database, and export each format some times."""
        with databases.scratch_database(DATABASE):
            from django.utils import timezone

            questions = round(self.annotations / SUBMITTED)
            with taking() as taken:
                new_filled(
                    "bench-1", "ambigqa", questions, now=timezone.now(), each=2, seats=2,
                    people=make_staff(),
                )  # fmt: skip
            databases.tidy()
            return {
                "annotations": self.annotations,
                "fill_seconds": round(taken.seconds, 1),
                "runs": [run_apart(export_once, key) for key in self.format * self.runs],
            }


if __name__ == "__main__":
    run_benchmark("export")
