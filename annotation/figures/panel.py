"""A panel of a report: a table of figures with its definition, and how to draw it.

A panel is a plain value. Pages, API, files and pictures are made from it and know no other.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from metrics import intervals

if TYPE_CHECKING:
    from metrics.score import Score
    from validation.agreement.reporting import LabelledFigure

# share: 0 to 1, shown in per cent. score: 0 to 1, shown as points of 100. percent: 0 to 100.
# mean: two decimals. p: a chance, three. count: a whole number. seconds: a duration.
Unit = Literal["text", "count", "share", "score", "percent", "mean", "p", "seconds"]
FEW = intervals.FEW


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table. `key` is its name in files and for scripts.

    part: the heading under which pages show it in a table of its own, behind a press; "" for the
    table in sight.
    """

    key: str
    label: str
    unit: Unit = "text"
    part: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A figure with what is behind it; `value` is None where nothing is.

    `low` and `high` bound the 95 % interval; where a figure has none, `note` says why. `n` counts
    what the panel says it counts.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Person:
    """A person by id: by name on pages, which are the team’s; by pseudonym in files and the API."""

    person: int


@dataclass(frozen=True, slots=True)
class Link:
    """A text that leads to a page of the project, such as a question."""

    text: str
    href: str


Cell = str | int | float | None | Value | Person | Link
Kind = Literal["bars", "lines", "heatmap", "points", "histogram", "stacks", "cloud", "tree"]


@dataclass(frozen=True, slots=True)
class Chart:
    """How to draw the rows of a panel; `x`, `y`, `value` and `series` are keys of its columns.

    bars: one for each row, from `x` (text), as long as `y`, with its interval. lines: `y` over
    `x`, one line for each `series`. heatmap: `value` with its n, at column `x` and row `y`.
    points: one for each row, at `x` and `y`, as large as `value` if that is given, those of a
    `series` joined by a line. histogram:
    upright bars in the order of the rows. stacks: the same, with `series` on top of each other.
    tree: boxes named `x`, each right of the box that its `series` names, with `value` and `y`, a
    share that is also the width of the line between them. cloud: the words of `x`, as large as
    `y`; those of the first `series` upright, all others in italics.
    """

    kind: Kind
    x: str
    y: str
    value: str = ""
    series: str = ""


@dataclass(frozen=True)
class Panel:
    """A table, what it was made from and what it means.

    n: how many questions (or of `counted`) are behind it. definition: one or two sentences for the
    page. needs: what has to exist before there is anything to show. summary: one sentence with
    what the table says; who cannot see the picture reads it in its place. facet: the key of a
    column of text by whose words, between commas, people can choose rows. tiles: whether the page
    shows each row, which is a name, a score and what it is, as a large figure. page: where the team
    makes what the table counts. problem: why it could not be computed; otherwise empty.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    n: int
    definition: str
    counted: str = "question"
    needs: str = ""
    summary: str = ""
    chart: Chart | None = None
    facet: str = ""
    tiles: bool = False
    page: Link | None = None
    problem: str = ""


def of_shown(figure: "LabelledFigure") -> Value:
    """Return a figure of the agreement report as a cell."""
    return Value(figure.value, figure.n, figure.low, figure.high, figure.note)


def share_with_interval(part: int, whole: int) -> Value:
    """Return a share of independent items; without a value where there is no whole."""
    if not whole:
        return Value(None, 0)
    bounds = intervals.find_share_interval(part, whole)
    if bounds is None:
        return Value(part / whole, whole, note=intervals.TOO_FEW)
    return Value(part / whole, whole, *bounds)


def of_score(score: "Score", *, scale: float = 1) -> Value:
    """Return a score with its interval as a cell, all divided by `scale`."""
    if score.interval is None:
        return Value(score.value / scale, score.n, note=score.note)
    low, high = score.interval.low / scale, score.interval.high / scale
    return Value(score.value / scale, score.n, low, high)


def panel_to_json(panel: Panel) -> dict[str, Any]:
    """Return the panel as JSON can hold it."""
    stored = asdict(replace(panel, columns=(), rows=()))  # it would copy every cell
    stored["columns"] = [_plain_column(column) for column in panel.columns]
    stored["rows"] = [[_plain(cell) for cell in row] for row in panel.rows]
    return {key: _text(value) for key, value in stored.items()}


def _plain_column(column: Column) -> dict[str, str]:
    fields = asdict(column)
    return {name: field for name, field in fields.items() if (name, field) != ("part", "")}


def _plain(cell: Cell) -> Any:
    if isinstance(cell, str):  # most of them; there are tens of thousands
        return _text(cell)
    if isinstance(cell, float) and not math.isfinite(cell):
        return None  # JSON has no word for it
    if isinstance(cell, Value | Person | Link):
        fields = {name: _plain(getattr(cell, name)) for name in cell.__slots__}
        return {name: field for name, field in fields.items() if (name, field) != ("note", "")}
    return cell


def _text(value: Any) -> Any:
    return value.replace("\0", "\ufffd") if isinstance(value, str) else value


def is_value(cell: Any) -> bool:
    """Whether a stored cell is a figure with its n."""
    return isinstance(cell, Mapping) and "value" in cell


def read_number(cell: Any) -> float | None:
    """Return the number in a stored cell; None where there is none."""
    number = cell["value"] if is_value(cell) else cell
    return number if isinstance(number, int | float) else None


def read_note(cell: Mapping[str, Any]) -> str:
    """Return why a stored figure has no interval; "" where it has one or does not say."""
    note: str = cell.get("note", "")
    return note
