"""Systems next to each other by automatic metrics: a leaderboard, paired tests, signatures."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.urls import reverse

from annotation.figures.panel import Cell, Chart, Column, Link, Panel, Value, of_score
from annotation.figures.registry import Request
from annotation.models import Split
from evaluation.scores.measuring import measure_systems
from evaluation.scores.registry import Scoring, scoring_of
from evaluation.scores.values import (
    RESAMPLES,
    Kind,
    SystemMeasures,
    answers_by_split,
    compare_systems,
)
from evaluation.systems.models import System
from metrics.score import Score

_NEEDS = "1 answer of a system"


class Scored(NamedTuple):
    """A system on a split."""

    system: System
    split: str
    measured: SystemMeasures
    figures: dict[str, Score]
    address: str = ""

    @property
    def name(self) -> Cell:
        """The system, as a link to its page."""
        return Link(str(self.system), self.address) if self.address else str(self.system)


def build_leaderboard(request: Request) -> Panel:
    """Return every system with its figures."""
    return tabulate_scores(request.once(read_scored_systems), scoring_of(request.project))


def build_tests_panel(request: Request) -> Panel:
    """Return each system against the best one, figure by figure."""
    return tabulate_tests(request.once(read_scored_systems), scoring_of(request.project))


def build_signatures_panel(request: Request) -> Panel:
    """Return how each figure was made."""
    return tabulate_signatures(request.once(read_scored_systems), scoring_of(request.project))


def read_scored_systems(request: Request) -> list[Scored]:
    """Return the systems that answered, by split and then by name."""
    project, chosen = request.project, request.filters.split
    kinds = scoring_of(project).kinds
    answered = answers_by_split(project)
    rows = []
    for split in Split.values:
        if split not in answered or (chosen and split != chosen):
            continue
        systems = project.systems.filter(outputs__question__split=split).distinct()
        for system, row in measure_systems(project, split, list(systems)):
            address = reverse("system-view", args=[project.slug, system.pk])
            rows.append(Scored(system, split, row, row.score_figures(kinds), address))
    return rows


def tabulate_scores(rows: Sequence[Scored], scoring: Scoring) -> Panel:
    """Return the leaderboard: within a split the systems with the highest first figure first."""
    shown = {
        name: kind
        for name, kind in scoring.kinds.items()
        if not kind.among and any(name in row.figures for row in rows)
    }
    first = next((name for name in scoring.ranked_by if name in shown), "")

    def order(row: Scored) -> tuple[int, float, str]:
        value = row.figures[first].value if first in row.figures else -1.0
        return Split.values.index(row.split), -value, str(row.system)

    lines: list[list[Cell]] = [
        [
            row.name,
            row.split,
            row.measured.answers,
            *(_value_of(row, name) for name in shown),
        ]
        for row in sorted(rows, key=order)
    ]
    return Panel(
        columns=(
            Column("system", "System"),
            Column("split", "Split"),
            Column("answers", "Answers", "count"),
            *(
                Column(name, kind.label, "percent" if kind.scale else "mean", kind.part)
                for name, kind in shown.items()
            ),
        ),
        rows=lines,
        n=_questions(rows),
        definition=f"{scoring.definition} docs/models.md says what each figure needs.",
        needs=_NEEDS,
        chart=Chart("bars", x="system", y=first) if _alone(rows) and first else None,
    )


def tabulate_tests(rows: Sequence[Scored], scoring: Scoring) -> Panel:
    """Return the difference of each system to the best of its split, for each figure."""
    lines = [
        line
        for split in Split.values
        for name, kind in scoring.kinds.items()
        if kind.scale and not kind.among  # longer is not better
        for line in _against(name, kind, [row for row in rows if row.split == split])
    ]
    return Panel(
        columns=(
            Column("figure", "Figure"),
            Column("split", "Split"),
            Column("best", "Highest"),
            Column("system", "System"),
            Column("difference", "Difference", "mean"),
            Column("p_randomisation", "p, randomisation", "p"),
            Column("p_bootstrap", "p, bootstrap", "p"),
        ),
        rows=lines,
        n=_questions(rows),
        definition="The system with the highest figure against each other one, over the questions "
        "that count for both: the difference with its 95 % interval, and how often chance alone "
        "gives one as large (two-sided; paired bootstrap and approximate randomisation, "
        f"{RESAMPLES:,} resamples). Of many comparisons some are small by chance.",
        needs="2 systems with answers to the same question",
    )


def _against(name: str, kind: Kind, rows: Sequence[Scored]) -> Iterator[list[Cell]]:
    having = [row for row in rows if name in row.figures]
    having.sort(key=lambda row: (-row.figures[name].value, str(row.system)))
    for other in having[1:]:
        best = having[0]
        test = compare_systems(best.measured, other.measured, name, kind)
        if test is not None:
            value = Value(test.difference, test.n, test.low, test.high, test.note)
            tested = [value, test.p_randomisation, test.p_bootstrap]
            yield [kind.label, best.split, best.name, other.name, *tested]


def tabulate_signatures(rows: Sequence[Scored], scoring: Scoring) -> Panel:
    """Return the signature of each figure."""
    lines: list[list[Cell]] = [
        [row.name, row.split, scoring.kinds[name].label, score.n, score.signature]
        for row in rows
        for name, score in row.figures.items()
    ]
    return Panel(
        columns=(
            Column("system", "System"),
            Column("split", "Split"),
            Column("figure", "Figure"),
            Column("n", "n", "count"),
            Column("signature", "Signature"),
        ),
        rows=lines,
        n=_questions(rows),
        definition="How each figure was made. Figures can be compared where their signatures are "
        "equal.",
        needs=_NEEDS,
    )


def _value_of(row: Scored, name: str) -> Value | None:
    return of_score(row.figures[name]) if name in row.figures else None


def _questions(rows: Sequence[Scored]) -> int:
    """Return how many questions some system answered."""
    return len(
        {
            (row.split, name)
            for row in rows
            for values in row.measured.columns.values()
            for name in values
        }
    )


def _alone(rows: Sequence[Scored]) -> bool:
    """Whether all rows are of one split, so that no two have the same name."""
    return len({row.split for row in rows}) == 1
