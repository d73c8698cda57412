"""Agreement week by week, and split by split."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence

from annotation.figures.panel import Cell, Chart, Column, Panel, Value, share_with_interval
from annotation.figures.registry import Request
from evaluation.reports.agreement.facts import (
    Asked,
    Compared,
    average_values,
    group_by_split,
    is_long,
    name_measure,
    select_compared,
    select_facts,
)
from metrics.agreement import ValidationOutcome
from validation.agreement.figures import find_outcome

Outcomes = Sequence[tuple[Asked, ValidationOutcome]]


def count_outcomes(request: Request) -> Outcomes:
    """Return what validation did to each question, for those that it has finished."""
    if is_long(request):
        return []
    rows = request.once(select_facts)
    return [(asked, result) for asked, row in rows if (result := find_outcome(row)) is not None]


def build_weeks_panel(request: Request) -> Panel:
    """Return agreement by the week in which a question got its last answer."""
    rows, results = request.once(select_compared), request.once(count_outcomes)
    groups: dict[dt.date, list[Compared]] = defaultdict(list)
    decided: dict[dt.date, list[ValidationOutcome]] = defaultdict(list)
    for row in rows:
        groups[_monday(row.asked.day)].append(row)
    for asked, result in results:
        decided[_monday(asked.day)].append(result)
    mondays = sorted(groups.keys() | decided.keys())
    return Panel(
        columns=_columns(request, Column("week", "Week of")),
        rows=[
            [monday.isoformat(), *_figures(request, groups[monday], decided[monday])]
            for monday in mondays
        ],
        n=len(rows),
        definition=(
            f"{_defined(request)} A question counts in the week, from Monday, in which it got its "
            "last answer."
        ),
        needs="2 people on 1 question",
        summary=_trend(
            [average_values([row.value for row in groups[monday]]) for monday in mondays]
        ),
        chart=Chart("lines", x="week", y="value"),
    )


def build_splits_panel(request: Request) -> Panel:
    """Return agreement for each split."""
    rows, results = request.once(select_compared), request.once(count_outcomes)
    groups = group_by_split(rows)
    decided: dict[str, list[ValidationOutcome]] = defaultdict(list)
    for asked, result in results:
        decided[asked.split].append(result)
    names = [name for name in ("train", "dev", "test") if name in groups or name in decided]
    return Panel(
        columns=_columns(request, Column("split", "Split")),
        rows=[[name, *_figures(request, groups.get(name, []), decided[name])] for name in names],
        n=len(rows),
        definition=_defined(request),
        needs="2 people on 1 question",
        chart=Chart("bars", x="split", y="value"),
    )


def _columns(request: Request, first: Column) -> list[Column]:
    columns = [first, Column("value", name_measure(request), "score")]
    if not is_long(request):
        columns += [Column("exact", "All the same", "share"), Column("passed", "Passed", "share")]
    return columns


def _figures(
    request: Request, rows: list[Compared], decided: list[ValidationOutcome]
) -> list[Cell]:
    cells: list[Cell] = [average_values([row.value for row in rows])]
    if not is_long(request):
        passed = sum(not (result.edited or result.excluded) for result in decided)
        same = sum(min(value for *_, value in row.pairs) == 1 for row in rows)
        cells += [share_with_interval(same, len(rows)), share_with_interval(passed, len(decided))]
    return cells


def _defined(request: Request) -> str:
    name = name_measure(request)
    text = f"{name} of two people on the same question, mean over questions."
    if not is_long(request):
        text += " All the same: all gave the same answers. Passed: validation changed nothing."
    return text


def _trend(values: Sequence[Value]) -> str:
    figures = [100 * value.value for value in values if value.value is not None]
    if len(figures) < 2:
        return ""
    return f"From {figures[0]:.1f} in the first week to {figures[-1]:.1f} in the last."


def _monday(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=day.weekday())
