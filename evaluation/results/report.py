"""The figures of a study as its page, its tables and its files show them.

`evaluation.results.counts.compute_figures` computes them; nothing here does.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from metrics.intervals import NOTES
from validation.agreement.reporting import FigureLine

Figure = Mapping[str, Any]
Figures = Mapping[str, Any]

METRICS = {
    "str_em": "STR-EM",
    "qa_f1": "Disambig-F1",
    "rouge_l": "ROUGE-L",
    "dr": "DR",
    "length": "Length",
}
VERDICTS = {"correct": "Correct", "debatable": "Correct, but debatable", "wrong": "Wrong"}
MARKS = ("one", "two", "three", "four", "five", "six")
HOLLOW = ("three", "four", "six")
MOST_MARKS = 2_000
ROWS = 50
_HEATS = ((72, 5), (57, 4), (43, 3), (28, 2))


@dataclass(frozen=True)
class FigureTable:
    """Figures in groups on one scale; `ends` are the labels of the scale, `zero` its mark."""

    groups: tuple[tuple[str, tuple[FigureLine, ...]], ...]
    ends: tuple[str, str, str] = ("0", "50", "100")
    zero: int | None = None

    def __bool__(self) -> bool:
        return bool(self.groups)


@dataclass(frozen=True)
class MatrixCell:
    """How the system of a row fared against that of a column."""

    points: str
    wins: int
    ties: int
    losses: int
    heat: int
    against: str


def describe_figure(
    label: str, figure: Figure, *, low: float = 0, high: float = 100, places: int = 1
) -> FigureLine:
    """Put a figure into words, and on a bar from `low` to `high`."""

    def at(value: float) -> int:
        return round(100 * min(max((value - low) / (high - low), 0), 1))

    value, n = figure["value"], figure["n"]
    if value is None:
        return FigureLine(label, "none", "", n)
    bounds = [at(value if figure[name] is None else figure[name]) for name in ("low", "high")]
    return FigureLine(
        label, write_number(value, places), write_interval(figure, places), n, at(value), *bounds
    )


def write_number(value: float | None, places: int = 1) -> str:
    """Return a number with a real minus sign; "–" where there is none."""
    return "–" if value is None else f"{value:.{places}f}".replace("-", "−")


def write_interval(figure: Figure, places: int = 1) -> str:
    """Return "low to high"; where a figure has no interval, why, if that is said in short."""
    bounds = figure["low"], figure["high"]
    if None not in bounds:
        return " to ".join(write_number(bound, places) for bound in bounds)
    note: str = figure.get("note", "")
    return note if note in NOTES else ""


def find_criterion(figures: Figures, key: str) -> Figure:
    """Return the figures of a criterion, empty where there is none."""
    return next((row for row in figures["criteria"] if row["key"] == key), {})


def tabulate_accuracy(figures: Figures) -> FigureTable:
    """Return the ACC of each system."""
    return _one_group(_lines(figures, figures["acc"]))


def tabulate_points(figures: Figures) -> FigureTable:
    """Return the points of each system, criterion by criterion."""
    groups = (
        (row["label"], tuple(_lines(figures, row["points"])))
        for row in figures["criteria"]
        if row["points"]
    )
    return FigureTable(tuple(groups), zero=50)


def tabulate_strengths(criterion: Figure) -> FigureTable:
    """Return the Bradley–Terry strength of each system as a logarithm, strongest first."""
    logs = {system: row["log"] for system, row in criterion.get("strengths", {}).items()}
    bounds = [row[name] or 0 for row in logs.values() for name in ("value", "low", "high")]
    far = math.ceil(max([1, *map(abs, bounds)]))
    rows = (
        describe_figure(name, logs[name], low=-far, high=far, places=2)
        for name in sorted(logs, key=lambda name: (-logs[name]["value"], name))
    )
    return replace(_one_group(rows), ends=(f"−{far}", "0", str(far)), zero=50)


def tabulate_precision(figures: Figures) -> FigureTable:
    """Return the share of answers that experts found correct or debatable, per cent.

    Once they have agreed on anything, also as each of them judged alone.
    """
    agreed, alone = (
        tuple(_lines(figures, {name: row["precision"] for name, row in figures[key].items()}))
        for key in ("experts", "experts_alone")
    )
    if not alone:
        return _one_group(agreed)
    return FigureTable((("With the consensus", agreed), ("As each expert judged alone", alone)))


def _lines(figures: Figures, by_system: Mapping[str, Figure]) -> Iterator[FigureLine]:
    """Yield the systems in their own order: a stored object has none."""
    return (
        describe_figure(name, by_system[name]) for name in figures["systems"] if name in by_system
    )


def _one_group(lines: Iterable[FigureLine]) -> FigureTable:
    rows = tuple(lines)
    return FigureTable((("", rows),) if rows else ())


def tabulate_verdicts(figures: Figures) -> list[tuple[str, int, list[tuple[str, str]]]]:
    """Return for each system its number of answers, and label and per cent of each verdict."""
    return [
        (
            name,
            row["correct"]["n"],
            [(label, write_number(row[key]["value"], 0)) for key, label in VERDICTS.items()],
        )
        for name, row in sorted(figures["experts"].items())
    ]


def tabulate_matrix(
    figures: Figures, criterion: Figure
) -> list[tuple[str, list[MatrixCell | None]]]:
    """Return a row for each system: its points against each, None where they did not meet."""
    met = criterion.get("matrix", {})
    systems = [name for name in figures["systems"] if name in met]
    return [(name, [_cell(met[name].get(other), other) for other in systems]) for name in systems]


def _cell(figure: Figure | None, against: str) -> MatrixCell | None:
    if figure is None:
        return None
    heat = next((heat for bound, heat in _HEATS if figure["value"] >= bound), 1)
    wins, ties, losses = (figure[name] for name in ("wins", "ties", "losses"))
    return MatrixCell(write_number(figure["value"], 0), wins, ties, losses, heat, against)


def tabulate_agreement(figures: Figures) -> list[tuple[str, FigureLine, FigureLine]]:
    """Return what raters agree on: label, alpha, and the share of pairs that say the same."""
    asked = [("Disambiguations answered", figures["acc_agreement"])]
    asked += [(row["label"], row["agreement"]) for row in figures["criteria"]]
    return [
        (
            label,
            describe_figure(label, row["alpha"], low=-1, high=1, places=2),
            describe_figure(label, row["same"]),
        )
        for label, row in asked
        if row["units"]
    ]


def describe_sides(criterion: Figure) -> list[tuple[str, FigureLine, str]]:
    """Return whether raters favour a side, and agree with themselves: title, figure, what of."""
    if not criterion.get("position"):
        return []
    favoured = describe_figure("", criterion["position"]["left_share"])
    shown = [("Left answer chosen, of all that chose one", favoured, "")]
    if criterion["consistency"] and criterion["consistency"]["n"]:
        again = describe_figure("", criterion["consistency"])
        shown.append(("Same choice when shown again", again, ", sides swapped"))
    return shown


def tabulate_correlations(
    figures: Figures,
) -> list[tuple[str, int, list[tuple[str, FigureLine, str]]]]:
    """Return a row for each metric: its name, the fewest systems behind it, and its correlations.

    Each of these has the name of what people say, the correlation, and a note on it.
    """
    people = {"acc": "ACC"} | {row["key"]: row["label"] for row in figures["criteria"]}
    table: dict[str, list[Figure]] = {}
    for row in figures["correlations"]["rows"]:
        table.setdefault(row["metric"], []).append(row)
    return [
        (
            METRICS[metric],
            min(row["n"] for row in rows),
            [
                (people[row["with"]], describe_figure("", row, places=2), row.get("note", ""))
                for row in rows
            ],
        )
        for metric, rows in sorted(table.items(), key=lambda pair: list(METRICS).index(pair[0]))
    ]


# --- one mark per answer -------------------------------------------------------------------------


@dataclass(frozen=True)
class Marks:
    """The answers of one system: the path that draws them, and the class of the mark."""

    system: str
    mark: str
    path: str

    @property
    def hollow(self) -> bool:
        return self.mark in HOLLOW


@dataclass(frozen=True)
class Scatter:
    """ACC of each answer over one of its automatic scores; `rows` are the first as a table.

    ends: the labels of the horizontal axis; total: how many answers have both figures.
    """

    metric: str
    marks: tuple[Marks, ...]
    ends: tuple[str, ...]
    drawn: int
    total: int
    systems: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def list_metrics(figures: Figures) -> list[tuple[str, str]]:
    """Return key and name of the metrics that answers were scored by."""
    present = {key for row in figures["answers"] for key in row}
    return [(key, name) for key, name in METRICS.items() if key in present]


def plot_scatter(figures: Figures, metric: str) -> Scatter | None:
    """Return the plot of a metric; None where no answer has both."""
    rows = [row for row in figures["answers"] if None not in (row.get(metric), row.get("acc"))]
    if not rows:
        return None
    drawn = rows[:: -(-len(rows) // MOST_MARKS)]
    top = 100 if metric != "length" else max(row[metric] for row in rows) or 1
    systems = tuple(name for name in figures["systems"] if any(r["system"] == name for r in rows))
    return Scatter(
        METRICS[metric],
        tuple(
            Marks(name, MARKS[place % len(MARKS)], _path(drawn, name, metric, top))
            for place, name in enumerate(systems)
        ),
        tuple(f"{top * quarter / 4:.0f}" for quarter in range(5)),
        len(drawn),
        len(rows),
        systems,
        tuple(_by_question(rows, systems, metric)),
    )


def _path(rows: Sequence[Figure], system: str, metric: str, top: float) -> str:
    return "".join(
        f"M{600 * row[metric] / top:.0f} {400 - 4 * row['acc']:.0f}h0"
        for row in rows
        if row["system"] == system
    )


def _by_question(
    rows: Sequence[Figure], systems: Sequence[str], metric: str
) -> Iterator[tuple[str, tuple[str, ...]]]:
    by_question: dict[str, dict[str, Figure]] = {}
    for row in rows:
        by_question.setdefault(row["question"], {})[row["system"]] = row
    for question, answers in list(by_question.items())[:ROWS]:
        yield (
            question,
            tuple(
                f"{answers[name][metric]:.0f} · {answers[name]['acc']:.0f}"
                if name in answers
                else "–"
                for name in systems
            ),
        )
