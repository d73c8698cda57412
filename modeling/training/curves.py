"""The curve of a training in few points, and as files. Pure."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

Points = list[list[float]]  # each of a step and a value
MOST_LOSSES: Final = 400
MOST_LOOKS: Final = 100  # with the losses, the 500 points of a curve
CURVE_FORMATS: Final[Mapping[str, str]] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "svg": "image/svg+xml",
}


def read_curve(path: Path, metric: str) -> dict[str, Any]:
    """Return the points of `loss` and `dev` from a run's file, none where it is not there yet.

    The first and the last of each are among them, and the best look at dev.
    """
    rows = []
    if path.is_file():
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    losses = [[row["step"], row["loss"]] for row in rows if "loss" in row]
    looks = [[row["step"], row["dev"][metric]] for row in rows if "dev" in row]
    return {
        "metric": metric,
        "loss": thin_out(losses, MOST_LOSSES),
        "dev": thin_out(looks, MOST_LOOKS),
    }


def thin_out(points: Points, most: int) -> Points:
    """Return at most `most` points, 3 or more: the first, the last, the highest, others between."""
    if len(points) <= most:
        return points
    last = len(points) - 1
    kept = [round(n * last / (most - 1)) for n in range(most)]
    best = max(range(len(points)), key=lambda place: points[place][1])
    if best not in kept:
        nearest = min(range(1, most - 1), key=lambda place: abs(kept[place] - best))
        kept[nearest] = best
    return [points[place] for place in sorted(kept)]


def list_curve_rows(curve: Mapping[str, Any]) -> list[tuple[int, float | None, float | None]]:
    """Return step, loss and figure of dev in the order of steps; None where one has no such."""
    losses, looks = (dict(map(tuple, curve.get(name, ()))) for name in ("loss", "dev"))
    steps = sorted({*losses, *looks})
    return [(step, losses.get(step), looks.get(step)) for step in steps]


def render_json(curve: Mapping[str, Any]) -> bytes:
    """Return the curve as one JSON object of `metric`, `loss` and `dev`."""
    wanted: dict[str, Any] = {"metric": curve.get("metric", "")}
    wanted |= {name: curve.get(name, []) for name in ("loss", "dev")}
    return json.dumps(wanted, ensure_ascii=False).encode()


def render_csv(curve: Mapping[str, Any]) -> bytes:
    """Return a line for each step, empty where it has no loss or dev was not looked at."""
    target = io.StringIO()
    writer = csv.writer(target)
    writer.writerow(["step", "loss", curve.get("metric") or "dev"])
    writer.writerows(list_curve_rows(curve))
    return target.getvalue().encode()


def list_plots(curve: Mapping[str, Any]) -> list[tuple[str, Sequence[Sequence[float]]]]:
    """Return what is drawn: a title and at least two points of each."""
    named = (("Loss", "loss"), (f"{curve.get('metric', '')} on dev", "dev"))
    plots = [(title, curve.get(name, ())) for title, name in named]
    return [(title, points) for title, points in plots if len(points) > 1]
