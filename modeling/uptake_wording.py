"""The report of suggestions in words, for the page and the command line."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from modeling.uptake import CHANGES, COMPARED, FATES, SECONDS, Figure, Of
from validation.agreement.reporting import FEW

_Words = Callable[[float | None], str]
CHANGED = {
    "towards": "Changed to the model’s, of those who had another",
    "away": "Changed away from it, of those who had the same",
}
LABELS = {
    "accepted": "Accepted",
    "edited": "Edited",
    "dismissed": "Dismissed",
    "undecided": "Not decided",
}


@dataclass(frozen=True, slots=True)
class FigureCell:
    """A figure in words; `few`: it is made from fewer than 10 questions."""

    label: str
    value: str
    interval: str = ""
    n: int = 0
    count: str = ""

    @property
    def few(self) -> bool:
        return bool(self.interval) and self.n < FEW


@dataclass(frozen=True, slots=True)
class Uptake:
    """The uptake of one version of a system in one stage."""

    stage: str
    system: str
    version: str
    kind: str
    questions: int
    shown: int
    fates: tuple[FigureCell, ...]
    changes: tuple[FigureCell, ...] = ()


@dataclass(frozen=True, slots=True)
class UptakeComparison:
    """Work with and without suggestions of one system in one stage; each line has three cells."""

    stage: str
    system: str
    lines: tuple[tuple[str, FigureCell, FigureCell, FigureCell], ...]
    held_out: int

    @property
    def questions(self) -> int:
        """The number of questions that could have suggestions."""
        return self.lines[0][1].n


def list_uptake_rows(figures: Iterable[Figure]) -> list[Uptake]:
    """Return a row for each stage and version with suggestions that were shown."""
    rows = []
    for of, group in _groups(figures).items():
        if "shown" not in group:
            continue
        cells = tuple(
            FigureCell(
                LABELS[fate],
                _share(group[f"share.{fate}"].value),
                _interval(group[f"share.{fate}"], _share),
                group[f"share.{fate}"].n,
                f"{group[fate].value or 0:,.0f}",
            )
            for fate in FATES
        )
        shown = group["shown"]
        changes = tuple(_describe_changes(group)) if "first.same" in group else ()
        rows.append(Uptake(*of, shown.n, int(shown.value or 0), cells, changes))
    return rows


def _describe_changes(group: dict[str, Figure]) -> Iterator[FigureCell]:
    for part, whole in CHANGES.items():
        share = group[f"changed.{part}.share"]
        count, of = group[f"changed.{part}"].value or 0, group[f"first.{whole}"].value or 0
        yield FigureCell(
            CHANGED[part],
            _share(share.value),
            _interval(share, _share),
            share.n,
            f"{count:,.0f} of {of:,.0f}",
        )


def list_comparison_tables(figures: Iterable[Figure]) -> list[UptakeComparison]:
    """Return a table for each stage and system that was compared; figures without data are out."""
    tables = []
    for (stage, system, *_), group in _groups(figures).items():
        if f"{SECONDS}.with" not in group:
            continue
        lines = []
        for name, (label, unit) in COMPARED.items():
            arms = group[f"{name}.with"], group[f"{name}.without"]
            if not any(arm.n for arm in arms):
                continue
            words = _time if name == SECONDS else _share if unit == "share" else _points
            change = _change(group[f"{name}.change"], words)
            lines.append((label, _cell(arms[0], words), _cell(arms[1], words), change))
        tables.append(UptakeComparison(stage, system, tuple(lines), group[f"{SECONDS}.without"].n))
    return tables


def _groups(figures: Iterable[Figure]) -> dict[Of, dict[str, Figure]]:
    groups: dict[Of, dict[str, Figure]] = {}
    for figure in figures:
        groups.setdefault(figure.of, {})[figure.figure] = figure
    return groups


def _cell(figure: Figure, words: _Words) -> FigureCell:
    return FigureCell(figure.figure, words(figure.value), _interval(figure, words), figure.n)


def _change(figure: Figure, words: _Words) -> FigureCell:
    def signed(value: float | None) -> str:
        if value is None:
            return "none"
        size = words(abs(value)).replace(" %", " points")
        return f"{'−' if value < 0 else '+'}{size}"

    if figure.value is None:
        return FigureCell(figure.figure, "none yet")
    return FigureCell(figure.figure, signed(figure.value), _interval(figure, signed), figure.n)


def _interval(figure: Figure, words: _Words) -> str:
    if figure.low is None or figure.high is None:
        return figure.note
    return f"{words(figure.low)} to {words(figure.high)}"


def _share(value: float | None) -> str:
    return "none yet" if value is None else f"{100 * value:.0f} %"


def _points(value: float | None) -> str:
    return "none yet" if value is None else f"{100 * value:.1f}"


def _time(value: float | None) -> str:
    """Return seconds as minutes and seconds: 3:07."""
    if value is None:
        return "none yet"
    minutes, seconds = divmod(round(value), 60)
    return f"{minutes}:{seconds:02d}"
