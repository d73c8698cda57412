"""How often staff overrule each person who checks answers (Q4): who often is wrong is seen."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotation.exports.rows import fetch_rows
from annotation.figures.panel import Cell, Column, Panel, Person, share_with_interval
from annotation.models import Project
from qampari.statements import VERDICTS_BY_PERSON
from qampari.verdicts import CHECK, CORRECT, TEAM


class Checker(NamedTuple):
    """What a person said of answers, and what of it staff looked at and overruled.

    Of answers found correct staff see a share, of doubted ones all, so the two stand apart.
    """

    person: int
    said: int
    correct: int
    correct_overruled: int
    doubted: int
    doubted_overruled: int

    @property
    def seen(self) -> int:
        """How many of the verdicts are on answers that staff checked."""
        return self.correct + self.doubted

    @property
    def overruled(self) -> int:
        """How many of these say the opposite of what staff say."""
        return self.correct_overruled + self.doubted_overruled


def read_checkers(project: Project, split: str = "") -> list[Checker]:
    """Return how often staff overruled each person, gold items apart. One query."""
    values = {"project": project.pk, "split": split, "check": CHECK, "team": TEAM}
    return [Checker(*row) for row in fetch_rows(VERDICTS_BY_PERSON, {**values, "correct": CORRECT})]


def build_checkers_panel(checkers: Iterable[Checker]) -> Panel:
    """Return a row for each person, who was overruled most often first."""
    ordered = sorted(checkers, key=lambda row: (-_share(row), -row.seen, row.person))
    rows: list[Sequence[Cell]] = [
        [
            Person(row.person),
            *(row.said, row.seen),
            share_with_interval(row.overruled, row.seen),
            share_with_interval(row.correct_overruled, row.correct),
            share_with_interval(row.doubted_overruled, row.doubted),
        ]
        for row in ordered
    ]
    seen, overruled = sum(row.seen for row in ordered), sum(row.overruled for row in ordered)
    return Panel(
        columns=(
            Column("person", "Person"),
            Column("said", "Verdicts", "count"),
            Column("seen", "Staff checked", "count"),
            Column("overruled", "Overruled", "share"),
            Column("correct", "Found correct, but wrong", "share"),
            Column("doubted", "Doubted, but correct", "share"),
        ),
        rows=rows,
        n=sum(row.said for row in ordered),
        counted="verdict",
        definition=(
            "Verdicts of each person on answers, those on gold items apart. Staff check every "
            "doubted answer and a share of those found correct; a verdict is overruled where they "
            "say correct and it did not, or the reverse. Since staff see all doubts, compare "
            "people by the last two columns, too."
        ),
        needs="1 answer that was checked",
        summary=f"Staff overruled {100 * overruled / seen:.0f} % of the verdicts that they checked."
        if seen
        else "",
    )


def _share(row: Checker) -> float:
    return row.overruled / row.seen if row.seen else -1.0
