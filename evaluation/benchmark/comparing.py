"""The order of entries, and the paired test of each against the listed one above it."""

from collections.abc import Iterable, Sequence
from typing import Any

from evaluation.benchmark.models import Benchmark, BenchmarkEntry
from evaluation.scores.registry import Scoring, scoring_of
from evaluation.scores.values import Kinds, SystemMeasures, compare_systems
from metrics.score import Score

State, Shown = BenchmarkEntry.State, BenchmarkEntry.Shown


def list_shown_kinds(scoring: Scoring) -> Kinds:
    """Return the figures of a leaderboard: those of all questions."""
    return {name: kind for name, kind in scoring.kinds.items() if not kind.part and not kind.among}


def round_figures(figures: dict[str, Score]) -> dict[str, dict[str, float]]:
    """Return what may leave of figures: value and interval, to one decimal."""
    return {
        name: {"value": round(score.value, 1)}
        | (
            {"low": round(score.interval.low, 1), "high": round(score.interval.high, 1)}
            if score.interval
            else {}
        )
        for name, score in figures.items()
    }


def find_main_figure(scoring: Scoring, entries: Iterable[BenchmarkEntry]) -> str:
    """Return the figure by which entries stand in order: of those that make a system better the one
    that most of them have, and of several the first; "" where there is none.
    """
    rows, shown = list(entries), list_shown_kinds(scoring)
    numbers = {
        name: sum(name in row.figures for row in rows)
        for name in (*scoring.ranked_by, *shown)
        if name in shown and shown[name].scale is not None
    }
    most = max(numbers, key=lambda name: numbers[name], default="")
    return most if numbers.get(most) else ""


def order_entries(entries: Iterable[BenchmarkEntry], figure: str) -> list[BenchmarkEntry]:
    """Return entries, the best by a figure first, those without it last, else the oldest first.

    Figures are rounded, so that the order tells no more than they do.
    """
    return sorted(
        entries,
        key=lambda row: (-row.figures.get(figure, {}).get("value", float("-inf")), row.pk),
    )


def is_listed(entry: BenchmarkEntry) -> bool:
    """Return whether everybody sees the entry."""
    return (
        entry.state == State.SCORED
        and entry.withdrawn_at is None
        and entry.shown in (Shown.NAMED, Shown.ANONYMOUS)
    )


def renew_comparisons(benchmark: Benchmark) -> None:
    """Test each scored entry against the listed one above it, where that has changed.

    The page is locked. Scores against other references are not compared.
    """
    scoring = scoring_of(benchmark.project)
    rows = list(
        BenchmarkEntry.objects.filter(
            team__benchmark=benchmark, state=State.SCORED, withdrawn_at=None
        ).defer("measures")
    )
    figure = find_main_figure(scoring, filter(is_listed, rows)) or find_main_figure(scoring, rows)
    above: BenchmarkEntry | None = None
    for row in order_entries(rows, figure):
        found = above if above is not None and above.scale == row.scale else None
        key = found.pk if found else None
        tested_by = (row.paired_test or {}).get("figure", figure)
        if row.above_id != key or tested_by != figure:
            row.above_id = key
            row.paired_test = _compare(found, row, scoring, figure) if found else None
            row.save(update_fields=["above", "paired_test"])
        if is_listed(row):
            above = row


def _compare(
    above: BenchmarkEntry, below: BenchmarkEntry, scoring: Scoring, figure: str
) -> dict[str, Any] | None:
    """Return how much better the upper entry is, rounded, and whether that is more than chance."""
    kind = scoring.kinds.get(figure)
    if kind is None:
        return None
    stored: Sequence[BenchmarkEntry] = [above, below]
    measures = [SystemMeasures(**_read_measures(row)) for row in stored]
    found = compare_systems(measures[0], measures[1], figure, kind)
    if found is None:
        return None
    p = found.p_randomisation
    return {
        "figure": figure,
        "difference": round(found.difference, 1),
        "low": None if found.low is None else round(found.low, 1),
        "high": None if found.high is None else round(found.high, 1),
        "p": "< 0.01" if p < 0.01 else "< 0.05" if p < 0.05 else "≥ 0.05",
    }


def _read_measures(entry: BenchmarkEntry) -> dict[str, Any]:
    measures: dict[str, Any] = BenchmarkEntry.objects.values_list("measures", flat=True).get(
        pk=entry.pk
    )
    return measures
